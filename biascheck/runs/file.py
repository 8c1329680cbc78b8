"""A run on disk: one versioned JSON schema, validated on reading and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from biascheck.core.errors import ResultError
from biascheck.core.files import write_atomically
from biascheck.core.secrets import in_use
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search
from biascheck.results.codec import (
    RESULTS,
    RESULTS_SCHEMA,
    Kind,
    check_schema,
    converted,
    plain,
    read_document,
    refusing_damage,
    result_from_dict,
    result_to_dict,
    without_unknown_fields,
)
from biascheck.results.compare import Comparison
from biascheck.results.item_files import copied_beside, item_files_of
from biascheck.results.result import Result
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.outcome import RunOutcome
from biascheck.runs.run import Run


def write_run(path: Path, run: Run) -> None:
    """Write what a run leaves behind, atomically; what JSON cannot express is refused.

    The items of large results are in Parquet files beside it, which are written before it refers to them.
    """
    document: dict[str, Any] = {
        "kind": RESULTS,
        "schema": RESULTS_SCHEMA,
        "verdict": run.verdict,
        "failures": list(run.failures),
        "complete": run.complete,
        "outcome": None if run.outcome is None else plain(asdict(run.outcome)),
        "baseline": None if run.baseline is None else plain(asdict(run.baseline)),
        "results": [_beside(path, result_to_dict(result)) for result in run.results],
        "gates": [plain(asdict(gate)) for gate in run.gates],
        "comparisons": [plain(asdict(comparison)) for comparison in run.comparisons],
        **({"searches": [plain(asdict(search)) for search in run.searches]} if run.searches else {}),
    }
    try:
        write_atomically(path, in_use().masked_page(_indented(document)))
    except (TypeError, ValueError) as error:
        raise ResultError(f"{path}: not written, a result holds what JSON cannot express ({error})") from error
    named = {entry["items"]["file"] for entry in document["results"] if isinstance(entry["items"], dict)}
    for stale in item_files_of(path):
        if stale.name not in named:
            stale.unlink(missing_ok=True)


def _indented(document: dict[str, Any]) -> str | bytes:
    """JSON in lines. json breaks lines in Python, which takes ten times as long; msgspec refuses half a character."""
    try:
        return msgspec.json.format(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(), indent=1)
    except UnicodeEncodeError:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)


def _beside(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """The document of a result, with a file of items copied to where the results are."""
    if not isinstance(document["items"], dict):
        return document
    return {**document, "items": copied_beside(document["items"], path)}


def read_run(path: Path) -> Run:
    """Read what :func:`write_run` wrote; a file of another schema is refused with what to do."""
    document = read_document(path, RESULTS, "results", "--bias-results")
    check_schema(document, str(path), RESULTS_SCHEMA, RESULTS_SCHEMA)
    with refusing_damage(f"{path}: the file of results"):
        return Run(
            results=tuple(result_from_dict(entry, path.parent) for entry in document["results"]),
            gates=_listed(document["gates"], Gate),
            comparisons=_listed(document["comparisons"], Comparison),
            outcome=converted(document["outcome"], RunOutcome | None),  # type: ignore[arg-type]
            baseline=converted(document["baseline"], BaselineComparison | None),  # type: ignore[arg-type]
            searches=_listed(document.get("searches", ()), Search),
        )


def _listed(documents: Iterable[Any], kind: type[Kind]) -> tuple[Kind, ...]:
    return tuple(converted(without_unknown_fields(documents, kind), list[kind]))  # type: ignore[valid-type]


def write_results(path: Path, results: Iterable[Result], gates: Iterable[Gate] = ()) -> None:
    """Write results and the gates they were judged by; see :func:`write_run`."""
    write_run(path, Run(tuple(results), tuple(gates)))


def read_results(path: Path) -> tuple[tuple[Result, ...], tuple[Gate, ...]]:
    """Read the results of a file and the gates they were judged by."""
    run = read_run(path)
    return run.results, run.gates
