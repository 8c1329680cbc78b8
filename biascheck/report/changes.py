"""The table of comparisons: one row each, grouped by measure, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.core.wording import CANNOT_DO_TASK, INCONCLUSIVE, NOT_COMPARABLE, level_text, signed
from biascheck.report.charts import BeforeAfter as ChartChange, change_chart, interval_chart, interval_scale
from biascheck.report.drawings import TextTable, table_of
from biascheck.report.svg import Scale
from biascheck.results.compare import Comparison
from biascheck.stats import Change

CHANGE_ORDER = (Change.REGRESSED, Change.INVALID, Change.INCONCLUSIVE, Change.NO_WORSE, Change.IMPROVED)
BLOCKS: tuple[tuple[str, str, tuple[Change, ...]], ...] = (
    ("regressed", "Worse than before", (Change.REGRESSED,)),
    ("invalid", f"{NOT_COMPARABLE}: {CANNOT_DO_TASK}", (Change.INVALID,)),
    ("undecided", INCONCLUSIVE, (Change.INCONCLUSIVE,)),
    ("no-worse", "No worse, or better", (Change.NO_WORSE, Change.IMPROVED)),
)
FEW_CHANGES = 6
MOST_MOVES = 30
MOST_UNMATCHED = 10


@dataclass(frozen=True)
class ChangeRow:
    """One comparison in words and as drawings."""

    number: int
    verdict: str
    measure: str
    corpus: str
    contrast: str
    models: str
    figures: str
    change: str
    level: str
    chart: Markup
    tolerance: str
    moved: str
    size: str
    moves: Markup | None
    moves_note: str
    table: TextTable
    unmatched: tuple[str, ...]
    unmatched_hidden: int
    warnings: tuple[str, ...]
    test: str


@dataclass(frozen=True)
class ChangeGroup:
    """The comparisons of one measure, drawn on one scale."""

    measure: str
    unit: str
    rows: tuple[ChangeRow, ...]


@dataclass(frozen=True)
class ChangeBlock:
    """The comparisons with one kind of verdict; a long list of those that are no worse is folded."""

    state: str
    title: str
    count: int
    folded: bool
    groups: tuple[ChangeGroup, ...]


@dataclass(frozen=True)
class ChangeTable:
    """All comparisons, and how many there are of each verdict."""

    blocks: tuple[ChangeBlock, ...]
    tally: tuple[tuple[str, int], ...]
    several_models: bool
    count: int


def numbered(comparisons: Sequence[Comparison]) -> list[tuple[int, Comparison]]:
    """The comparisons in the order of the table, each with the number of its place."""
    return list(enumerate(sorted(comparisons, key=_rank), start=1))


def change_table(comparisons: Sequence[Comparison]) -> ChangeTable:
    """Lay out all comparisons, the worst first."""
    entries = numbered(comparisons)
    counts = Counter(one.verdict for one in comparisons)
    blocks = [_block(state, title, verdicts, entries) for state, title, verdicts in BLOCKS]
    return ChangeTable(
        blocks=tuple(block for block in blocks if block.count),
        tally=tuple((str(verdict), counts[verdict]) for verdict in CHANGE_ORDER if counts[verdict]),
        several_models=len({one.models for one in comparisons}) > 1,
        count=len(comparisons),
    )


def _block(
    state: str, title: str, verdicts: tuple[Change, ...], entries: Sequence[tuple[int, Comparison]]
) -> ChangeBlock:
    members = [entry for entry in entries if entry[1].verdict in verdicts]
    groups = []
    for measure in dict.fromkeys(one.measure for _, one in members):
        # one scale for all comparisons of a measure, whatever their verdict
        scale = interval_scale([value for _, one in entries if one.measure == measure for value in _extent(one)])
        groups.append(_group(measure, [entry for entry in members if entry[1].measure == measure], scale))
    folded = state == "no-worse" and len(entries) > FEW_CHANGES
    return ChangeBlock(state, title, len(members), folded, tuple(groups))


def _rank(one: Comparison) -> tuple[str, int, str, str]:
    return one.measure, CHANGE_ORDER.index(one.verdict), one.corpus, one.model_after


def _group(measure: str, members: Sequence[tuple[int, Comparison]], scale: Scale) -> ChangeGroup:
    return ChangeGroup(
        measure=measure,
        unit=members[0][1].description.unit,
        rows=tuple(_row(one, number, scale) for number, one in members),
    )


def _extent(one: Comparison) -> list[float]:
    ends = [] if one.interval is None else [one.interval.low, one.interval.high]
    return [0.0, one.tolerance, one.change, *ends]


def _row(one: Comparison, number: int, scale: Scale) -> ChangeRow:
    moves = one.moves if one.change or one.unmatched else ()  # where nothing moved there is nothing to draw
    drawn = [ChartChange(move.name, move.before, move.after) for move in moves[:MOST_MOVES]]
    drawn.sort(key=lambda move: (move.before - move.after, move.label))
    rows = [[move.name, signed(move.before), signed(move.after), signed(move.change)] for move in moves[:MOST_MOVES]]
    label = f"Mean gaps of {len(drawn)} attributes before and after, ordered by change"
    return ChangeRow(
        number=number,
        verdict=str(one.verdict),
        measure=one.measure,
        corpus=one.corpus,
        contrast=" − ".join(one.contrast),
        models=one.models,
        figures=one.figures,
        change=one.moved,
        level="" if one.interval is None else level_text(one.interval.level),
        chart=_chart(one, scale),
        tolerance=one.tolerated,
        moved=", ".join(map(str, moves[:3])) if one.change else "",
        size=_size(one),
        moves=change_chart(drawn, contrast=one.contrast, label=label) if drawn else None,
        moves_note=_moves_note(len(drawn), len(moves)),
        table=table_of(["attribute", "before", "after", "change"], rows),
        unmatched=one.unmatched[:MOST_UNMATCHED],
        unmatched_hidden=len(one.unmatched[MOST_UNMATCHED:]),
        warnings=one.warnings,
        test=one.test,
    )


def _chart(one: Comparison, scale: Scale) -> Markup:
    label = f"change in distance from parity {one.moved}; right is worse"
    return interval_chart(
        scale,
        estimate=one.change,
        interval=one.interval,
        parity=0.0,
        region=(scale.low, one.tolerance),
        label=label,
    )


def _size(one: Comparison) -> str:
    parts = [f"{one.n:,} {one.unit}"]
    if one.family > 1:
        parts.append(f"one of {one.family} comparisons")
    return ", ".join(parts)


def _moves_note(shown: int, total: int) -> str:
    note = "The hollow dot is before, the full one after; the change of the mean gap is on the right."
    return note if shown == total else f"{note} Shown are the {shown:,} that moved most, of {total:,}."
