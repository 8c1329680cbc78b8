"""A run on disk: one versioned JSON schema, validated on reading and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec

from biascheck.core.errors import ResultError
from biascheck.core.files import write_atomically
from biascheck.core.secrets import in_use
from biascheck.core.wording import pluralize
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search
from biascheck.results.codec import (
    RESULTS,
    RESULTS_SCHEMA,
    check_schema,
    converted,
    plain,
    read_document,
    refusing_damage,
    result_from_dict,
    result_to_dict,
    upgraded_comparison,
    upgraded_gate,
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
    """Read what :func:`write_run` wrote, in this release or an earlier one."""
    document = read_document(path, RESULTS, "results", "--bias-results")
    check_schema(document, str(path), RESULTS_SCHEMA)
    with refusing_damage(f"{path}: the file of results"):
        results = tuple(result_from_dict(entry, path.parent) for entry in document["results"])
        return Run(
            results=results,
            gates=tuple(_with_key(gate, results) for gate in converted(_gates(document), tuple[Gate, ...])),
            comparisons=converted(_comparisons(document), tuple[Comparison, ...]),
            outcome=converted(_outcome(document), RunOutcome | None),  # type: ignore[arg-type]
            baseline=converted(document.get("baseline"), BaselineComparison | None),  # type: ignore[arg-type]
            searches=converted(without_unknown_fields(document.get("searches", ()), Search), tuple[Search, ...]),
        )


def _gates(document: dict[str, Any]) -> list[Any]:
    return without_unknown_fields((upgraded_gate(entry) for entry in document["gates"]), Gate)


def _with_key(gate: Gate, results: Sequence[Result]) -> Gate:
    """A gate of an earlier release, which knew no keys, with the key of the one result that it can have judged."""
    if gate.key.model or gate.key.corpus:
        return gate
    keys = {result.key for result in results if _names(result) == _names(gate)}
    return replace(gate, key=keys.pop()) if len(keys) == 1 else gate


def _names(known: Result | Gate) -> tuple[object, ...]:
    corpus = known.corpus if isinstance(known, Gate) else known.corpus_label
    return known.measure, known.statistic, known.model_label, corpus, known.estimate, known.n, known.seed


def _comparisons(document: dict[str, Any]) -> list[Any]:
    found = (upgraded_comparison(entry) for entry in document.get("comparisons", ()))
    return without_unknown_fields(found, Comparison)


def _outcome(document: dict[str, Any]) -> Any:
    """The outcome of a run; up to schema 2 a file said only whether it was interrupted, and how many did not run."""
    if "outcome" in document or document.get("complete", True):
        return document.get("outcome")
    not_run = document.get("not_run", 0)
    return {"interrupted": True, "problems": [f"{pluralize(not_run, 'test')} did not run"] if not_run else []}


def write_results(path: Path, results: Iterable[Result], gates: Iterable[Gate] = ()) -> None:
    """Write results and the gates they were judged by; see :func:`write_run`."""
    write_run(path, Run(tuple(results), tuple(gates)))


def read_results(path: Path) -> tuple[tuple[Result, ...], tuple[Gate, ...]]:
    """Read the results of a file and the gates they were judged by."""
    run = read_run(path)
    return run.results, run.gates
