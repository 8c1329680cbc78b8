"""What makes a function a measure: a name, a version, provenance, and a place in the cache."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, wraps
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.errors import UsageError
from biascheck.models.capabilities import Model
from biascheck.results import summaries
from biascheck.results.result import Provenance, Result
from biascheck.results.storage import SCHEMA, result_from_dict, result_to_dict

__all__ = ["Material", "measure"]


class Material(Protocol):
    """What a measure is taken on: a corpus, a lexicon, a table of stimuli. The fingerprint tells two apart."""

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
Source = TypeVar("Source", bound=Material)
LIBRARIES = ("pytest-biascheck", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")


def measure(
    name: str, *, version: int
) -> Callable[
    [Callable[Concatenate[Any, Source, Options], Result]], Callable[Concatenate[Any, Source, Options], Result]
]:
    """Give a ``(model, corpus, **options) -> Result`` function provenance and caching.

    Raise ``version`` whenever the same inputs give another figure: it is part of the cache key.
    """

    def decorate(
        function: Callable[Concatenate[Any, Source, Options], Result],
    ) -> Callable[Concatenate[Any, Source, Options], Result]:
        signature = inspect.signature(function)

        @wraps(function)
        def measured(model: Any, corpus: Source, /, *args: Options.args, **kwargs: Options.kwargs) -> Result:
            bound = signature.bind(model, corpus, *args, **kwargs)
            bound.apply_defaults()
            options = dict(list(bound.arguments.items())[2:])
            provenance = _provenance(version, model, corpus, options)

            def compute() -> dict[str, Any]:
                drafted = function(model, corpus, *args, **kwargs)
                # asked after measuring: a model that is loaded late can describe itself by then
                about = replace(provenance, model=dict(getattr(model, "about", {})))
                return result_to_dict(replace(drafted, measure=name, provenance=about))

            cache = active_cache()
            key = _key(name, provenance)
            result = result_from_dict(compute() if cache is None else cache.fetch(key, compute))
            treatment = tuple(getattr(model, "treatment", ()))
            return replace(result, model=model.name, corpus=corpus.name, treatment=treatment)

        return measured

    return decorate


def _key(name: str, provenance: Provenance) -> str:
    facts = [
        SCHEMA,
        summaries.VERSION,
        name,
        provenance.measure_version,
        provenance.model_fingerprint,
        provenance.corpus_fingerprint,
    ]
    try:
        return digest_of([*facts, provenance.options])
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"measure {name!r} has an option that is no plain value ({error}); options are numbers, strings, or lists "
            "and dicts of these, so that a result can be stored with them and found again"
        ) from error


def _provenance(measure_version: int, model: Model, corpus: Material, options: Mapping[str, Any]) -> Provenance:
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
