"""Results on disk: a versioned JSON schema, read with care and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biascheck.errors import BiascheckError, ResultError
from biascheck.files import write_atomically
from biascheck.gates import Gate
from biascheck.results import ItemScore, Provenance, Result, Shown, Skipped
from biascheck.stats import Interval, Verdict

__all__ = ["SCHEMA", "read_results", "result_from_dict", "result_to_dict", "write_results"]

SCHEMA = 1
KIND = "biascheck results"


def result_to_dict(result: Result) -> dict[str, Any]:
    """Turn a result into plain JSON values."""
    return {"schema": SCHEMA, **_plain(asdict_shallow(result))}


def result_from_dict(document: Mapping[str, Any]) -> Result:
    """Rebuild a result, refusing what this release cannot understand."""
    _check_schema(document, "a result")
    with _read_with_care("result"):
        fields = {key: value for key, value in document.items() if key != "schema"}
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["contrast"] = tuple(fields["contrast"])
        fields["provenance"] = Provenance(**fields["provenance"])
        fields["items"] = tuple(_item(item) for item in fields["items"])
        fields["skipped"] = tuple(Skipped(**skip) for skip in fields["skipped"])
        fields["warnings"] = tuple(fields["warnings"])
        return Result(**fields)


def write_results(path: Path, results: Iterable[Result], gates: Iterable[Gate] = ()) -> None:
    """Write results and the gates they were judged by, atomically; what JSON cannot express is refused."""
    document = {
        "kind": KIND,
        "schema": SCHEMA,
        "results": [result_to_dict(result) for result in results],
        "gates": [gate_to_dict(gate) for gate in gates],
    }
    try:
        write_atomically(path, json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    except (TypeError, ValueError) as error:
        raise ResultError(f"{path}: not written, a result holds what JSON cannot express ({error})") from error


def read_results(path: Path) -> tuple[tuple[Result, ...], tuple[Gate, ...]]:
    """Read what :func:`write_results` wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultError(f"no results at {path}; write them with pytest --bias-results {path}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: not readable as JSON ({error}); the file is damaged, measure again") from error
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error}); name a file that pytest --bias-results wrote") from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise ResultError(f"{path}: not a biascheck results file")
    _check_schema(document, str(path))
    with _read_with_care("file of results"):
        results = tuple(result_from_dict(entry) for entry in document["results"])
        return results, tuple(gate_from_dict(entry) for entry in document["gates"])


def gate_to_dict(gate: Gate) -> dict[str, Any]:
    """Turn a gate into plain JSON values."""
    return {**asdict(gate), "verdict": str(gate.verdict)}


def gate_from_dict(document: Mapping[str, Any]) -> Gate:
    """Rebuild a gate from JSON values."""
    with _read_with_care("gate"):
        fields = dict(document)
        fields["interval"] = None if fields["interval"] is None else Interval(**fields["interval"])
        fields["verdict"] = Verdict(fields["verdict"])
        fields["offenders"] = tuple(fields["offenders"])
        fields["warnings"] = tuple(fields["warnings"])
        return Gate(**fields)


@contextmanager
def _read_with_care(what: str) -> Iterator[None]:
    """Say what a stored document lacks, instead of failing on it."""
    try:
        yield
    except BiascheckError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultError(f"a stored {what} lacks or misspells a field ({error}); measure it again") from error


def _check_schema(document: Mapping[str, Any], what: str) -> None:
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(schema, int) or schema < 1:
        raise ResultError(f"{what}: no schema version; this is not something biascheck wrote")
    if schema > SCHEMA:
        raise ResultError(
            f"{what}: written with schema {schema}, and this release reads up to {SCHEMA}; upgrade pytest-biascheck"
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
