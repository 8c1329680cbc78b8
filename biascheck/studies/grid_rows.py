"""Measured cells of a grid in compact form: two columns of numbers for each, in one file for the whole grid.

A result keeps an object with excerpts for every review; 63 classifiers on 25,000 reviews are 1.6 million of them. Here
a cell keeps its deltas (exactly) and the ratings of the male versions (to seven digits); ids are kept once for all.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.corpora.rewriting.terms import TermName
from biascheck.debias.conditions import Condition
from biascheck.debias.quality import Quality
from biascheck.errors import ResultError, ScoreError
from biascheck.files import write_atomically
from biascheck.measures.tables.delta_table import DeltaSummary, summary_of
from biascheck.results.result import Result
from biascheck.results.storage import result_from_dict, result_to_dict
from biascheck.stats import Sample

__all__ = ["GridCell", "GridRow", "read_grid", "write_grid"]

GRID_FORMAT = "biascheck sentiment grid 1"
FACTS = "facts"


@dataclass(frozen=True)
class GridCell:
    """One classifier and the term set it is measured with; ``batch`` is 0 for the batch size of the recipe."""

    model: str
    condition: Condition
    terms: TermName
    batch: int = 0

    def __str__(self) -> str:
        size = f"·batch {self.batch}" if self.batch else ""
        return f"{self.model}·{self.condition}{size}×{self.terms}"

    @property
    def matched(self) -> bool:
        """Whether the classifier was trained with the term set it is measured with, as all those of the paper."""
        return self.condition.terms in (None, self.terms)


@dataclass(frozen=True, eq=False)
class GridRow:
    """A measured cell: its deltas, and how good the classifier is on test reviews under its own condition.

    ``result`` has the figures of the deltas without their items.
    """

    cell: GridCell
    result: Result
    quality: Quality
    ids: tuple[str, ...]
    deltas: NDArray[np.float64]
    ratings: NDArray[np.float32]

    @classmethod
    def of(cls, cell: GridCell, result: Result, quality: Quality) -> GridRow:
        """Keep of a ``sentiment_delta`` result what the grid needs."""
        items, first = result.items, result.contrast[0]
        return cls(
            cell,
            replace(result, items=()),
            quality,
            tuple(item.id for item in items),
            np.array([item.score for item in items]),
            np.array([item.groups[first] for item in items], dtype=np.float32),
        )

    @cached_property
    def summary(self) -> DeltaSummary:
        """Counts, total and absolute bias, and Wilcoxon's test: a row of the paper's Tables 3 and 4."""
        return summary_of(self.deltas, str(self.cell))

    @property
    def sample(self) -> Sample:
        """The deltas as the statistics take them; a review is its own cluster."""
        return Sample(self.deltas, self.ids)

    @property
    def figures(self) -> tuple[float, ...]:
        """Absolute bias, total bias, accuracy and F1, biases over non-zero reviews as in the paper's Table 1."""
        summary = self.summary
        return summary.absolute_nonzero, summary.total_nonzero, self.quality.accuracy, self.quality.f1


def write_grid(path: Path, rows: Sequence[GridRow]) -> None:
    """Write rows to one ``.npz`` file, whole or not at all. No text of a review is in it."""
    if not rows:
        raise ScoreError("a grid without rows; run it first")
    columns = list(dict.fromkeys(row.ids for row in rows))
    facts = {"format": GRID_FORMAT, "rows": [_facts(row, columns.index(row.ids)) for row in rows]}
    arrays: dict[str, Any] = {FACTS: np.frombuffer(json.dumps(facts, allow_nan=False).encode(), dtype=np.uint8)}
    arrays |= {f"ids {n}": np.array(ids) for n, ids in enumerate(columns)}
    for n, row in enumerate(rows):
        arrays |= {f"deltas {n}": row.deltas, f"ratings {n}": row.ratings}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_atomically(path, buffer.getvalue())


def read_grid(path: Path) -> tuple[GridRow, ...]:
    """Read rows back; nothing in the file is executed."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            facts = json.loads(arrays[FACTS].tobytes())
            if facts.get("format") != GRID_FORMAT:
                raise ResultError(
                    f"{path} has the format {facts.get('format')!r}, not {GRID_FORMAT!r}; run the grid again"
                )
            ids: dict[int, tuple[str, ...]] = {}
            for entry in facts["rows"]:
                ids.setdefault(entry["ids"], tuple(arrays[f"ids {entry['ids']}"].tolist()))
            return tuple(
                _row(entry, ids[entry["ids"]], arrays[f"deltas {n}"], arrays[f"ratings {n}"])
                for n, entry in enumerate(facts["rows"])
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ResultError(f"{path} is not a file of a grid, or is damaged ({error}); run the grid again") from error


def _facts(row: GridRow, ids: int) -> dict[str, Any]:
    cell = row.cell
    condition = {"treatment": cell.condition.treatment, "terms": cell.condition.terms, "name": str(cell.condition)}
    return {
        "model": cell.model,
        "condition": condition,
        "terms": cell.terms,
        "batch": cell.batch,
        "quality": asdict(row.quality),
        "result": result_to_dict(row.result),
        "ids": ids,
    }


def _row(entry: dict[str, Any], ids: tuple[str, ...], deltas: Any, ratings: Any) -> GridRow:
    if not len(ids) == deltas.size == ratings.size:
        raise ValueError("its columns differ in length")
    condition = Condition(entry["condition"]["treatment"], entry["condition"]["terms"])
    cell = GridCell(entry["model"], condition, entry["terms"], entry["batch"])
    return GridRow(cell, result_from_dict(entry["result"]), Quality(**entry["quality"]), ids, deltas, ratings)
