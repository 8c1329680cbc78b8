"""The verdict of a search for worst cases: what was found, or that none was found in so many examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from biascheck.core.wording import format_number, pluralize, shortened, signed
from biascheck.stats import Interval

MOST_REFUSED = 0.2
"""The largest share of examples without a score; beyond it, a search that found nothing has not passed."""
LONGEST = 200
Place = tuple[int, int]


class SearchVerdict(StrEnum):
    """The verdict of a search."""

    FOUND = "found"
    INVALID = "invalid"
    NONE_FOUND = "none found"
    NOT_SEARCHED = "not searched"


@dataclass(frozen=True)
class Version:
    """One group's version of an example: its text, the places of its words, and its figure."""

    group: str
    text: str
    figure: float | str
    target: Place
    attribute: Place | None = None
    others: tuple[Place, ...] = ()

    def __str__(self) -> str:
        return f"‘{shortened(self.text, LONGEST)}’ {self.shown}"

    @property
    def shown(self) -> str:
        """The figure as it is written."""
        return self.figure if isinstance(self.figure, str) else format_number(self.figure)


@dataclass(frozen=True)
class WorstCase:
    """The smallest example of one cause that exceeds the bound, or one from the memory that once did.

    ``cause`` are the words without which it does not exceed the bound. ``shrunk_from`` is the length in words of the
    example in which it was found, ``found_in`` its first version and ``found_gap`` its gap. ``before`` is
    its gap when it was first found, in an earlier run, and ``model_before`` on which model that was.
    """

    versions: tuple[Version, ...]
    gap: float
    exceeds: bool
    attribute: str = ""
    cause: tuple[str, ...] = ()
    labels: Mapping[str, str | float] = field(default_factory=dict)
    words: int = 0
    shrunk_from: int = 0
    found_in: str = ""
    found_gap: float = 0.0
    before: float | None = None
    model_before: str = ""

    @property
    def extremes(self) -> tuple[Version, Version]:
        """The two versions that are furthest apart, the lower one first."""
        if any(isinstance(one.figure, str) for one in self.versions):
            other = next((one for one in self.versions if one.figure != self.versions[0].figure), self.versions[1])
            return self.versions[0], other
        ordered = sorted(self.versions, key=lambda one: float(one.figure))
        return ordered[0], ordered[-1]

    @property
    def gap_text(self) -> str:
        """The gap as it is written."""
        return format_number(self.gap)

    @property
    def both(self) -> str:
        """The two versions with their figures."""
        return ", ".join(map(str, self.extremes))

    @property
    def change(self) -> str:
        """The change since it was first found: "0.47 → 0.31 (−0.16)", or "new"."""
        if self.before is None:
            return "new"
        elsewhere = f", on {self.model_before} then" if self.model_before else ""
        return f"{format_number(self.before)} → {format_number(self.gap)} ({signed(self.gap - self.before)}{elsewhere})"

    @property
    def reason(self) -> str:
        """Its cause in words."""
        return " + ".join(self.cause) if self.cause else "any sentence"


