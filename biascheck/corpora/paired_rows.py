"""Pairs from a table with one row per sentence, read twice and never held as a whole.

The first reading finds the groups, the columns of numbers and what is missing; the second makes each pair as soon as
its last sentence is there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from biascheck.corpora.pair import Pair
from biascheck.corpora.pair_columns import gathered_pairs
from biascheck.corpora.rows import Row, Rows
from biascheck.corpora.sentence import Sentence, Span
from biascheck.errors import CorpusError
from biascheck.packed_columns import repeats

__all__ = ["paired_rows", "renamed"]

REQUIRED = ("pair", "group", "sentence", "target")
OPTIONAL = ("attribute", "attribute_name", "target_start", "attribute_start")
OFFSET_COLUMNS = ("target_start", "attribute_start")

Members = dict[str, tuple[int, Row]]


def renamed(rows: Rows, columns: Mapping[str, str]) -> Rows:
    """The table with our names for the columns."""
    present = rows.columns
    missing = [name for name in REQUIRED if columns.get(name, name) not in present]
    missing += [name for name in columns if name not in REQUIRED and columns[name] not in present]
    if missing:
        wanted = [columns.get(name, name) for name in missing]
        raise CorpusError(
            f"{rows.title} lacks the columns {wanted}; it has {list(present)}. Rename them, or say which "
            f"column is which, as in columns={{{missing[0]!r}: 'your column'}}"
        )
    if not columns:
        return rows
    back = {theirs: ours for ours, theirs in columns.items()}
    return Rows(
        rows.title,
        tuple(back.get(column, column) for column in present),
        lambda: ({back.get(column, column): value for column, value in row.items()} for row in rows),
    )


def paired_rows(
    rows: Rows, labels: Sequence[str] | None, groups: tuple[str, ...] | None
) -> tuple[tuple[str, ...], Sequence[Pair]]:
    """The groups of a table, in the order of the rows unless given, and its pairs, in the order of their first rows."""
    kept = _label_columns(rows, labels)
    seen = _Survey.of(rows, kept)
    if seen.repeats:
        _refuse_repeats(rows)
    found = groups if groups is not None else tuple(seen.groups)
    maker = _Maker(rows, found, kept, seen.numeric)
    pairs = gathered_pairs(maker.pairs())
    return found, gathered_pairs(pairs[index] for index in maker.order()) if maker.out_of_order else pairs


def _label_columns(rows: Rows, labels: Sequence[str] | None) -> list[str]:
    others = [column for column in rows.columns if column not in REQUIRED + OPTIONAL]
    unknown = [] if labels is None else [label for label in labels if label not in rows.columns]
    if unknown:
        raise CorpusError(f"{rows.title} has no columns {unknown} to use as labels; it has {list(rows.columns)}")
    return others if labels is None else list(labels)


@dataclass
class _Survey:
    """What the first reading finds."""

    groups: dict[str, None] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)
    repeats: bool = False

    @classmethod
    def of(cls, rows: Rows, kept: Sequence[str]) -> _Survey:
        found = cls(numeric=set(kept))
        needed = [column for column in rows.columns if column in REQUIRED + OPTIONAL and column not in OFFSET_COLUMNS]
        hashes = array("q")
        for number, row in enumerate(rows, start=1):
            _refuse_empty(row, [*needed, *kept], kept, f"{rows.title}, row {number}")
            group = str(row["group"])
            found.groups.setdefault(group)
            found.numeric -= {column for column in found.numeric if _number(row[column]) is None}
            hashes.append(hash((str(row["pair"]), group)))
        found.repeats = repeats(hashes)
        return found


def _refuse_empty(row: Row, needed: Sequence[str], kept: Sequence[str], where: str) -> None:
    for column in needed:
        if row[column] is None or str(row[column]).strip() == "":
            way_out = "leave the column out with labels=[…]" if column in kept else "remove the pair"
            raise CorpusError(f"{where}: no value in {column!r}; fill it in or {way_out}")


def _refuse_repeats(rows: Rows) -> None:
    """Name the first row whose pair has its group already."""
    first: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, start=1):
        member = str(row["pair"]), str(row["group"])
        if member in first:
            raise CorpusError(
                f"{rows.title}, row {number}: pair {row['pair']!r} already has group {member[1]!r} in row "
                f"{first[member]}; a pair has one sentence per group"
            )
        first[member] = number


class _Maker:
    """The second reading: sentences wait for the others of their pair."""

    def __init__(self, rows: Rows, groups: tuple[str, ...], kept: Sequence[str], numeric: set[str]) -> None:
        self._rows = rows
        self._groups = groups
        self._kept = kept
        self._numeric = numeric
        self._waiting: dict[str, dict[str, tuple[int, tuple[object, ...]]]] = {}
        self._first_rows = array("q")

    def pairs(self) -> Iterator[Pair]:
        """Each pair when it is complete; one that stays incomplete is an error."""
        known = set(self._groups)
        for number, row in enumerate(self._rows, start=1):
            key = str(row["pair"])
            members = self._waiting.setdefault(key, {})
            # without the names of the columns, a waiting row takes a third of the memory
            members[str(row["group"])] = (number, tuple(row.values()))
            if members.keys() == known:
                yield self._pair(key)
        for key in list(self._waiting):
            yield self._pair(key)

    @property
    def out_of_order(self) -> bool:
        """Whether a pair was complete before one that began earlier."""
        return any(first > second for first, second in pairwise(self._first_rows))

    def order(self) -> list[int]:
        """The places of the pairs, by their first rows."""
        return sorted(range(len(self._first_rows)), key=self._first_rows.__getitem__)

    def _pair(self, key: str) -> Pair:
        title, groups, columns = self._rows.title, self._groups, self._rows.columns
        waiting = self._waiting.pop(key)
        if waiting.keys() != set(groups):
            raise CorpusError(
                f"{title}: pair {key!r} has groups {sorted(waiting)} but the corpus has {sorted(groups)}; "
                "add the missing sentences, remove the pair, or name the groups with groups=[…]"
            )
        members = {g: (n, dict(zip(columns, cells, strict=True))) for g, (n, cells) in waiting.items()}
        self._first_rows.append(min(number for number, _ in members.values()))
        sentences = {group: _sentence(members[group][1], f"{title}, row {members[group][0]}") for group in groups}
        first = members[groups[0]][1]
        attribute = first.get("attribute_name") or first.get("attribute") or key
        where = f"{title}: pair {key!r}"
        labels = {column: _label(column, members, column in self._numeric, where) for column in self._kept}
        return Pair(key, str(attribute), sentences, labels)


def _label(column: str, members: Members, numeric: bool, where: str) -> str | float:
    values = list(dict.fromkeys(str(row[column]) for _, row in members.values()))
    if len(values) > 1:
        raise CorpusError(
            f"{where} has different values in column {column!r}: {values}; a label describes the whole pair, "
            "leave the column out with labels=[…]"
        )
    return float(values[0]) if numeric else values[0]


def _sentence(row: Row, where: str) -> Sentence:
    text = str(row["sentence"])
    target = _span(text, str(row["target"]), row.get("target_start"), "target", where)
    attribute = None
    if "attribute" in row:
        attribute = _span(text, str(row["attribute"]), row.get("attribute_start"), "attribute", where)
    try:
        return Sentence(text, target, attribute)
    except CorpusError as error:
        raise CorpusError(f"{where}: {error}") from None


def _span(text: str, word: str, start: object, kind: str, where: str) -> Span:
    if start is not None and str(start).strip():
        return _span_at(text, word, start, kind, where)
    found = [match.start() for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]
    if len(found) != 1:
        times = "not as a whole word" if not found else f"{len(found)} times"
        raise CorpusError(f"{where}: {kind} {word!r} occurs {times} in {text!r}; give {kind}_start, its offset from 0")
    return Span(found[0], found[0] + len(word))


def _span_at(text: str, word: str, start: object, kind: str, where: str) -> Span:
    number = _number(start)
    if number is None or number != int(number):
        raise CorpusError(f"{where}: {kind}_start is {start!r}; it must be a whole number, counted from 0")
    span = Span(int(number), int(number) + len(word))
    if span.start < 0 or span.of(text) != word:
        raise CorpusError(
            f"{where}: at {kind}_start {span.start} is {span.of(text)!r}, not the {kind} {word!r}; "
            "offsets are counted in characters from 0"
        )
    return span


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None
