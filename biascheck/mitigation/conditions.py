"""Training conditions: treatments of the reviews before a classifier is trained (Jentzsch & Turan 2022, §2.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from biascheck.core.errors import UsageError
from biascheck.corpora.reviews import Reviews
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import GENDERS, TERM_NAMES, TermName, TermSet, gender_terms
from biascheck.mitigation.recipes import ClassifierRecipe

Treatment = Literal["original", "R", "mix"]
_NAME = re.compile(r"(R|mix)-(\w+)")


@dataclass(frozen=True, slots=True)
class Condition:
    """``original``; ``R-x``: the terms of set x are removed; ``mix-x``: every review in both versions.

    ``term_set`` replaces the built-in set x, for example by the maps of the paper (:func:`biascheck.corpora.as_coded`)
    or by your own set. The condition is then named after that set.
    """

    treatment: Treatment = "original"
    terms: TermName | None = None
    term_set: TermSet | None = None

    def __post_init__(self) -> None:
        if (self.treatment == "original") != (self.terms is None):
            raise UsageError("the original condition has no term set, and R and mix need one, as in R-all")
        if self.terms is None and self.term_set is not None:
            raise UsageError("the original condition has no term set; leave out term_set")

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
        if self.terms is None:
            return self.treatment
        return f"{self.treatment}-{self.terms if self.term_set is None else self.term_set.name}"

    def with_terms(self, sets: Mapping[TermName, TermSet]) -> Condition:
        """The same condition with the term set of this name in ``sets``; unchanged if there is none."""
        found = None if self.terms is None else sets.get(self.terms)
        return self if found is None else replace(self, term_set=found)

    def steps_kept(self, recipe: ClassifierRecipe) -> ClassifierRecipe:
        """The recipe with exactly as many steps as for the original: a mix is twice as large, a pass takes two epochs.

        The paper trained on the doubled set with twice the steps: pass the recipe unchanged for that.
        """
        return replace(recipe, parts=2 * recipe.parts) if self.treatment == "mix" else recipe

    def apply(self, source: Reviews) -> Reviews:
        """The reviews under this condition."""
        if self.terms is None:
            return source
        rewriter, name = _rewriter(self.term_set or gender_terms(self.terms)), f"{source.name}·{self}"
        if self.treatment == "R":
            return source.mapped(name, lambda text: (rewriter.remove(text),))
        return source.mapped(name, lambda text: (rewriter.to(text, gender) for gender in GENDERS))


ORIGINAL = Condition()


@lru_cache(maxsize=8)
def _rewriter(terms: TermSet) -> Rewriter:
    return Rewriter(terms)
