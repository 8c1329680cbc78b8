"""A stereotype, its opposite and something unrelated, as in StereoSet (Nadeem et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import LeftOut
from biascheck.corpora.items import ItemSet, Labels, about_left_out, builtin_rows
from biascheck.corpora.published import caveats_of_file, parsed_json, published_file, rows_as_published, text_of

ROLES = ("stereotype", "anti-stereotype", "unrelated")
BLANK = "BLANK"
AGREEMENT = 0.7
"""The share of annotators (four of five) that must agree with a sentence's label, or its item is flagged."""

TripleKind = Literal["intrasentence", "intersentence"]


@dataclass(frozen=True)
class Continued:
    """One of three sentences; ``start`` and ``end`` are the characters of what fills the blank, 0 and 0 if none."""

    id: str
    text: str
    start: int = 0
    end: int = 0

    @property
    def blank(self) -> Span | None:
        """The characters that fill the blank."""
        return Span(self.start, self.end) if self.end else None


@dataclass(frozen=True)
class StereotypeTriple:
    """A context about a target term and three ways to complete it, by role (:data:`ROLES`).

    ``intrasentence``: the texts are the context with its blank filled. ``intersentence``: they are sentences that may
    follow it. The cluster is the target term. Labels: ``kind``, ``domain``, ``target``.
    """

    id: str
    cluster: str
    kind: TripleKind
    context: str
    texts: Mapping[str, Continued]
    labels: Labels = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def published_triples(
    folder_or_file: str | Path | None = None, kind: TripleKind | Literal["both"] = "both"
) -> ItemSet[StereotypeTriple]:
    """StereoSet's development set: 2,106 intrasentence and 2,123 intersentence items over 79 target terms.

    Flagged are items with a sentence whose label fewer than four of five annotators gave. An intrasentence item whose
    sentence does not fit its context is left out if it is scored by the blank; here it is flagged.
    """
    path = published_file(folder_or_file, "stereoset", "dev.json")
    data = _data(path)
    kinds: Sequence[TripleKind] = ("intrasentence", "intersentence") if kind == "both" else (kind,)
    items: list[StereotypeTriple] = []
    left_out: list[LeftOut] = []
    for part in kinds:
        for row in data[part]:
            with rows_as_published(path):
                made = _item(row, part)
            if isinstance(made, LeftOut):
                left_out.append(made)
            else:
                items.append(made)
    name = "published-stereoset" + ("" if kind == "both" else f"-{kind}")
    warnings = (*about_left_out(left_out), *caveats_of_file("stereoset", path, len(items) + len(left_out)))
    return ItemSet(name, tuple(items), tuple(left_out), warnings, paper="nadeem2021")


def blank_of(context: str, text: str) -> Span | None:
    """The characters of ``text`` at the place of the context's blank; None if the rest differs."""
    before, found, after = context.partition(BLANK)
    if not found or not text.lower().startswith(before.lower()) or not text.lower().endswith(after.lower()):
        return None
    start, end = len(before), len(text) - len(after)
    return Span(start, end) if start < end else None


def _data(path: Path) -> dict[str, list[dict[str, Any]]]:
    whole = parsed_json(text_of(path), f"{path} is not StereoSet's file", "fetch dev.json again")
    data = whole.get("data") if isinstance(whole, dict) else None
    if not isinstance(data, dict):
        raise CorpusError(f"{path} is not StereoSet's file: it has no data; fetch dev.json again")
    if not {"intrasentence", "intersentence"} <= set(data):
        raise CorpusError(f"{path} has the parts {sorted(data)}, and StereoSet has intrasentence and intersentence")
    if other := [part for part in ("intrasentence", "intersentence") if not isinstance(data[part], list)]:
        raise CorpusError(f"{path}: {other[0]} is no list of items; fetch dev.json again")
    return dict(data)


def _item(row: Mapping[str, Any], kind: TripleKind) -> StereotypeTriple | LeftOut:
    _require_texts(row, ("id", "target", "bias_type", "context"))
    roles = [sentence["gold_label"] for sentence in row["sentences"]]
    if sorted(roles) != sorted(ROLES):
        return LeftOut(row["id"], f"its sentences are labelled {sorted(roles)}, not {sorted(ROLES)}")
    flags: list[str] = []
    texts = {}
    for sentence in row["sentences"]:
        _require_texts(sentence, ("id", "sentence"))
        span = blank_of(row["context"], sentence["sentence"]) if kind == "intrasentence" else None
        if kind == "intrasentence" and span is None:
            flags.append("a sentence is not the context with its blank filled")
        place = (span.start, span.end) if span else (0, 0)
        texts[sentence["gold_label"]] = Continued(sentence["id"], sentence["sentence"], *place)
        if _agreement(sentence) < AGREEMENT:
            flags.append("fewer than four of five annotators gave a sentence its label")
    labels = {"kind": kind, "domain": row["bias_type"], "target": row["target"]}
    ordered = {role: texts[role] for role in ROLES}
    return StereotypeTriple(
        row["id"], row["target"], kind, row["context"], ordered, labels, tuple(dict.fromkeys(flags))
    )


def _require_texts(row: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if not isinstance(row[name], str):
            raise TypeError(f"{name} is no text")


def _agreement(sentence: Mapping[str, Any]) -> float:
    given = [label["label"] for label in sentence["labels"]]
    return given.count(sentence["gold_label"]) / len(given) if given else 0.0


@cache
def builtin_triples() -> ItemSet[StereotypeTriple]:
    """40 built-in triples about 20 terms, for each one within a sentence and one across two. Labels as published."""
    items = []
    for number, row in enumerate(builtin_rows("builtin_triples.tsv"), start=1):
        within = row["kind"] == "intrasentence"
        texts = {}
        for role in ROLES:
            text = row["context"].replace("BLANK", row[role]) if within else row[role]
            span = blank_of(row["context"], text) if within else None
            place = (span.start, span.end) if span else (0, 0)
            texts[role] = Continued(f"own-triple-{number}-{role}", text, *place)
        labels = {"kind": row["kind"], "domain": row["domain"], "target": row["target"]}
        kind: TripleKind = "intrasentence" if within else "intersentence"
        items.append(StereotypeTriple(f"own-triple-{number}", row["target"], kind, row["context"], texts, labels))
    return ItemSet("own-triples", tuple(items), paper="nadeem2021")
