"""Results on disk: a versioned JSON schema, read with care and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biascheck.comparison import Comparison, Move
from biascheck.errors import BiascheckError, ResultError
from biascheck.files import write_atomically
from biascheck.gates import Gate
from biascheck.kinds import RESULTS, RESULTS_SCHEMA
from biascheck.results import ItemScore, Provenance, Result, Shown, Skipped
from biascheck.stats import Change, Interval, Verdict

__all__ = [
    "SCHEMA",
    "Run",
    "read_results",
    "read_run",
    "result_from_dict",
    "result_to_dict",
    "write_results",
    "write_run",
]

SCHEMA = 2
"""Version of the fields of a result; part of the cache key."""


@dataclass(frozen=True)
class Run:
    """What one run leaves behind: results, the gates they were judged by, comparisons with a baseline.

    ``complete`` is false if the run was interrupted; ``not_run`` counts the tests that it did not come to.
    """

    results: tuple[Result, ...] = ()
    gates: tuple[Gate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    complete: bool = True
    not_run: int = 0


def result_to_dict(result: Result) -> dict[str, Any]:
    """Turn a result into plain JSON values."""
    return {"schema": SCHEMA, **_plain(asdict_shallow(result))}


def result_from_dict(document: Mapping[str, Any]) -> Result:
    """Rebuild a result, refusing what this release cannot understand."""
    check_schema(document, "a result", SCHEMA)
    with read_with_care("result"):
        fields = {key: value for key, value in document.items() if key != "schema"}
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["contrast"] = tuple(fields["contrast"])
        fields["provenance"] = Provenance(**fields["provenance"])
        fields["items"] = tuple(_item(item) for item in fields["items"])
        fields["skipped"] = tuple(Skipped(**skip) for skip in fields["skipped"])
        fields["warnings"] = tuple(fields["warnings"])
        return Result(**fields)


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


def read_document(path: Path, kind: str, noun: str, flag: str) -> dict[str, Any]:
    """Read a JSON object of ours; whatever else is there is refused with what to do."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultError(f"no {noun} at {path}; write them with pytest {flag} {path}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: not readable as JSON ({error}); the file is damaged, measure again") from error
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error}); name a file that pytest {flag} wrote") from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise ResultError(f"{path}: not a {kind} file")
    return document


def gate_to_dict(gate: Gate) -> dict[str, Any]:
    """Turn a gate into plain JSON values."""
    return {**asdict(gate), "verdict": str(gate.verdict)}


def gate_from_dict(document: Mapping[str, Any]) -> Gate:
    """Rebuild a gate from JSON values."""
    with read_with_care("gate"):
        fields = dict(document)
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["verdict"] = Verdict(fields["verdict"])
        fields["offenders"] = tuple(fields["offenders"])
        fields["warnings"] = tuple(fields["warnings"])
        return Gate(**fields)


def comparison_to_dict(comparison: Comparison) -> dict[str, Any]:
    """Turn a comparison into plain JSON values."""
    fields: dict[str, Any] = _plain(asdict(comparison))
    fields["moves"] = [[move.name, move.before, move.after] for move in comparison.moves]
    return {**fields, "verdict": str(comparison.verdict)}


def comparison_from_dict(document: Mapping[str, Any]) -> Comparison:
    """Rebuild a comparison from JSON values."""
    with read_with_care("comparison"):
        fields = dict(document)
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["verdict"] = Change(fields["verdict"])
        fields["moves"] = tuple(Move(*move) for move in fields["moves"])
        for name in ("contrast", "unmatched", "warnings"):
            fields[name] = tuple(fields[name])
        return Comparison(**fields)


@contextmanager
def read_with_care(what: str) -> Iterator[None]:
    """Say what a stored document lacks, instead of failing on it."""
    try:
        yield
    except BiascheckError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ResultError(f"a stored {what} lacks or misspells a field ({error}); measure it again") from error


def check_schema(document: Mapping[str, Any], what: str, newest: int) -> None:
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(schema, int) or schema < 1:
        raise ResultError(f"{what}: no schema version; this is not something biascheck wrote")
    if schema > newest:
        raise ResultError(
            f"{what}: written with schema {schema}, and this release reads up to {newest}; upgrade pytest-biascheck"
        )


def _item(document: Mapping[str, Any]) -> ItemScore:
    shown = {group: Shown(*sentence) for group, sentence in document["sentences"].items()}
    return ItemScore(**{**document, "sentences": shown})


def asdict_shallow(result: Result) -> dict[str, Any]:
    """The fields of a result, with sentences as short lists: they are most of a file."""
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    fields["interval"] = None if result.interval is None else asdict(result.interval)
    fields["provenance"] = vars(result.provenance)
    fields["items"] = [_item_to_dict(item) for item in result.items]
    fields["skipped"] = [vars(skip) for skip in result.skipped]
    return fields


def _item_to_dict(item: ItemScore) -> dict[str, Any]:
    sentences = {group: [shown.text, shown.start, shown.end] for group, shown in item.sentences.items()}
    return {**vars(item), "sentences": sentences}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
