"""Results as documents: one versioned JSON schema, validated on reading."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields as dataclass_fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from biascheck.core.errors import BiascheckError, ResultError
from biascheck.core.files import gc_paused
from biascheck.core.wording import escape_control
from biascheck.results.item_files import can_store_columns, read_items, stored_items
from biascheck.results.items import ItemColumns, ItemScore
from biascheck.results.key import Slice, corpus_label
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result

# Formats and schema versions of our files. Separate from reading them, so that a check does not import numpy.

RESULTS = "biascheck results"
RESULTS_SCHEMA = 3
"""2: ``complete``, ``not_run`` and ``comparisons``. 3: keys, and the outcome of the run."""
BASELINE = "biascheck baseline"
BASELINE_SCHEMA = 3
"""2: the draw of an item. 3: the treatment of the model and the part of the corpus."""


def kind_of(path: Path) -> tuple[object, object]:
    """The format and schema that a file states; neither if it is missing or not a JSON object."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None, None
    return (document.get("kind"), document.get("schema")) if isinstance(document, dict) else (None, None)


# Documents of earlier releases, upgraded to the present schema.
#
# Up to schema 2 a result was identified by the names of its model and its corpus: "bert·mix-all" was a treated model
# and "bec-pro-en·male" a part of a corpus. The label that "male" belonged to was not stored, so it is called
# ``part``, and no result of this release is compared with such an entry.

FIRST_WITH_IDENTITY = 3
UNKNOWN_LABEL = "part"
IN_THE_KEY = ("measure", "statistic", "contrast")


def of_unknown_part(slice_: Slice) -> bool:
    """Whether a result of an earlier release is about a part of a corpus whose label was not stored."""
    return [label for label, _ in slice_] == [UNKNOWN_LABEL]


