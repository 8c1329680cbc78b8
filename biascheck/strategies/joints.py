"""How the clauses of a sentence are joined: by addition, reason, contrast or time, and by none of these twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from biascheck.strategies.verb_phrases import VerbPhrase

__all__ = ["AFTER_WHETHER", "IN_A_QUESTION", "IN_A_STATEMENT", "Joint"]

Relation = Literal["addition", "reason", "contrast", "time"]


@dataclass(frozen=True)
class Joint:
    """What comes between two clauses, and how it relates them."""

    text: str
    relation: Relation

    @property
    def name(self) -> str:
        """Its words alone: "and", "because"."""
        return self.text.removesuffix(" {he}").strip(" ,")

    def fits(self, before: VerbPhrase, phrase: VerbPhrase, time: str) -> bool:
        """Whether it can join a phrase to the one before, in a sentence with that time.

        Only events have an order in time. "When she was kind" says no time, "shy when he was lazy" hardly one, and
        "rich back then before …" says it twice. "Was kind and was strict" wants a pronoun.
        """
        if self.relation != "time":
            return not (self.text == " and" and before.base == phrase.base == "be")
        if self.name == "when":
            ordered = phrase.aspect != "trait" and not (before.is_state and phrase.is_state)
        else:
            ordered = not phrase.is_state and not time.startswith(self.name)
        return ordered and not (before.is_state and time)


AND = Joint(" and", "addition")
BECAUSE = Joint(" because {he}", "reason")
WHEN = Joint(" when {he}", "time")
BEFORE = Joint(" before {he}", "time")
AFTER = Joint(" after {he}", "time")
IN_A_STATEMENT = (
    AND,
    BECAUSE,
    Joint(", and {he}", "addition"),
    Joint(", but {he}", "contrast"),
    Joint(" although {he}", "contrast"),
    BEFORE,
    AFTER,
)
AFTER_WHETHER = (AND, BECAUSE, WHEN, BEFORE, AFTER)
IN_A_QUESTION = (BECAUSE, WHEN, BEFORE, AFTER)
