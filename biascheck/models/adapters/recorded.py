"""Answers given before, by this or another program, judged by the same code as a model's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import isfinite

from biascheck.errors import UsageError
from biascheck.models.scoring.queries import Refusal

__all__ = ["RecordedScores"]


class RecordedScores:
    """A number for every item: a score, or the place of the option that was chosen.

    ``scores`` are by the id that a measure asks for: of a sentence (StereoSet: the sentence's id; pairs: the pair's id
    followed by ``/more`` or ``/less``), of a question (the place of the chosen option, from 0), of a decision
    (ln P(yes) − ln P(no)). A text instead of a number says why there is no score: it is counted under that reason.
    """

    def __init__(self, name: str, scores: Mapping[str, float | str], *, about: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.about = dict(about or {"architecture": "recorded answers"})
        self._scores = dict(scores)
        if not self._scores:
            raise UsageError(f"{name}: there is no recorded answer at all; missing data never passes")
        for id_, value in self._scores.items():
            if not isinstance(value, str) and not isfinite(value):
                raise UsageError(f"{name}: the score of {id_!r} is {value}; give a finite number, or a reason as text")

    def __repr__(self) -> str:
        return f"RecordedScores({self.name!r}, {len(self._scores)} answers)"

    @property
    def fingerprint(self) -> str:
        """A digest of all answers."""
        return hashlib.sha256(json.dumps(sorted(self._scores.items())).encode()).hexdigest()

    def recorded(self, ids: Sequence[str]) -> list[float | Refusal]:
        """The number recorded under each id in order, or why there is none."""
        return [self._found(id_) for id_ in ids]

    def _found(self, id_: str) -> float | Refusal:
        value = self._scores.get(id_, "nothing is recorded for this item")
        return Refusal(value) if isinstance(value, str) else float(value)
