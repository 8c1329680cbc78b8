"""The coverage of intervals for readers: a table, and its place in a calibration that was written before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from biascheck.calibration.coverage import MOST_MISSES, CoverageCell, worst_cell
from biascheck.calibration.simulation import Rate
from biascheck.errors import UsageError
from biascheck.files import write_atomically
from biascheck.wording import interval_text

__all__ = ["COLUMNS", "TITLE", "coverage_note", "coverage_rows", "renew_coverage", "worst_sentence"]

TITLE = "Intervals of means on skewed clusters"
COLUMNS = (
    "clusters",
    "level",
    "distribution",
    "stated per end",
    "truth below",
    "truth above",
    "worse end / stated",
    "longer arm",
    "width / Student's t",
)


def coverage_rows(cells: Sequence[CoverageCell]) -> tuple[tuple[str, ...], ...]:
    """One row a cell."""
    return tuple(
        (
            str(cell.clusters),
            f"{100 * cell.level:g} %",
            cell.distribution,
            f"{100 * cell.stated:.2f} %",
            _rate(cell.below),
            _rate(cell.above),
            f"{cell.worst:.2f}",
            f"{100 * cell.lengthened.share:.0f} %",
            f"{cell.width:.2f}",
        )
        for cell in cells
    )


def coverage_note(cells: Sequence[CoverageCell]) -> str:
    """What the table shows, and its worst cell."""
    return (
        f"{cells[0].below.trials:,} simulated data sets per row, one item a cluster, Wilson's interval beside each "
        f"rate. The goal is at most {MOST_MISSES:g} times the stated rate. {worst_sentence(cells)} *Longer arm* counts "
        "the data sets whose clusters were too few to rule out strong skewness, so that an end lies further out than "
        "Student's t."
    )


def worst_sentence(cells: Sequence[CoverageCell]) -> str:
    """The worst cell at each level, in words."""
    levels = sorted({cell.level for cell in cells})
    return f"Worst: {'; '.join(_worst(worst_cell(cells, level)) for level in levels)}."


def renew_coverage(cells: Sequence[CoverageCell], folder: Path) -> tuple[Path, ...]:
    """Replace the coverage in ``calibration.md`` and ``calibration.json``, and leave the rest of both as it is."""
    page, data = folder / "calibration.md", folder / "calibration.json"
    try:
        text, document = page.read_text(encoding="utf-8"), json.loads(data.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"no calibration in {folder}; write one with biascheck calibrate --out {folder}") from error
    write_atomically(page, _with_section(text, _section(cells)))
    document["coverage"] = [asdict(cell) for cell in cells]
    write_atomically(data, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return page, data


def _with_section(text: str, section: str) -> str:
    head = f"## {TITLE}\n"
    before, _, after = text.partition(head)
    _, heading, rest = after.partition("\n## ")
    return f"{before.rstrip()}\n\n{section}\n{heading}{rest}"


def _section(cells: Sequence[CoverageCell]) -> str:
    header = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    rows = [f"| {' | '.join(row)} |" for row in coverage_rows(cells)]
    return "\n".join([f"## {TITLE}", "", coverage_note(cells), "", *header, *rows])


def _worst(cell: CoverageCell) -> str:
    share = max(cell.below.share, cell.above.share)
    return (
        f"{100 * share:.2f} % where {100 * cell.stated:.2f} % are stated ({cell.worst:.2f} times), "
        f"{cell.clusters} {cell.distribution} clusters"
    )


def _rate(rate: Rate) -> str:
    in_percent = replace(rate, low=100 * rate.low, high=100 * rate.high)
    return f"{100 * rate.share:.2f} % {interval_text(in_percent, 2)}"