def upgraded_result(document: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a result as the present schema has them."""
    fields = {name: value for name, value in document.items() if name != "schema"}
    if document["schema"] >= FIRST_WITH_IDENTITY:
        return fields
    details = fields.pop("details", {})  # in the form of each suite; kept as facts to read
    attached = {"attachments": [{"kind": "facts", "facts": details}]} if details else {}
    return {**fields, **_model(fields["model"]), **_corpus(fields["corpus"]), **attached}


def upgraded_gate(document: Mapping[str, Any]) -> dict[str, Any]:
    """A gate of schema 1 or 2, which had no key and is identified by names alone.

    Published figures were text; the text becomes a note.
    """
    fields = dict(document)
    if "key" in fields:
        return fields
    published = fields.get("published")
    notes = [fields.get("note"), f"published: {published}" if published else ""]
    return {
        **{name: value for name, value in fields.items() if name not in IN_THE_KEY},
        "key": _key(fields, fields["model"]),
        "model": _model(fields["model"])["model"],
        "corpus": _corpus_label(fields["corpus"]),
        "published": [],
        "note": "; ".join(filter(None, notes)),
    }


def upgraded_comparison(document: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison of schema 2, which had no keys, and whose moves had no names for their fields."""
    fields = dict(document)
    if "key" in fields:
        return fields
    before, after = fields["model_before"], fields["model_after"]
    names = {"model_before": _model(before)["model"], "model_after": _model(after)["model"]}
    return {
        **{name: value for name, value in fields.items() if name not in IN_THE_KEY},
        **names,
        "key_before": _key(fields, before),
        "key": _key(fields, after),
        "corpus": _corpus_label(fields["corpus"]),
        "moves": [dict(zip(("name", "before", "after"), move, strict=True)) for move in fields["moves"]],
    }


def _key(fields: Mapping[str, Any], model: str) -> dict[str, Any]:
    return {
        "measure": fields["measure"],
        "version": 0,
        "statistic": fields["statistic"],
        "model": "",
        "treatment": _model(model)["treatment"],
        "corpus": "",
        "slice": _corpus(fields["corpus"])["slice"],
        "contrast": fields.get("contrast", ["", ""]),
        "options": "{}",
    }


def _model(name: str) -> dict[str, Any]:
    base, _, treatment = name.partition("·")
    return {"model": base, "treatment": [treatment] if treatment else []}


def _corpus(name: str) -> dict[str, Any]:
    base, _, part = name.partition("·")
    return {"corpus": base, "slice": [[UNKNOWN_LABEL, part]] if part else []}


def _corpus_label(name: str) -> str:
    fields = _corpus(name)
    return corpus_label(fields["corpus"], fields["slice"])


# Results as documents: one versioned JSON schema, validated on reading by the types of the fields themselves.

SCHEMA = 3
"""Version of the fields of a result; part of the cache key. 3: identity (treatment, slice) and description."""
SCHEMA_OF_COLUMNS = 4
"""Version of a result whose items are in a file of their own; all else is as in 3."""

AGAIN = "; measure it again"
LEAVES = frozenset({str, int, float, bool, type(None)})

Kind = TypeVar("Kind")


def result_to_dict(result: Result, *, items: bool = True) -> dict[str, Any]:
    """Turn a result into plain JSON values; items stored as columns go to a file, if pyarrow is installed to write it.

    Without ``items`` the document contains neither items nor skipped items.
    """
    if not items:
        result = replace(result, items=(), skipped=())
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    fields["interval"] = None if result.interval is None else asdict(result.interval)
    fields["provenance"] = vars(result.provenance)
    fields["description"] = vars(result.description)
    fields["competence"] = None if result.competence is None else result.competence.as_dict()
    columns = result.items if isinstance(result.items, ItemColumns) and can_store_columns() else None
    fields["items"] = [vars(item) for item in result.items] if columns is None else stored_items(columns)
    fields["skipped"] = [vars(skip) for skip in result.skipped]
    with gc_paused():
        return {"schema": SCHEMA if columns is None else SCHEMA_OF_COLUMNS, **plain(fields)}


def storable(result: Result, *, items: bool = True) -> dict[str, Any]:
    """The document of a result as read back from a file; an error if it cannot be written to one."""
    try:
        text = json.dumps(result_to_dict(result, items=items), allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        with gc_paused():
            document: dict[str, Any] = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultError(
            f"{escape_control(result.title)} cannot be stored ({error}); use plain finite numbers, text, lists and "
            "dicts in its names, labels, options and attachments"
        ) from error
    return document


def result_from_dict(document: object, beside: Path | None = None) -> Result:
    """Rebuild a result; an error for documents that this release cannot understand.

    ``beside`` is the folder of a results file, which has the files of items that the document refers to.
    """
    checked = check_schema(document, "a result", SCHEMA_OF_COLUMNS)
    with gc_paused(), refusing_damage("a stored result"):
        fields = upgraded_result(checked)
        without_unknown_fields([fields], Result)
        if isinstance(reference := fields.get("items"), Mapping):
            return replace(converted({**fields, "items": []}, Result), items=read_items(reference, beside))
        without_unknown_fields(fields.get("items", ()), ItemScore)
        return converted(fields, Result)


def without_unknown_fields(documents: Iterable[Any], kind: type) -> list[Any]:
    """The documents; an error if one has a field unknown to ``kind``: a misspelt field would count as missing."""
    known = {field.name for field in dataclass_fields(kind)}
    listed = list(documents)
    for document in listed:
        if isinstance(document, Mapping) and (unknown := sorted(set(document) - known)):
            raise ResultError(f"unknown field {unknown[0]!r} of a {kind.__name__}")
    return listed


def converted(document: object, kind: type[Kind]) -> Kind:
    """The value of a document, every field checked against its type."""
    return msgspec.convert(document, kind)


def read_document(path: Path, kind: str, noun: str, flag: str) -> dict[str, Any]:
    """Read a JSON object written by biascheck; an error with the remedy for anything else."""
    try:
        with gc_paused():
            document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_finite, parse_float=_finite)
    except FileNotFoundError as error:
        raise ResultError(f"no {noun} at {path}; write them with pytest {flag} {path}") from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not readable as JSON ({error}); the file is damaged, measure again") from error
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error}); name a file that pytest {flag} wrote") from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise ResultError(f"{path}: not a {kind} file")
    return document


def _finite(text: str) -> float:
    """Raise ValueError for NaN and infinities, which our files cannot contain."""
    if not isfinite(number := float(text)):
        raise ValueError(f"{text} is not a finite number")
    return number


@contextmanager
def refusing_damage(what: str) -> Iterator[None]:
    """Report what is wrong with a stored document, instead of failing on it."""
    try:
        yield
    except BiascheckError as error:
        raise ResultError(f"{what} is damaged: {str(error).removesuffix(AGAIN)}{AGAIN}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        # msgspec's ValidationError is a ValueError that names the field
        raise ResultError(f"{what} lacks or misspells a field ({error}){AGAIN}") from error


def check_schema(document: object, what: str, newest: int) -> dict[str, Any]:
    """The document; an error if biascheck did not write it or a newer release did."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise ResultError(f"{what}: no schema version; biascheck did not write this")
    if schema > newest:
        raise ResultError(
            f"{what}: written with schema {schema}, and this release reads up to {newest}; upgrade pytest-biascheck"
        )
    assert isinstance(document, Mapping)
    return dict(document)


def plain(value: Any) -> Any:
    """Mappings, tuples and named values as dictionaries and lists; other values are left to JSON."""
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is dict:
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, msgspec.Struct):
        # not msgspec.to_builtins: that writes sets, dates and bytes as something else, without a warning
        tag = value.__struct_config__.tag
        return {**({"kind": tag} if tag else {}), **plain(msgspec.structs.asdict(value))}
    if isinstance(value, PublishedFigure):
        return plain(vars(value))
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    return value
