"""What makes a function a measure: a description, provenance, and a place in the cache."""

from __future__ import annotations

import inspect
import platform
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, update_wrapper
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, Unpack

from biascheck.cache.code_digest import code_of_measure
from biascheck.cache.document_cache import DocumentCache, active_cache, digest_of
from biascheck.errors import BiascheckWarning, ResultError, UsageError
from biascheck.measures.competence.checks import readability_of
from biascheck.measures.declared_words import Words, described
from biascheck.models.adapters.sentences_by_continuation import with_sentences
from biascheck.models.capabilities import Model, capabilities_of, require_capability
from biascheck.models.framings import framing_note, framing_of, unframed
from biascheck.results.competence import Readability
from biascheck.results.description import Description
from biascheck.results.result import Provenance, Result
from biascheck.results.storage import SCHEMA, result_from_dict, result_to_dict

__all__ = ["CorpusLike", "Measure", "declared", "measure"]


class CorpusLike(Protocol):
    """What a measure is taken on: a corpus, a lexicon, a table of stimuli. The fingerprint tells two apart.

    One that belongs to a paper has an attribute ``paper``, by which a report places results on it.
    """

    @property
    def name(self) -> str:
        """The name shown in findings and reports."""

    @property
    def fingerprint(self) -> str:
        """A digest of everything that can change a figure."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of every result on it must know."""


