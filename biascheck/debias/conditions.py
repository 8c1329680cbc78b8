"""What is done to the reviews before a classifier is trained on them (Jentzsch & Turan 2022, §2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from biascheck.corpora.datasets.reviews import Reviews
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import GENDERS, TERM_NAMES, TermName, gender_terms
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.errors import UsageError

__all__ = ["ORIGINAL", "Condition"]

Treatment = Literal["original", "R", "mix"]
_NAME = re.compile(r"(R|mix)-(\w+)")


@dataclass(frozen=True, slots=True)
class Condition:
    """``original``; ``R-x``: the terms of set x are removed; ``mix-x``: every review in both versions."""

    treatment: Treatment = "original"
    terms: TermName | None = None

    def __post_init__(self) -> None:
        if (self.treatment == "original") != (self.terms is None):
            raise UsageError("the original condition has no term set, and R and mix need one, as in R-all")

    @classmethod
    def named(cls, name: str) -> Condition:
        """Read a name such as "original", "R-pro" or "mix-all"."""
        if name == "original":
            return cls()
        match = _NAME.fullmatch(name)
        if match is None or match[2] not in TERM_NAMES:
            raise UsageError(
                f"no condition {name!r}; there are original, R-x and mix-x with x one of {', '.join(TERM_NAMES)}"
            )
        return cls(match[1], match[2])  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.treatment if self.terms is None else f"{self.treatment}-{self.terms}"

    def steps_kept(self, recipe: ClassifierRecipe) -> ClassifierRecipe:
        """The recipe with as many steps as in the original: in a mix every review stands twice, for half the epochs."""
        return replace(recipe, epochs=max(1, recipe.epochs // 2)) if self.treatment == "mix" else recipe

    def apply(self, source: Reviews) -> Reviews:
        """The reviews under this condition."""
        if self.terms is None:
            return source
        rewriter, name = _rewriter(self.terms), f"{source.name}·{self}"
        if self.treatment == "R":
            return source.mapped(name, lambda text: (rewriter.remove(text),))
        return source.mapped(name, lambda text: (rewriter.to(text, gender) for gender in GENDERS))


ORIGINAL = Condition()


@cache
def _rewriter(terms: TermName) -> Rewriter:
    return Rewriter(gender_terms(terms))
