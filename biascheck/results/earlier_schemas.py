"""Documents of earlier releases, brought to the present schema.

Up to schema 2 a result was known by the name of its model and its corpus: "bert·mix-all" was a treated model and
"bec-pro-en·male" a part of a corpus. Which label "male" belonged to was not kept, so that it is called ``part``, and
no result of this release is compared with such an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biascheck.results.key import Slice, corpus_label

__all__ = ["of_unknown_part", "upgraded_comparison", "upgraded_gate", "upgraded_result"]

FIRST_WITH_IDENTITY = 3
UNKNOWN_LABEL = "part"
IN_THE_KEY = ("measure", "statistic", "contrast")


def of_unknown_part(slice_: Slice) -> bool:
    """Whether a result of an earlier release is about a part of a corpus whose label was not kept."""
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
    """A gate of schema 1 or 2, which had no key: what it judged is known by names alone.

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
