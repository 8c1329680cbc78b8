"""A search from its first block to its finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from biascheck.core.errors import UsageError
from biascheck.corpora.corpus import Pair
from biascheck.gates.search import Search, Version, WorstCase
from biascheck.measures.readability import readability_of
from biascheck.stats import Interval, wilson_interval
from biascheck.worst_cases.exploration import EXPLORED_AT_ONCE, DrawnExample, Exploration, Reader, Scored
from biascheck.worst_cases.invariants import Invariant, ScoreKind, invariant_of
from biascheck.worst_cases.memory import KnownCase, remembered_cases
from biascheck.worst_cases.programs import program_of, require_hypothesis
from biascheck.worst_cases.shrink import Cause, Shrinking, cause_of, drawn_block, need, shrunk_by_hypothesis
from biascheck.worst_cases.strategies import sample

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXAMPLES = 2_000
EXAMPLES_WITH_COMPANIONS = 10_000
"""Where one pass of the model serves several people: about as many sentences, in less time than the others take."""
MOST_CAUSES = 5
EFFORT = 3_000
LEVEL = 0.95
RANDOM_OF = 3
"""One of so many examples is drawn at random."""
CHECKED = 60
"""How many random examples show whether the model can read them."""
READ = ("association", "probability")
FOR_GROUPS = 20
"""How many examples show which groups a strategy has."""
REMEDY = "bring back what it needs, or remove its line"
PEOPLE = 16
"""About how many people each sentence is tried where that costs no pass of the model."""


def search_worst_cases(
    model: Any,
    strategy: SearchStrategy[Pair],
    bound: float,
    *,
    of: ScoreKind | None = None,
    examples: int | None = None,
    causes: int = MOST_CAUSES,
    effort: int = EFFORT,
    seed: int = 0,
    reason: str = "",
    check_readability: bool = True,
) -> Search:
    """Search for examples whose versions are further apart than ``bound``; see :func:`assert_invariant`."""
    require_hypothesis()
    if examples is not None and (not isinstance(examples, int) or examples < 1):
        raise UsageError(f"examples={examples!r}; a search needs at least one example")
    invariant = invariant_of(model, of)
    searching = _Searching(invariant, strategy, bound, examples, causes, effort, seed, reason)
    return searching.finding(check_readability=check_readability)


@dataclass
class _Found:
    """A case with what explains others like it."""

    case: WorstCase
    cause: Cause


class _Searching:
    """One search in its three parts: remembered cases, examples in blocks, and the shrinking of each cause."""

    def __init__(
        self,
        invariant: Invariant,
        strategy: Any,
        bound: float,
        examples: int | None,
        most_causes: int,
        effort: int,
        seed: int,
        reason: str,
    ) -> None:
        self._invariant = invariant
        self._strategy = strategy
        self._program = program_of(strategy)
        self._name = self._program.name if self._program else _shown(strategy)
        self._bound = bound
        self._most_causes = most_causes
        self._effort = effort
        self._seed = seed
        self._reason = reason
        self._reader = Reader(invariant)
        people = PEOPLE if invariant.hides_people else 1
        place = f"{seed}/{self._name}/{invariant.figure}"
        self._exploration = Exploration(self._program, place, people) if self._program else None
        together = self._exploration is not None and self._exploration.has_companions
        self._examples = examples or (EXAMPLES_WITH_COMPANIONS if together else EXAMPLES)
        self._random: list[Scored] = []
        self._all: list[Scored] = []
        self._not_tried: list[str] = []
        self._elsewhere: list[str] = []

    def finding(self, *, check_readability: bool) -> Search:
        """Search, shrink the findings, and report; or report that the model cannot read the examples."""
        if check_readability and (inability := self._inability()):
            return replace(self._search((), (), 0, 0), inability=inability)
        remembered = self._remembered()
        self._explore()
        found = [one for one in remembered if one.case.exceeds]
        found += self._new_causes(found)
        failing = [one for one in self._all if self._fails(one)]
        left = sum(not any(one.cause.explains(scored) for one in found) for scored in failing)
        cases = sorted((one.case for one in found), key=lambda case: -case.gap)
        mended = tuple(one.case for one in remembered if not one.case.exceeds)
        whole = self._search(tuple(cases), mended, left, len(remembered))
        return replace(whole, not_tried=tuple(self._not_tried), elsewhere=tuple(self._elsewhere))

    def _search(
        self, cases: tuple[WorstCase, ...], mended: tuple[WorstCase, ...], left: int, remembered: int
    ) -> Search:
        above = sum(map(self._fails, self._random))
        gaps = [one.gap for one in self._all] + [case.gap for case in (*cases, *mended)]
        return Search(
            model=str(self._invariant.model.name),
            fingerprint=str(self._invariant.model.fingerprint),
            strategy=self._name,
            figure=self._invariant.figure,
            unit=self._invariant.unit,
            bound=self._bound,
            seed=self._seed,
            examples=len(self._all) + remembered,
            random=len(self._random),
            above=above,
            share=_share(above, len(self._random)),
            largest=max(gaps, default=0.0),
            cases=cases,
            mended=mended,
            unexplained=left,
            refused=self._reader.refused,
            refusal=self._reader.refusal,
            reason=self._reason,
        )

    def _inability(self) -> str:
        """The failed readability check on examples like these; only language models are checked."""
        if self._invariant.figure not in READ:
            return ""
        model = self._invariant.model
        found = readability_of("reading", model, sample(self._strategy, CHECKED, seed=self._seed), seed=self._seed)
        return "" if found is None else found.inability(str(model.name))

    def _fails(self, scored: Scored) -> bool:
        return scored.gap > self._bound

    def _remembered(self) -> list[_Found]:
        memory = remembered_cases(self._invariant.figure, self._name)
        self._elsewhere += memory.elsewhere
        by_groups: dict[tuple[str, ...], list[KnownCase]] = {}  # only what has the same groups is read together
        for one in self._triable(memory.cases):
            by_groups.setdefault(tuple(one.pair.sentences), []).append(one)
        found = []
        for known in by_groups.values():
            for one, new in zip(known, self._reader.read([DrawnExample(one.pair) for one in known]), strict=True):
                if new is None:
                    self._note_unread(one)
                else:
                    found.append(_Found(self._known_case(one, new), _cause_in_memory(one, new)))
        return found

    def _triable(self, cases: Sequence[KnownCase]) -> list[KnownCase]:
        """The cases that this strategy and figure can try; the others are noted."""
        if not cases:
            return []
        drawn = sample(self._strategy, FOR_GROUPS, seed=self._seed)
        groups = list(dict.fromkeys(group for pair in drawn for group in pair.sentences))
        obstacles = [self._obstacle(one, groups) for one in cases]
        self._not_tried += [
            one.not_tried(f"{obstacle}; {REMEDY}") for one, obstacle in zip(cases, obstacles, strict=True) if obstacle
        ]
        return [one for one, obstacle in zip(cases, obstacles, strict=True) if not obstacle]

    def _obstacle(self, one: KnownCase, groups: Sequence[str]) -> str:
        """Why a case cannot be tried, if it cannot."""
        if unknown := [group for group in one.pair.sentences if group not in groups]:
            return f"the strategy has no group {unknown[0]!r}, only {', '.join(groups)}"
        unmarked = any(sentence.attribute is None for sentence in one.pair.sentences.values())
        if unmarked and self._invariant.figure == "association":
            return "it marks no attribute, which an association needs"
        return ""

    def _note_unread(self, one: KnownCase) -> None:
        """A case without a figure: the model on which it was found had one, another may never have."""
        reason = self._reader.reason_of(DrawnExample(one.pair))
        if one.model == str(self._invariant.model.name):
            self._not_tried.append(one.not_tried(f"it has no figure any more, {reason}; {REMEDY}"))
        else:
            self._elsewhere.append(one.not_tried(f"it has no figure on this model, {reason}; {REMEDY}"))

    def _known_case(self, one: KnownCase, scored: Scored) -> WorstCase:
        elsewhere = one.model if one.model != str(self._invariant.model.name) else ""
        return replace(self._case(scored, one.cause, one.shrunk_from), before=one.gap, model_before=elsewhere)

    def _explore(self) -> None:
        """A third of the examples at random, the rest guided; of a strategy that is not ours, all at random."""
        for start in range(0, self._examples, EXPLORED_AT_ONCE):
            block = self._block(start, min(start + EXPLORED_AT_ONCE, self._examples))
            scored = [one for one in self._reader.read(block) if one is not None]
            self._reader.count_refused(block)
            self._random += [one for one in scored if one.drawn.at_random]
            self._all += scored

    def _block(self, start: int, end: int) -> list[DrawnExample]:
        if self._exploration is None:
            return drawn_block(self._strategy, end - start, self._seed + start)
        at_random = -(-self._examples // RANDOM_OF)
        drawn = self._exploration.random(max(0, min(end, at_random) - start))
        return drawn + self._exploration.guided(end - start - len(drawn), self._all, bound=self._bound)

    def _new_causes(self, known: Sequence[_Found]) -> list[_Found]:
        """Shrink the worst failing example that nothing explains yet, until there are enough or no more."""
        found: list[_Found] = []
        shrunk: set[tuple[str, ...]] = set()  # what was shrunk to other words is not explained by them, and is done
        while len(found) < self._most_causes:
            explained = [one.cause for one in (*known, *found)]
            failing = [one for one in self._all if self._fails(one) and one.drawn.key not in shrunk]
            open_ones = [one for one in failing if not any(cause.explains(one) for cause in explained)]
            if not open_ones:
                break
            worst = max(open_ones, key=lambda one: (one.gap, [-size for size in one.drawn.size[:3]]))
            shrunk.add(worst.drawn.key)
            found.append(self._shrunk(worst, explained))
        return found

    def _shrunk(self, worst: Scored, explained: Sequence[Cause]) -> _Found:
        """The smallest example of the cause of a failing one: a cause that is known already does not count."""

        def fails(scored: Scored) -> bool:
            return (
                self._fails(scored)
                and scored.direction == worst.direction
                and not any(cause.explains(scored) for cause in explained)
            )

        if self._program is None:
            small = shrunk_by_hypothesis(self._strategy, self._reader, fails, worst, self._seed)
            cause = Cause((need("attribute", small.drawn.pair.attribute),), small.direction)
        else:
            assert self._exploration is not None
            shrinking = Shrinking(self._program, self._reader, fails, self._effort)
            small = shrinking.smallest(worst)
            cause = cause_of(small, self._program, self._reader, fails)
            words = sorted({word for one in cause.needs if one.is_word for word in one.words})
            rebuilt = shrinking.rebuilt(small, words, self._exploration.values)
            if rebuilt is not small:
                small, cause = rebuilt, cause_of(rebuilt, self._program, self._reader, fails)
        case = self._case(small, tuple(one.shown for one in cause.needs), worst.drawn.length)
        return _Found(replace(case, found_in=worst.drawn.key[0], found_gap=worst.gap), cause)

    def _case(self, scored: Scored, cause: tuple[str, ...], shrunk_from: int) -> WorstCase:
        return _case(scored, self._bound, cause, shrunk_from)


def one_checked(invariant: Invariant, scored: Scored, bound: float, reason: str) -> Search:
    """One example that a test drew for itself, as a search of one."""
    case = _case(scored, bound, (), scored.drawn.length)
    is_persistent = getattr(
        invariant.model, "is_persistent", True
    )  # a plain function has another fingerprint at every check
    return Search(
        model=str(invariant.model.name),
        fingerprint=str(invariant.model.fingerprint) if is_persistent else "",
        strategy="examples of a test",
        figure=invariant.figure,
        unit=invariant.unit,
        bound=bound,
        seed=0,
        examples=1,
        random=0,
        above=0,
        share=None,
        largest=scored.gap,
        cases=(case,) if case.exceeds else (),
        reason=reason,
        one_by_one=True,
    )


def _case(scored: Scored, bound: float, cause: tuple[str, ...], shrunk_from: int) -> WorstCase:
    pair = scored.drawn.pair
    return WorstCase(
        versions=_versions(scored),
        gap=scored.gap,
        exceeds=scored.gap > bound,
        attribute=pair.attribute,
        cause=cause,
        labels=dict(pair.labels),
        words=scored.drawn.length,
        shrunk_from=shrunk_from,
    )


def _versions(scored: Scored) -> tuple[Version, ...]:
    return tuple(
        Version(
            group,
            one.text,
            scored.reading.figures[group],
            (one.target.start, one.target.end),
            None if one.attribute is None else (one.attribute.start, one.attribute.end),
            tuple((span.start, span.end) for span in one.others),
        )
        for group, one in scored.drawn.pair.sentences.items()
    )


def _cause_in_memory(one: KnownCase, scored: Scored) -> Cause:
    return Cause(tuple(need("", text) for text in one.cause), scored.direction)


def _share(above: int, n: int) -> Interval | None:
    """Wilson's interval; where none is above, the rule of three: with 3/n or more, none would be rare (5 %)."""
    if not n:
        return None
    return (
        wilson_interval(above / n, n, level=LEVEL) if above else Interval(0.0, min(1.0, 3 / n), LEVEL, "rule of three")
    )


def _shown(strategy: object) -> str:
    return " ".join(repr(strategy).split())[:80]
