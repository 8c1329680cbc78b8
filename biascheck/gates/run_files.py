"""A run on disk: a versioned JSON schema, read with care and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biascheck.errors import ResultError
from biascheck.files import write_atomically
from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.results.description import Description
from biascheck.results.file_kinds import RESULTS, RESULTS_SCHEMA
from biascheck.results.result import Result
from biascheck.results.storage import (
    check_schema,
    comparison_from_dict,
    comparison_to_dict,
    read_document,
    read_with_care,
    result_from_dict,
    result_to_dict,
)
from biascheck.stats import Interval, Verdict

__all__ = ["gate_from_dict", "gate_to_dict", "read_results", "read_run", "write_results", "write_run"]


def write_run(path: Path, run: Run) -> None:
    """Write what a run leaves behind, atomically; what JSON cannot express is refused."""
    document = {
        "kind": RESULTS,
        "schema": RESULTS_SCHEMA,
        "complete": run.complete,
        "not_run": run.not_run,
        "results": [result_to_dict(result) for result in run.results],
        "gates": [gate_to_dict(gate) for gate in run.gates],
        "comparisons": [comparison_to_dict(comparison) for comparison in run.comparisons],
    }
    try:
        write_atomically(path, json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    except (TypeError, ValueError) as error:
        raise ResultError(f"{path}: not written, a result holds what JSON cannot express ({error})") from error


def read_run(path: Path) -> Run:
    """Read what :func:`write_run` wrote, in this release or an earlier one."""
    document = read_document(path, RESULTS, "results", "--bias-results")
    check_schema(document, str(path), RESULTS_SCHEMA)
    with read_with_care("file of results"):
        return Run(
            results=tuple(result_from_dict(entry) for entry in document["results"]),
            gates=tuple(gate_from_dict(entry) for entry in document["gates"]),
            comparisons=tuple(comparison_from_dict(entry) for entry in document.get("comparisons", ())),
            complete=document.get("complete", True),
            not_run=document.get("not_run", 0),
        )


def write_results(path: Path, results: Iterable[Result], gates: Iterable[Gate] = ()) -> None:
    """Write results and the gates they were judged by; see :func:`write_run`."""
    write_run(path, Run(tuple(results), tuple(gates)))


def read_results(path: Path) -> tuple[tuple[Result, ...], tuple[Gate, ...]]:
    """Read the results of a file and the gates they were judged by."""
    run = read_run(path)
    return run.results, run.gates


def gate_to_dict(gate: Gate) -> dict[str, Any]:
    """Turn a gate into plain JSON values."""
    return {**asdict(gate), "verdict": str(gate.verdict)}


def gate_from_dict(document: Mapping[str, Any]) -> Gate:
    """Rebuild a gate from JSON values."""
    with read_with_care("gate"):
        fields = dict(document)
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["verdict"] = Verdict(fields["verdict"])
        fields["description"] = Description(**fields.get("description", {"name": ""}))
        fields["offenders"] = tuple(fields["offenders"])
        fields["warnings"] = tuple(fields["warnings"])
        return Gate(**fields)
