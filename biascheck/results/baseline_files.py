"""A baseline on disk: scores without sentences, in a file small enough to commit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biascheck import stats
from biascheck.errors import ResultError
from biascheck.files import write_atomically
from biascheck.results.baselines import Baseline
from biascheck.results.earlier_schemas import upgraded_result
from biascheck.results.file_kinds import BASELINE, BASELINE_SCHEMA
from biascheck.results.item_columns import sample_of
from biascheck.results.items import ItemScore
from biascheck.results.key import Slice
from biascheck.results.result import Provenance, Result
from biascheck.results.storage import check_schema, converted, read_document, refusing_damage, without_unknown_fields

__all__ = ["read_baseline", "write_baseline"]

# Below what two machines differ by, and kept relative so that no sign is lost.
DIGITS = 7

SHARED = (
    *("measure", "corpus", "model", "statistic", "parity", "contrast", "unit", "seed"),
    *("treatment", "slice", "several_groups"),
)
"""The fields of an entry that a result has under the same name."""
ORIGIN = ("measure_version", "variant", "model_fingerprint", "corpus_fingerprint", "options")
"""The fields of an entry that the provenance of a result has."""

Row = tuple[str, str, str | None, float | None, int | None]
"""What the entries of a baseline share: id, cluster, side, covariate and draw of an item."""


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, atomically: one line an entry, so that a change of it reads well in a review."""
    rows = sorted({_row(item) for entry in baseline.entries for item in entry.items}, key=_order)
    places = {row: number for number, row in enumerate(rows)}
    lines = [
        "{",
        f'"kind": {json.dumps(BASELINE)}, "schema": {BASELINE_SCHEMA},',
        '"items": [',
        ",\n".join(_compact(_trimmed(row)) for row in rows),
        "],",
        '"entries": [',
        ",\n".join(_compact(_written(_entry_of(entry, places))) for entry in baseline.entries),
        "]",
        "}",
    ]
    try:
        write_atomically(path, "\n".join(lines) + "\n")
    except (TypeError, ValueError) as error:
        raise ResultError(f"{path}: not written, a result holds what JSON cannot express ({error})") from error


def read_baseline(path: Path) -> Baseline:
    """Read what :func:`write_baseline` wrote; a missing file names the flags that write it."""
    if not path.exists():
        raise ResultError(f"no baseline at {path}; write it with pytest --bias-baseline {path} --bias-update-baseline")
    document = read_document(path, BASELINE, "baseline", "--bias-update-baseline --bias-baseline")
    schema = check_schema(document, str(path), BASELINE_SCHEMA)["schema"]
    with refusing_damage(f"{path}: the baseline"):
        rows = [_row_from(row) for row in document["items"]]
        upgraded = (upgraded_result({"schema": schema, **entry}) for entry in document["entries"])
        entries = converted(without_unknown_fields(upgraded, BaselineEntry), list[BaselineEntry])
        return Baseline(tuple(_result_of(entry, rows) for entry in entries))


@dataclass(frozen=True)
class BaselineEntry:
    """A result as a baseline keeps it: ``items`` are the steps from row to row of those that its scores belong to."""

    measure: str
    corpus: str
    model: str
    statistic: str
    parity: float
    contrast: tuple[str, str]
    unit: str
    seed: int
    measure_version: int
    variant: str
    model_fingerprint: str
    corpus_fingerprint: str
    options: dict[str, Any]
    items: list[int]
    scores: list[float]
    estimate: float = 0.0
    treatment: tuple[str, ...] = ()
    slice: Slice = ()
    several_groups: bool = False
    runtime: str = ""


def _entry_of(result: Result, places: Mapping[Row, int]) -> BaselineEntry:
    scores = sorted((places[_row(item)], _short(item.score)) for item in result.items)
    shared = {name: getattr(result, name) for name in SHARED}
    origin = {name: getattr(result.provenance, name) for name in ORIGIN}
    return BaselineEntry(
        **shared,
        **{**origin, "options": dict(origin["options"])},
        estimate=_short(result.estimate),
        items=_steps([place for place, _ in scores]),
        scores=[score for _, score in scores],
        runtime=result.provenance.model.get("runtime", ""),
    )


def _result_of(entry: BaselineEntry, rows: Sequence[Row]) -> Result:
    places = _places(entry.items)
    items = tuple(
        ItemScore(id=name, score=score, cluster=cluster, side=side, covariate=covariate, draw=draw)
        for (name, cluster, side, covariate, draw), score in zip(_taken(rows, places), entry.scores, strict=True)
    )
    if not items:
        raise ResultError(f"{entry.measure} on {entry.corpus} has no items")
    sample = sample_of(items)
    return Result(
        **{name: getattr(entry, name) for name in SHARED},
        estimate=stats.estimate(sample, entry.statistic),
        interval=None,
        n=len(items),
        clusters=len(set(sample.clusters)),
        provenance=Provenance(**{name: getattr(entry, name) for name in ORIGIN}, model=_model_of(entry)),
        items=items,
    )


def _written(entry: BaselineEntry) -> dict[str, Any]:
    """An entry as it is written: one without a runtime of its own says nothing about it."""
    return {name: value for name, value in asdict(entry).items() if name != "runtime" or value}


def _model_of(entry: BaselineEntry) -> dict[str, str]:
    return {"runtime": entry.runtime} if entry.runtime else {}


def _taken(rows: Sequence[Row], places: Sequence[int]) -> list[Row]:
    if any(not 0 <= place < len(rows) for place in places):
        raise ResultError("an entry refers to an item that is not there")
    return [rows[place] for place in places]


def _steps(places: Sequence[int]) -> list[int]:
    """Each place as its distance from the one before: small numbers take little room."""
    return [place - before for before, place in zip([0, *places], places, strict=False)]


def _places(steps: Sequence[int]) -> list[int]:
    places, place = [], 0
    for step in steps:
        place += step
        places.append(place)
    return places


def _row(item: ItemScore) -> Row:
    return item.id, item.cluster, item.side, None if item.covariate is None else _short(item.covariate), item.draw


def _row_from(row: list[Any]) -> Row:
    return converted([*row, None, None, None][: max(5, len(row))], Row)  # type: ignore[arg-type]


def _trimmed(row: Row) -> list[Any]:
    values: list[Any] = list(row)
    while values[-1] is None:
        values.pop()
    return values


def _order(row: Row) -> tuple[str, str, str, float, int]:
    name, cluster, side, covariate, draw = row
    return name, cluster, side or "", covariate or 0.0, draw or 0


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
