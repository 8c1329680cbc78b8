"""GAP: ambiguous pronouns of Wikipedia with two names each (Webster et al. 2018)."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import LeftOut
from biascheck.corpora.published import part_files
from biascheck.corpora.sentence import refuse_repeated

Referent = Literal["A", "B", "neither"]

GENDER_OF_PRONOUN = {"he": "male", "him": "male", "his": "male", "she": "female", "her": "female", "hers": "female"}
GAP_COLUMNS = {"ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL"}
GAP_WINDOW = 1_200
PARTS = ("development", "validation")


@dataclass(frozen=True, slots=True)
class GapItem:
    """A text with a pronoun and two names: which of them, if any, the pronoun refers to."""

    id: str
    text: str
    pronoun: Span
    a: Span
    b: Span
    referent: Referent
    gender: str
    page: str

    @property
    def mentions(self) -> tuple[Span, Span, Span]:
        """The pronoun, the first name and the second, as read by the probe."""
        return self.pronoun, self.a, self.b


@dataclass(frozen=True)
class Gap:
    """Items of GAP, with those that were left out."""

    name: str
    items: tuple[GapItem, ...]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.items:
            raise CorpusError(f"{self.name!r} is empty; missing data never passes")
        refuse_repeated((item.id for item in self.items), repr(self.name), "give every row an ID of its own")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[GapItem]:
        return iter(self.items)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of texts, mentions and labels in their order, on which folds depend."""
        facts = [
            [i.id, i.text, *([span.start, span.end] for span in i.mentions), i.referent, i.gender, i.page]
            for i in self.items
        ]
        left_out = [[left.id, left.reason] for left in self.left_out]
        return hashlib.sha256(json.dumps([facts, left_out, self.warnings], ensure_ascii=False).encode()).hexdigest()


def published_gap(
    folder_or_file: str | Path | None = None, *, parts: tuple[str, ...] | None = None, window: int = GAP_WINDOW
) -> Gap:
    """The GAP files, every offset checked against its text: development and validation, other ``parts``, or one file.

    A text longer than ``window`` characters is cut to the part around the three mentions, cut at spaces. A row
    whose offsets do not point to its words, or whose mentions lie further apart than the window, is left out with
    the reason.
    """
    items: list[GapItem] = []
    left_out: list[LeftOut] = []
    files = part_files(folder_or_file, parts, "gap", default=PARTS)
    for path in files.values():
        for row in _rows(path):
            item = _item(row, window)
            if isinstance(item, GapItem):
                items.append(item)
            else:
                left_out.append(LeftOut(row["ID"], item))
    return Gap(f"gap-{'+'.join(files)}", tuple(items), tuple(left_out))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = GAP_COLUMNS - set(reader.fieldnames or ())
        if missing:
            raise CorpusError(f"{path} has no column {', '.join(sorted(missing))}; it must be a GAP file")
        yield from reader


def _item(row: Mapping[str, str], window: int) -> GapItem | str:
    """The item, or the reason why there is none."""
    text, spans = row["Text"], []
    for name, offset in (("Pronoun", "Pronoun-offset"), ("A", "A-offset"), ("B", "B-offset")):
        word = row[name]
        start = int(row[offset]) if row[offset].isdigit() else -1
        if start < 0 or not word or text[start : start + len(word)] != word:
            return f"{name} {word!r} is not at offset {row[offset]} of the text"
        spans.append(Span(start, start + len(word)))
    if any(left.overlaps(right) for i, left in enumerate(spans) for right in spans[i + 1 :]):
        return "its mentions overlap"
    gender = GENDER_OF_PRONOUN.get(row["Pronoun"].lower())
    if gender is None:
        return f"the pronoun {row['Pronoun']!r} shows no gender"
    truth = (row["A-coref"].upper() == "TRUE", row["B-coref"].upper() == "TRUE")
    if truth == (True, True):
        return "both names are marked as the referent"
    cut = _window(text, spans, window)
    if cut is None:
        return f"its mentions lie more than {window} characters apart"
    pronoun, a, b = (Span(span.start - cut.start, span.end - cut.start) for span in spans)
    referent: Referent = "A" if truth[0] else "B" if truth[1] else "neither"
    return GapItem(row["ID"], cut.of(text), pronoun, a, b, referent, gender, row["URL"])


def _window(text: str, spans: list[Span], width: int) -> Span | None:
    """The part of the text to keep: all of it, or ``width`` characters with the mentions in their middle."""
    if len(text) <= width:
        return Span(0, len(text))
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    room = width - (last - first)
    if room < 0:
        return None
    start = max(0, min(first - room // 2, len(text) - width))
    end = min(len(text), start + width)
    if start > 0:
        start = min(text.find(" ", start) + 1 or first, first)
    if end < len(text):
        end = max(text.rfind(" ", 0, end), last)
    return Span(start, end)
