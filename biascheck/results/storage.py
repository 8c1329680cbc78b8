"""Results on disk: a versioned JSON schema, read with care and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biascheck.errors import BiascheckError, ResultError
from biascheck.results.comparison import Comparison, Move
from biascheck.results.description import Description
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.result import Provenance, Result
from biascheck.stats import Change, Interval

__all__ = [
    "SCHEMA",
    "check_schema",
    "comparison_from_dict",
    "comparison_to_dict",
    "read_document",
    "read_with_care",
    "result_from_dict",
    "result_to_dict",
]

SCHEMA = 2
"""Version of the fields of a result; part of the cache key."""


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
        if "description" in fields:
            described = fields["description"]
            fields["description"] = Description(
                **{**described, "limits": tuple(described["limits"]), "needs": tuple(described["needs"])}
            )
        return Result(**fields)


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
        fields["description"] = Description(**fields.get("description", {"name": ""}))
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
    """Refuse a document that this release cannot understand."""
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
    fields["description"] = vars(result.description)
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