@dataclass(frozen=True)
class Search:
    """One search: its figure, model and sentences, and its outcome.

    ``random`` examples were drawn at random, and ``above`` of them exceed the bound; ``share`` is the interval for
    that share. ``examples`` counts all that were tried, guided and remembered ones too, without those of shrinking.
    ``mended`` are remembered cases that no longer exceed the bound, ``unexplained`` counts failing examples that none
    of the cases explains. ``one_by_one`` says that a user's own test drew the examples and checked each.
    ``inability`` is the failed readability check of the model: then nothing was searched. ``not_tried`` names
    remembered cases that should have been tried and could not be: the search has not passed. ``elsewhere`` names those
    of other searches and models.
    """

    model: str
    fingerprint: str
    strategy: str
    figure: str
    unit: str
    bound: float
    seed: int
    examples: int
    random: int
    above: int
    share: Interval | None
    largest: float
    cases: tuple[WorstCase, ...] = ()
    mended: tuple[WorstCase, ...] = ()
    unexplained: int = 0
    refused: int = 0
    refusal: str = ""
    reason: str = ""
    test: str = ""
    one_by_one: bool = False
    inability: str = ""
    not_tried: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def followed_by(self, later: Search) -> Search | None:
        """Both as one search, if they check single examples of one test in the same way; the later case is smaller."""
        if not (self.one_by_one and later.one_by_one) or self._checked != later._checked:
            return None
        return replace(
            later,
            examples=self.examples + later.examples,
            largest=max(self.largest, later.largest),
            cases=later.cases or self.cases,
        )

    @property
    def _checked(self) -> tuple[object, ...]:
        return self.test, self.model, self.fingerprint, self.figure, self.bound, self.reason

    @property
    def title(self) -> str:
        """The title: "worst cases of the rating on distil × sentences by gender"."""
        return f"worst cases of the {self.figure} on {self.model} × {self.strategy}"

    @property
    def verdict(self) -> SearchVerdict:
        """Found, none found, or, where too few examples could be scored, not searched."""
        if self.inability:
            return SearchVerdict.INVALID
        if self.cases:
            return SearchVerdict.FOUND
        if self.not_tried:
            return SearchVerdict.NOT_SEARCHED
        total = self.examples + self.refused
        return (
            SearchVerdict.NONE_FOUND if self.refused <= MOST_REFUSED * total and total else SearchVerdict.NOT_SEARCHED
        )

    @property
    def passed(self) -> bool:
        """Whether none was found in enough examples."""
        return self.verdict is SearchVerdict.NONE_FOUND

    @property
    def allowed(self) -> str:
        """The bound in brief."""
        return f"≤ {format_number(self.bound)}" if self.bound else "no change"

    @property
    def measured(self) -> str:
        """The largest gap that was seen."""
        return f"largest gap {format_number(self.largest)}"

    @property
    def share_text(self) -> str:
        """The share of random examples that exceed the bound, with its interval."""
        if self.one_by_one:
            return "drawn by the test itself"
        if self.share is None:
            return "no example was drawn at random"
        if not self.above:
            most = _per_cent(self.share.high)
            return f"0 of {self.random:,} random ones exceed it (at most {most}, by the rule of three)"
        ends = f"{_per_cent(self.share.low)} to {_per_cent(self.share.high)}"
        return (
            f"{self.above:,} of {self.random:,} random ones exceed it ({_per_cent(self.above / self.random)}, {ends})"
        )

    @property
    def scope(self) -> str:
        """The scope of the conclusion: the share among random examples, and the seed."""
        return f"{self.share_text}; a search" + ("" if self.one_by_one else f", seed {self.seed}")

    @property
    def finding(self) -> str:
        """The search in one paragraph; the worst case first."""
        if self.inability:
            return f"{self.title}: invalid: {self.inability}"
        return "; ".join((f"{self.title}: {self._found()}", self.scope, *self.memory_notes))

    @property
    def memory_notes(self) -> tuple[str, ...]:
        """The remembered cases that were not tried, each with what to do about it."""
        own = () if self.verdict is SearchVerdict.NOT_SEARCHED else self.not_tried
        return tuple(f"not tried here: {said}" for said in (*own, *self.elsewhere))

    def _found(self) -> str:
        if self.not_tried and not self.cases:
            listed = "; ".join(self.not_tried)
            return f"{pluralize(len(self.not_tried), 'remembered case')} could not be tried: {listed}"
        if self.verdict is SearchVerdict.NOT_SEARCHED:
            total = self.examples + self.refused
            return f"not searched: {self.refused:,} of {total:,} examples have no figure, e.g. {self.refusal}"
        if not self.cases:
            mended = f", {pluralize(len(self.mended), 'remembered case')} no longer exceed" if self.mended else ""
            allowed = format_number(self.bound)
            return f"none found in {self.examples:,} examples: {self.measured}, allowed {allowed}{mended}"
        return " | ".join(map(self.sentence, self.cases)) + self._rest()

    def _rest(self) -> str:
        return f" | {pluralize(self.unexplained, 'further example')} of other causes" if self.unexplained else ""

    def sentence(self, case: WorstCase) -> str:
        """One case: both versions with their figures, the gap, the allowed gap, and the length before shrinking."""
        allowed = (
            f"gap {format_number(case.gap)}, allowed {format_number(self.bound)}" if self.bound else "the answer flips"
        )
        came = f"shrunk from {case.shrunk_from} words" if case.shrunk_from > case.words else ""
        if came and self.bound and case.found_gap > case.gap:
            came += f" with a gap of {format_number(case.found_gap)}"
        known = f"remembered, {case.change}" if case.before is not None else ""
        return f"{case.both}: {'; '.join(filter(None, (allowed, came, known)))} [{case.reason}]"


def tally_of_searches(searches: Iterable[Search]) -> str:
    """Count the verdicts, the worst first: "1 found, 2 none found"."""
    counts = Counter(one.verdict for one in searches)
    return ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in SearchVerdict if counts[verdict])


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