Options = ParamSpec("Options")
Source = TypeVar("Source", bound=CorpusLike)
LIBRARIES = ("pytest-biascheck", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")
_DECLARED: ContextVar[Description | None] = ContextVar("declared", default=None)


class Measure(Generic[Source, Options]):
    """A function ``(model, corpus, **options) -> Result`` that knows what it measures; made by :func:`measure`."""

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Result]

    def __init__(
        self,
        function: Callable[Concatenate[Any, Source, Options], Result],
        description: Description,
        adapt: Callable[[Any], Any] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.description = description
        self._adapt = adapt
        self._signature = inspect.signature(function)

    def __repr__(self) -> str:
        return f"<measure {self.description.name!r}>"

    def __reduce__(self) -> str:
        return self.__qualname__

    def __call__(self, model: Any, corpus: Source, /, *args: Options.args, **kwargs: Options.kwargs) -> Result:
        """Measure a model on a corpus, or find the result of an earlier run."""
        model = self._adapted(model)
        require_capability(model, self.description.needs, self.description.name)
        bound = self._signature.bind(model, corpus, *args, **kwargs)
        bound.apply_defaults()
        options = dict(list(bound.arguments.items())[2:])
        framed = {"framing": "chat"} if framing_of(model, self.description.needs) == "chat" else {}
        provenance = _provenance(self.description.version, model, corpus, options | framed)
        drafts: list[Result] = []  # alive until the end, so that the items of a large one are not read from their file

        def compute() -> dict[str, Any]:
            with _declaring(self.description):
                drafted = self.__wrapped__(model, corpus, *args, **kwargs)
            drafts.append(drafted)
            # asked after measuring: a model that is loaded late can describe itself by then
            origin = replace(provenance, model=dict(getattr(model, "about", {})))
            return result_to_dict(replace(drafted, measure=self.description.name, provenance=origin))

        # A function has no fingerprint by which a later run could find its result again.
        cache = active_cache() if getattr(model, "is_persistent", True) else None
        key = _key(self.description.name, provenance, code_of_measure(self.__wrapped__))
        result = _fetched(cache, key, compute)
        form = replace(
            result,
            model=model.name,
            corpus=corpus.name,
            treatment=_treatment(model, options),
            competence=self._readability(model, corpus),
            warnings=(*result.warnings, *framing_note(model, self.description.needs)),
        )
        return self._described(form, corpus)

    def readability(self, model: Any, corpus: Source) -> Readability | None:
        """Whether a model can do what this measure asks of it on a corpus; ``None`` where nothing checks it."""
        model = self._adapted(model)
        require_capability(model, self.description.needs, self.description.name)
        return self._readability(model, corpus)

    def _readability(self, model: Any, corpus: Source) -> Readability | None:
        check = self.description.competence
        return readability_of(check, model, corpus) if check else None

    def _adapted(self, model: Any) -> Any:
        """A model that can be asked: of a function where the measure knows how, raw where it is about states."""
        if self._adapt is not None and not capabilities_of(model):
            model = self._adapt(model)
        model = model if framing_of(model, self.description.needs) else unframed(model)
        return with_sentences(model, self.description.needs)

    def _described(self, result: Result, corpus: CorpusLike) -> Result:
        paper: str = getattr(corpus, "paper", "")
        described = replace(self.description, statistic=result.statistic, parity=result.parity, corpus_paper=paper)
        return replace(result, description=described)


def measure(
    name: str,
    *,
    version: int,
    competence: str = "",
    adapt: Callable[[Any], Any] | None = None,
    **words: Unpack[Words],
) -> Callable[[Callable[Concatenate[Any, Source, Options], Result]], Measure[Source, Options]]:
    """Make a ``(model, corpus, **options) -> Result`` function a measure, with a description, provenance and caching.

    Raise ``version`` whenever the same inputs give another figure: it is part of the cache key. ``words`` are the rest
    of the :class:`Description` that results carry into reports: ``about`` (the first line of the docstring unless
    given), ``limits``, ``statistic``, ``parity``, ``direction``, ``unit``, ``sign``, ``paper``, ``needs``,
    ``smallest_change`` and ``smallest_change_reason``, ``scale`` and ``plain``. ``competence`` names the check of what
    a model must be able to do. ``adapt`` makes a model of a function or a pipeline.
    """

    def decorate(function: Callable[Concatenate[Any, Source, Options], Result]) -> Measure[Source, Options]:
        stated = Description(name, version, competence=competence)
        return Measure(function, described(function, stated, **words), adapt)

    return decorate


def declared() -> Description | None:
    """The description of the measure that is being taken now, if any."""
    return _DECLARED.get()


@contextmanager
def _declaring(description: Description) -> Iterator[None]:
    token = _DECLARED.set(description)
    try:
        yield
    finally:
        _DECLARED.reset(token)


def _fetched(cache: DocumentCache | None, key: str, compute: Callable[[], dict[str, Any]]) -> Result:
    """The result under a key, measured again where the file of its items is gone or damaged."""
    if cache is None:
        return result_from_dict(compute())
    document = cache.fetch(key, compute)
    try:
        return result_from_dict(document)
    except ResultError as error:
        if not isinstance(document["items"], Mapping):
            raise
        warnings.warn(f"a kept result is measured again: {error}", BiascheckWarning, stacklevel=4)
        cache.forget(key)
        return result_from_dict(cache.fetch(key, compute))


def _treatment(model: Model, options: Mapping[str, Any]) -> tuple[str, ...]:
    """What was done to the model; online mitigation is a treatment, too, and not another measure."""
    online = ("online",) if options.get("online") is True else ()
    return (*getattr(model, "treatment", ()), *online)


def _key(name: str, provenance: Provenance, code: str) -> str:
    facts = [
        SCHEMA,
        code,
        name,
        provenance.measure_version,
        provenance.model_fingerprint,
        provenance.corpus_fingerprint,
    ]
    try:
        return digest_of([*facts, provenance.options])
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"measure {name!r} has an option that is not a plain value ({error}); options are numbers, strings, or "
            "lists and dicts of these, so that a result can be stored with them and found again"
        ) from error


def _provenance(measure_version: int, model: Model, corpus: CorpusLike, options: Mapping[str, Any]) -> Provenance:
    return Provenance(
        measure_version=measure_version,
        variant=str(options.get("variant", "ours")),
        model_fingerprint=model.fingerprint,
        corpus_fingerprint=corpus.fingerprint,
        options=dict(options),
        versions=_versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@cache
def _versions() -> Mapping[str, str]:
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
