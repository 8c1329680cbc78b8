"""The identity of a result. Joining, deduplicating, caching, comparing and updating results all use this value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

Label = str | int | float
Slice = tuple[tuple[str, Label], ...]
"""The labels that select a part of a corpus, in the order of their names."""


@dataclass(frozen=True, slots=True)
class ResultKey:
    """The identity of a measurement: the measure and its options, the model and its treatment, the corpus and its part.

    ``model`` and ``corpus`` are fingerprints, ``treatment`` what was done to the model (a recipe, a condition,
    ``online``), ``options`` the options of the measure as canonical JSON. Two results with equal keys are the same
    measurement; two results that merely look alike keep two keys.
    """

    measure: str
    version: int
    statistic: str
    model: str
    treatment: tuple[str, ...]
    corpus: str
    slice: Slice
    contrast: tuple[str, str]
    options: str

    @property
    def digest(self) -> str:
        """One digest of all fields."""
        facts = [getattr(self, name) for name in self.__slots__]
        return hashlib.sha256(canonical(facts).encode()).hexdigest()

    @property
    def question(self) -> tuple[object, ...]:
        """The key without the model: what a result shares with its entry in a baseline.

        The seed and the version of the measure are left out, so that a result that differs only in them is found and
        rejected with that reason.
        """
        asked = {name: value for name, value in json.loads(self.options).items() if name != "seed"}
        return self.measure, self.statistic, self.treatment, self.corpus, self.slice, self.contrast, canonical(asked)


def canonical(value: object) -> str:
    """Plain values as JSON text that is equal for equal values; anything else is a TypeError or ValueError."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False)


def sliced(slice_: Slice, labels: Mapping[str, Label]) -> Slice:
    """The part of a part: both selections combined."""
    return tuple(sorted({**dict(slice_), **labels}.items()))


def model_label(model: str, treatment: tuple[str, ...]) -> str:
    """The model and its treatment: "bert·mix-all". Labels are rendered from identities and never parsed."""
    return "·".join([model, *treatment])


def corpus_label(corpus: str, slice_: Slice, contrast: tuple[str, str] | None = None) -> str:
    """The corpus, its part, and the contrasted groups if they are not obvious."""
    parts = [f"{label}={value}" for label, value in slice_]
    if contrast is not None:
        first, second = contrast
        parts.append(f"{first}–{second}" if second else f"{first} only")
    return f"{corpus} ({', '.join(parts)})" if parts else corpus
