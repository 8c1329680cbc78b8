"""Measures: functions with a description, provenance, caching and a place in the catalogue."""

from __future__ import annotations

import inspect
import platform
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, update_wrapper
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypedDict, TypeVar, Unpack

from biascheck.core.errors import BiascheckWarning, ResultError, ScoreError, UsageError
from biascheck.core.identity import code_of_measure
from biascheck.core.store import DocumentCache, active_cache, digest_of
from biascheck.corpora.corpus import Pair
from biascheck.measures.readability import readability_of
from biascheck.models.asked import with_sentences
from biascheck.models.base import Model, capabilities_of, framing_note, framing_of, require_capability, unframed
from biascheck.results.codec import SCHEMA, result_from_dict, result_to_dict
from biascheck.results.definition import UNDESCRIBED, Description, Direction, Readability, Scale
from biascheck.results.items import ItemList, ItemScore, Shown, Skipped, gathered_items
from biascheck.results.result import Provenance, Result
from biascheck.results.summaries import summarise

# The keywords that declare a measure, whether it measures a model or derives from another result.


class Words(TypedDict, total=False):
    """The fields of a :class:`Description` that a declaration may state; the others are filled in."""

    about: str
    limits: Sequence[str]
    statistic: str
    parity: float
    direction: Direction
    unit: str
    sign: str
    paper: str
    needs: Sequence[str]
    smallest_change: float | None
    smallest_change_reason: str
    scale: Scale
    plain: str
    score: str
    covariate: str
    cluster: str


def described(function: Callable[..., Any], declared: Description, **words: Unpack[Words]) -> Description:
    """The description of a measure; without ``about`` it is the first line of the docstring."""
    stated: dict[str, Any] = {**words}
    return replace(declared, **{**stated, "about": stated.get("about") or first_line(function)})


def first_line(thing: object) -> str:
    """The first line of a docstring: what a function or a module is about."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


# Measures of a model, with description, provenance and cache.


class CorpusLike(Protocol):
    """The input of a measure besides the model: a corpus, a lexicon, a table of stimuli, identified by its fingerprint.

    One that belongs to a paper has an attribute ``paper``, by which a report places results on it.
    """

    @property
    def name(self) -> str:
        """The name shown in findings and reports."""

    @property
    def fingerprint(self) -> str:
        """A digest of everything that can change an estimate."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for readers of every result on it."""


