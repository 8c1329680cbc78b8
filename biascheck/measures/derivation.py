"""Measures that are made from the result of another one, without another pass over the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import update_wrapper
from typing import Generic, ParamSpec, Unpack

from biascheck.errors import UsageError
from biascheck.measures.declared_words import Words, described
from biascheck.models.capabilities import require_capability
from biascheck.results.description import Description
from biascheck.results.result import Provenance, Result
from biascheck.results.summaries import summarise

__all__ = ["DerivedMeasure", "derived_measure"]

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
        # what measured a model may have called its twin that takes a result
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
        """A measure that names no paper or unit of its own has those of its source; a change counts in a unit."""
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
        """The version is this measure's own; what it was made from is among the options."""
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
