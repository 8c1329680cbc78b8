"""Questions with three answers, one of which is "unknown", as in BBQ (Parrish et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass, field

from biascheck.corpora.datasets.benchmarks.item_set import Labels
from biascheck.errors import CorpusError

__all__ = ["AMBIGUOUS", "DISAMBIGUATED", "Question", "question_flags"]

AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"


@dataclass(frozen=True)
class Question:
    """A context, a question about it, and three options by place: the unknown, the correct and the biased one.

    ``biased`` already accounts for the polarity of the question: it is the answer that follows the stereotype, the
    stereotyped person where the question is negative and the other one where it is not. Labels: ``condition``
    (ambiguous, disambiguated), ``category``, ``polarity`` and what the file adds.
    """

    id: str
    cluster: str
    context: str
    question: str
    options: tuple[str, str, str]
    unknown: int
    correct: int
    biased: int
    labels: Labels = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = (self.unknown, self.correct, self.biased)
        if len(self.options) != 3 or not all(0 <= place < 3 for place in places):
            raise CorpusError(f"question {self.id!r} needs three options, and places from 0 to 2, not {places}")
        if self.biased == self.unknown:
            raise CorpusError(f"question {self.id!r} has the biased answer at the place of the unknown one")

    @property
    def condition(self) -> str:
        """Whether the context tells the answer."""
        return str(self.labels["condition"])


def question_flags(item: Question) -> tuple[str, ...]:
    """Defects that a rule can find: an answer that contradicts the condition, two options alike, an empty text."""
    found = []
    if (item.condition == AMBIGUOUS) != (item.correct == item.unknown):
        found.append("the correct answer contradicts the condition")
    if len({option.strip().lower() for option in item.options}) < 3:
        found.append("two options have the same text")
    if not item.context.strip() or not item.question.strip():
        found.append("the context or the question is empty")
    return tuple(found)
