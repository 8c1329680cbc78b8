"""A choice among options: which of several continuations a model prefers after the same context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, isfinite, isnan
from typing import TYPE_CHECKING, Literal

from biascheck.errors import ScoreError, UsageError
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Refusal

if TYPE_CHECKING:
    from biascheck.models.capabilities import ContinuationModel

__all__ = ["Choice", "ChoiceQuery", "LengthRule", "choose"]

LengthRule = Literal["whole", "per token"]
"""Whether options are compared by ln P of the whole option, or by its mean for a token: long options lose by the first
and may win by the second."""


@dataclass(frozen=True, slots=True)
class ChoiceQuery:
    """Which of these options is the most probable continuation of the context?"""

    context: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.options) < 2 or len(set(self.options)) < len(self.options):
            raise UsageError(f"a choice needs two or more different options, not {list(self.options)}")


@dataclass(frozen=True, slots=True)
class Choice:
    """ln P of each option after the context, its tokens, and its share of the probability of all options."""

    log_probabilities: tuple[float, ...]
    tokens: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def best(self) -> int | None:
        """The option with the largest share; ``None`` where several share first place."""
        top = max(self.shares)
        found = [index for index, share in enumerate(self.shares) if share == top]
        return found[0] if len(found) == 1 else None


def choose(
    model: ContinuationModel, queries: Sequence[ChoiceQuery], *, length: LengthRule = "whole"
) -> list[Choice | Refusal]:
    """Normalise over the options of each query: ``share = exp(s) / Σ exp(s)``, with s by ``length``.

    All options of all queries are one call, so that they are one plan, or one for each chunk of very many. A query of
    which one option has no answer has none. The options should all begin where a word begins: one that merges with the
    last word of the context is scored with that word, and its share is then not comparable to the others'.
    """
    asked = (ContinuationQuery(query.context, option) for query in queries for option in query.options)
    answers = asked_in_chunks(model.continuations, asked)
    return [_chosen([next(answers) for _ in query.options], length) for query in queries]


def _chosen(answers: Sequence[Answer | Refusal], length: LengthRule) -> Choice | Refusal:
    given: list[Answer] = []
    for answer in answers:
        if isinstance(answer, Refusal):
            return answer
        given.append(answer)
    logs = tuple(answer.log_probability for answer in given)
    scores = [log / answer.pieces if length == "per token" else log for log, answer in zip(logs, given, strict=True)]
    top = max(scores)
    if not isfinite(top) or any(map(isnan, logs)):
        raise ScoreError(f"log-probabilities {list(logs)} of the options cannot be compared; the model is damaged")
    weights = [exp(score - top) for score in scores]
    total = fsum(weights)
    return Choice(logs, tuple(answer.pieces for answer in given), tuple(weight / total for weight in weights))
