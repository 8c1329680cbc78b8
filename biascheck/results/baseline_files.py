"""A baseline on disk: scores without sentences, in a file small enough to commit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biascheck import stats
from biascheck.errors import ResultError
from biascheck.files import write_atomically
from biascheck.results.baselines import Baseline
from biascheck.results.file_kinds import BASELINE, BASELINE_SCHEMA
from biascheck.results.items import ItemScore, sample_of
from biascheck.results.result import Provenance, Result
from biascheck.results.storage import check_schema, read_document, read_with_care

__all__ = ["read_baseline", "write_baseline"]

# Below what two machines differ by, and kept relative so that no sign is lost.
DIGITS = 7

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
        ",\n".join(_compact(_entry_to_dict(entry, places)) for entry in baseline.entries),
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
    check_schema(document, str(path), BASELINE_SCHEMA)
    with read_with_care("baseline"):
        rows = [_row_from(row) for row in document["items"]]
        return Baseline(tuple(_entry_from_dict(entry, rows) for entry in document["entries"]))


def _entry_to_dict(entry: Result, places: Mapping[Row, int]) -> dict[str, Any]:
    scores = sorted((places[_row(item)], _short(item.score)) for item in entry.items)
    provenance = entry.provenance
    return {
        "measure": entry.measure,
        "corpus": entry.corpus,
        "model": entry.model,
        "statistic": entry.statistic,
        "estimate": _short(entry.estimate),
        "parity": entry.parity,
        "contrast": list(entry.contrast),
        "unit": entry.unit,
        "seed": entry.seed,
        "measure_version": provenance.measure_version,
        "variant": provenance.variant,
        "model_fingerprint": provenance.model_fingerprint,
        "corpus_fingerprint": provenance.corpus_fingerprint,
        "options": dict(provenance.options),
        "items": _steps([place for place, _ in scores]),
        "scores": [score for _, score in scores],
    }


def _entry_from_dict(document: Mapping[str, Any], rows: Sequence[Row]) -> Result:
    fields = dict(document)
    provenance = Provenance(
        **{
            name: fields.pop(name) for name in ("measure_version", "variant", "model_fingerprint", "corpus_fingerprint")
        },
        options=fields.pop("options"),
    )
    places, scores = _places(fields.pop("items")), fields.pop("scores")
    items = tuple(
        ItemScore(id=name, score=score, cluster=cluster, side=side, covariate=covariate, draw=draw)
        for (name, cluster, side, covariate, draw), score in zip(map(rows.__getitem__, places), scores, strict=True)
    )
    fields["contrast"] = tuple(fields["contrast"])
    sample = sample_of(items)
    fields["estimate"] = stats.estimate(sample, fields["statistic"])
    return Result(
        **fields, interval=None, n=len(items), clusters=len(set(sample.clusters)), provenance=provenance, items=items
    )


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


def _row_from(row: Sequence[Any]) -> Row:
    side, covariate, draw = (row[place] if len(row) > place else None for place in (2, 3, 4))
    return row[0], row[1], side, covariate, draw


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