Options = ParamSpec("Options")
Source = TypeVar("Source", bound=CorpusLike)
LIBRARIES = ("pytest-biascheck", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")
_DECLARED: ContextVar[Description | None] = ContextVar("declared", default=None)


class Measure(Generic[Source, Options]):
    """A function ``(model, corpus, **options) -> Result`` with a description; made by :func:`measure`."""

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
        """Measure a model on a corpus, or return the result of an earlier run."""
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
            # called after measuring: a lazily loaded model can describe itself by then
            origin = replace(provenance, model=dict(getattr(model, "about", {})))
            return result_to_dict(replace(drafted, measure=self.description.name, provenance=origin))

        # A function has no fingerprint by which a later run could find its cached result.
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
        """The readability of a corpus for a model under this measure; ``None`` if no check applies."""
        model = self._adapted(model)
        require_capability(model, self.description.needs, self.description.name)
        return self._readability(model, corpus)

    def _readability(self, model: Any, corpus: Source) -> Readability | None:
        check = self.description.competence
        return readability_of(check, model, corpus) if check else None

    def _adapted(self, model: Any) -> Any:
        """The model to measure: adapted from a function if the measure can, and raw if it reads hidden states."""
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

    Raise ``version`` whenever the same inputs give another estimate: it is part of the cache key. ``words`` are the
    rest of the :class:`Description` that results carry into reports: ``about`` (the first line of the docstring unless
    given), ``limits``, ``statistic``, ``parity``, ``direction``, ``unit``, ``sign``, ``paper``, ``needs``,
    ``smallest_change`` and ``smallest_change_reason``, ``scale`` and ``plain``. ``competence`` names the check of what
    a model must be able to do. ``adapt`` makes a model of a function or a pipeline.
    """

    def decorate(function: Callable[Concatenate[Any, Source, Options], Result]) -> Measure[Source, Options]:
        stated = Description(name, version, competence=competence)
        return Measure(function, described(function, stated, **words), adapt)

    return decorate


def declared() -> Description | None:
    """The description of the running measure, if any."""
    return _DECLARED.get()


@contextmanager
def _declaring(description: Description) -> Iterator[None]:
    token = _DECLARED.set(description)
    try:
        yield
    finally:
        _DECLARED.reset(token)


def _fetched(cache: DocumentCache | None, key: str, compute: Callable[[], dict[str, Any]]) -> Result:
    """The result under a key, measured again if the file of its items is missing or damaged."""
    if cache is None:
        return result_from_dict(compute())
    document = cache.fetch(key, compute)
    try:
        return result_from_dict(document)
    except ResultError as error:
        if not isinstance(document["items"], Mapping):
            raise
        warnings.warn(f"a cached result is measured again: {error}", BiascheckWarning, stacklevel=4)
        cache.forget(key)
        return result_from_dict(cache.fetch(key, compute))


def _treatment(model: Model, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The treatment of the model; online mitigation is a treatment, not another measure."""
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
            "lists and dicts of these, so that a result can be stored and found by them"
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


# The result without statistics that every measure fills in.

UNKNOWN = Provenance(measure_version=0, variant="", model_fingerprint="", corpus_fingerprint="")


def draft(
    model: Model,
    corpus: CorpusLike,
    items: Iterable[ItemScore],
    skipped: Sequence[Skipped],
    *,
    contrast: tuple[str, str],
    seed: int,
    statistic: str | None = None,
    parity: float | None = None,
    unit: str = "items",
) -> Result:
    """A result with its items and no statistics yet; ScoreError without a single item.

    Statistic and parity are those that the measure declares, unless given.
    """
    description = declared() or UNDESCRIBED
    statistic = description.statistic if statistic is None else statistic
    parity = description.parity if parity is None else parity
    found = items.items if isinstance(items, ItemList) else gathered_items(items)
    if not found:
        reasons = Counter(skip.reason for skip in skipped).most_common(3)
        listed = "; ".join(f"{reason} ({count}×)" for reason, count in reasons) or "the corpus has none"
        raise ScoreError(f"{model.name} × {corpus.name}: no item could be scored: {listed}")
    return Result(
        measure="",
        model=model.name,
        corpus=corpus.name,
        statistic=statistic,
        estimate=parity,
        interval=None,
        n=0,
        clusters=0,
        seed=seed,
        contrast=contrast,
        provenance=UNKNOWN,
        items=found,
        skipped=tuple(skipped),
        parity=parity,
        unit=unit,
        warnings=corpus.warnings,
        treatment=tuple(getattr(model, "treatment", ())),
        several_groups=len(found[0].groups) > 2,
    )


def shown(pair: Pair) -> dict[str, Shown]:
    """The sentences of a pair for a reader."""
    return {group: Shown(s.text, s.target.start, s.target.end) for group, s in pair.sentences.items()}


# Measures derived from the result of another one, without another pass over the model.

Arguments = ParamSpec("Arguments")


class DerivedMeasure(Generic[Arguments]):
    """A function that selects or rescores the items of a result; made by :func:`derived_measure`.

    The function returns the other result with its own items. Name, statistic, parity, description and figures are
    filled in here. Its first argument is that result, or a model which it measures first.
    """

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Result]

    def __init__(self, function: Callable[Arguments, Result], description: Description) -> None:
        update_wrapper(self, function)
        self.description = description
        self._signature = inspect.signature(function)

    def __repr__(self) -> str:
        return f"<derived measure {self.description.name!r}>"

    def __reduce__(self) -> str:
        return self.__qualname__

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Make the result from another one."""
        first = next(iter(self._signature.bind_partial(*args, **kwargs).arguments.values()))
        if isinstance(first, Result):
            self._require_source(first)
            return self._finished(self.__wrapped__(*args, **kwargs))
        require_capability(first, self.description.needs, self.description.name)
        made = self.__wrapped__(*args, **kwargs)
        # a measure of a model may have called the variant that takes a result
        return made if made.description.name == self.description.name else self._finished(made)

    def _require_source(self, result: Result) -> None:
        known = self.description.made_from
        if known and result.measure not in known:
            raise UsageError(
                f"{result.title}: {self.__name__} is made from a result of {' or '.join(known)}, not of "
                f"{result.measure or 'an unnamed measure'}"
            )

    def _finished(self, made: Result) -> Result:
        own = self.description
        form = replace(
            made,
            measure=own.name,
            statistic=own.statistic,
            parity=own.parity,
            description=self._described(made.description),
            provenance=self._provenance(made),
        )
        return summarise(form)

    def _described(self, source: Description) -> Description:
        """A measure without its own paper or unit takes those of its source; a change needs a unit."""
        own = self.description
        scale = own if own.unit or own.smallest_change is not None else source
        return replace(
            own,
            paper=own.paper or source.paper,
            unit=own.unit or source.unit,
            scale=own.scale or ("" if own.unit else source.scale),
            smallest_change=scale.smallest_change,
            smallest_change_reason=scale.smallest_change_reason,
            corpus_paper=source.corpus_paper,
        )

    def _provenance(self, made: Result) -> Provenance:
        """The version is this measure's own; its source is among the options."""
        source = f"{made.measure} {made.provenance.measure_version}"
        options = {**made.provenance.options, "made_from": source}
        return replace(made.provenance, measure_version=self.description.version, options=options)


def derived_measure(
    name: str,
    *,
    version: int = 1,
    made_from: Sequence[str] = (),
    **words: Unpack[Words],
) -> Callable[[Callable[Arguments, Result]], DerivedMeasure[Arguments]]:
    """Make a function from a result to a result a measure of its own; ``words`` are those of :func:`measure`.

    ``made_from`` names the measures whose results it takes; any, if it is empty.
    """

    def decorate(function: Callable[Arguments, Result]) -> DerivedMeasure[Arguments]:
        stated = Description(name, version, made_from=tuple(made_from))
        return DerivedMeasure(function, described(function, stated, **words))

    return decorate


# Catalogue of built-in measures: what ``biascheck measures`` lists and the reference page is made from.

Described = Measure[Any, ...] | DerivedMeasure[...]


@dataclass(frozen=True)
class CatalogueEntry:
    """A measure and the functions that return it; the first defines it."""

    description: Description
    functions: tuple[Described, ...]


def catalogue() -> tuple[CatalogueEntry, ...]:
    """The measures of :mod:`biascheck.measures`, by name."""
    from biascheck import measures

    found: dict[str, list[Described]] = {}
    for name in measures.__all__:
        thing = getattr(measures, name)
        if isinstance(thing, Measure | DerivedMeasure):
            found.setdefault(thing.description.name, []).append(thing)
    return tuple(
        CatalogueEntry(functions[0].description, tuple(functions))
        for _, functions in sorted(found.items(), key=lambda entry: entry[0].casefold())
    )
