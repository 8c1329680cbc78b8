"""The user's own corpus: a table with one row per sentence, or lists of templates and words."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from biascheck.core.columns import repeats
from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.core.release import require
from biascheck.core.spans import Span
from biascheck.core.wording import escape_control, shortened
from biascheck.corpora.corpus import Corpus, Pair, gathered_pairs
from biascheck.corpora.published import parsed_json
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.templates import Attribute, Target, Template, cross, refuse_same_words

# Rows of a table file or a DataFrame, as dictionaries; a missing cell is None. They are read lazily.
# needed.

DELIMITERS = {".csv": ",", ".tsv": "\t"}
EXTENSIONS = ".csv, .tsv, .jsonl or .parquet"
ROWS_AT_ONCE = 4_096
UNPAIRED = re.compile(r"[\ud800-\udfff]")

Row = dict[str, object]


class DataFrameLike(Protocol):
    """The part of a pandas DataFrame that is used; pandas itself is never imported here."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    @property
    def iloc(self) -> Any:
        """Rows by their indices."""

    def astype(self, dtype: Any) -> Any:
        """The same frame with cells of another type."""

    def notna(self) -> Any:
        """Where the cells have a value."""


@dataclass(frozen=True)
class Rows:
    """A table that can be read repeatedly; all rows have the same columns. Never without a row."""

    title: str
    columns: tuple[str, ...]
    _open: Callable[[], Iterator[Row]]

    def __iter__(self) -> Iterator[Row]:
        return self._open()


def rows_of(source: str | PathLike[str] | DataFrameLike) -> Rows:
    """The rows of a file or a DataFrame, with a title for messages."""
    if isinstance(source, str | PathLike):
        path = Path(source)
        title, columns, opened = path.name, *_from_file(path)
    else:
        title, columns, opened = "the DataFrame", *_from_frame(source)
    if next(opened(), None) is None:
        raise CorpusError(f"{title} has no rows; missing data never passes")
    return Rows(title, tuple(columns), opened)


def read_rows(source: str | PathLike[str] | DataFrameLike) -> tuple[str, list[Row]]:
    """Return a title for messages and all rows at once, for tables that are never large."""
    rows = rows_of(source)
    return rows.title, list(rows)


Opened = tuple[list[str], Callable[[], Iterator[Row]]]


def _from_file(path: Path) -> Opened:
    if path.suffix not in {*DELIMITERS, ".jsonl", ".parquet"}:
        raise CorpusError(f"{path.name} has the unknown extension {path.suffix!r}; use {EXTENSIONS}")
    if not path.is_file():
        raise DataNotFoundError(f"{path} does not exist; give the path of a {EXTENSIONS} file")
    if path.suffix == ".parquet":
        return _from_parquet(path)
    return _from_json_lines(path) if path.suffix == ".jsonl" else _from_delimited(path)


@contextmanager
def _lines(path: Path, newline: str | None) -> Iterator[Iterator[str]]:
    """The lines of a UTF-8 file, one at a time."""
    try:
        with path.open(encoding="utf-8-sig", newline=newline) as file:
            yield file
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path.name} is not UTF-8 (byte {_bad_byte(path, error)}); save it as UTF-8") from None
    except OSError as error:
        raise CorpusError(f"{path.name} cannot be read ({error}); make it readable, or write it again") from None
    except csv.Error as error:
        raise CorpusError(f"{path.name} is no table that can be read ({error}); write it again") from None


def _bad_byte(path: Path, error: UnicodeDecodeError) -> int:
    """The position of the byte in the whole file; the error counts from the part that was being read."""
    try:
        path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as whole:
        return whole.start
    return error.start


def _from_delimited(path: Path) -> Opened:
    delimiter = DELIMITERS[path.suffix]
    with _lines(path, newline="") as lines:
        header = next(csv.reader(lines, delimiter=delimiter), [])
    if len(set(header)) != len(header):
        raise CorpusError(f"{path.name} has a column twice: {header}; rename one")

    def rows() -> Iterator[Row]:
        with _lines(path, newline="") as lines:
            reader = csv.reader(lines, delimiter=delimiter)
            next(reader, None)
            for cells in filter(None, reader):
                if len(cells) != len(header):
                    raise CorpusError(
                        f"{path.name}, line {reader.line_num}: {len(cells)} cells for {len(header)} columns; "
                        "quote cells that contain the delimiter"
                    )
                yield {column: cell if cell != "" else None for column, cell in zip(header, cells, strict=True)}

    return header, rows


def _from_json_lines(path: Path) -> Opened:
    def objects() -> Iterator[Row]:
        with _lines(path, newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _json_object(line, f"{path.name}, line {number}")

    columns = list(dict.fromkeys(column for row in objects() for column in row))
    return columns, lambda: _completed(objects(), columns)


def _json_object(line: str, where: str) -> Row:
    row = parsed_json(line, where, "write one object per line")
    if not isinstance(row, dict):
        raise CorpusError(f"{where}: not a JSON object; write one object per line")
    if "\\u" in line and any(UNPAIRED.search(str(cell)) for cell in row.values()):
        raise CorpusError(f"{where}: half a character (a lone surrogate), which cannot be written; correct it")
    return row


def _completed(rows: Iterable[Row], columns: list[str]) -> Iterator[Row]:
    return ({column: _present(row.get(column)) for column in columns} for row in rows)


def _present(value: object) -> object:
    return None if isinstance(value, float) and value != value else value


def _from_parquet(path: Path) -> Opened:
    require(f"reading {path.name}", "arrow", error=CorpusError, instead=", or save it as .csv")
    from pyarrow import parquet

    with _as_parquet(path):
        columns = [str(name) for name in parquet.read_schema(path).names]
    if len(set(columns)) != len(columns):
        raise CorpusError(f"{path.name} has a column twice: {columns}; rename one")

    def rows() -> Iterator[Row]:
        with _as_parquet(path), parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                yield from _completed(batch.to_pylist(), columns)

    return columns, rows


@contextmanager
def _as_parquet(path: Path) -> Iterator[None]:
    """Whatever a damaged file makes the library raise is an error about that file."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, ValueError, OverflowError, LookupError, TypeError, MemoryError) as error:
        if isinstance(error, CorpusError):
            raise
        said = escape_control(shortened(str(error), 200))
        raise CorpusError(f"{path.name} is not a Parquet file that can be read ({said}); write it again") from None


def _from_frame(frame: DataFrameLike) -> Opened:
    if not hasattr(frame, "notna") or not hasattr(frame, "columns"):
        raise CorpusError(f"cannot read rows from a {type(frame).__name__}; give a path or a pandas DataFrame")
    if not frame.columns.is_unique:
        raise CorpusError(f"the DataFrame has a column twice: {list(frame.columns)}; rename one")

    def rows() -> Iterator[Row]:
        start = 0
        while len(part := frame.iloc[start : start + ROWS_AT_ONCE]):
            yield from part.astype(object).where(part.notna(), None).to_dict("records")
            start += ROWS_AT_ONCE

    return list(frame.columns), rows


# Pairs from a table with one row per sentence, read twice and never loaded as a whole.
#
# The first reading finds the groups, the columns of numbers and what is missing; the second makes each pair as
# soon as its last sentence is there.

REQUIRED = ("pair", "group", "sentence", "target")
OPTIONAL = ("attribute", "attribute_name", "target_start", "attribute_start")
OFFSET_COLUMNS = ("target_start", "attribute_start")

Members = dict[str, tuple[int, Row]]


def renamed(rows: Rows, columns: Mapping[str, str]) -> Rows:
    """The table with the standard column names."""
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
    if len(found) < 2:
        listed = ", ".join(found) or "none"
        raise CorpusError(
            f"{rows.title}: a comparison needs two groups or more, and there are: {listed}; add the others"
        )
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
    """The result of the first reading."""

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
    """Raise an error that names the first row whose pair has its group already."""
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
        """Each pair as soon as it is complete; one that stays incomplete is an error."""
        known = set(self._groups)
        for number, row in enumerate(self._rows, start=1):
            key = str(row["pair"])
            members = self._waiting.setdefault(key, {})
            # without the column names, a waiting row takes a third of the memory
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
        """The positions of the pairs, by their first rows."""
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
        refuse_same_words({group: one.target_text for group, one in sentences.items()}, f"{title}: pair {key!r}")
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


def corpus_from_table(
    source: str | PathLike[str] | DataFrameLike,
    *,
    name: str | None = None,
    groups: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] | None = None,
    language: str = "en",
    fillers: Sequence[str] = (),
) -> Corpus:
    """Make a corpus from a .csv, .tsv, .jsonl or .parquet file or a DataFrame with one row per sentence.

    A file is read row by row, twice, so that it may be larger than memory; Parquet needs
    the extra ``arrow``.

    Columns ``pair`` (the same for the sentences that belong together), ``group``, ``sentence`` and
    ``target`` (the word that carries the group) are required. ``attribute`` is what the pair is compared
    on, as it is written in the sentence; ``attribute_name`` names it where its forms differ between
    groups, and without either every pair is an attribute of its own. All other columns, or only those
    in ``labels``, become labels and must agree within a pair; a column of numbers becomes numbers.

    Words are found by the offsets in ``target_start`` and ``attribute_start`` (from 0), or else as the only
    whole-word occurrence: an ambiguous word is an error, never guessed. ``groups`` orders the groups, and
    so gives the gap ``groups[0] − groups[1]`` its sign; by default they come in the order of the rows.
    ``columns`` renames: ``{"sentence": "text"}`` reads the sentence from the column called text.
    """
    rows = renamed(rows_of(source), columns or {})
    found, pairs = paired_rows(rows, labels, None if groups is None else tuple(groups))
    return Corpus(name or rows.title, found, pairs, language, tuple(fillers))


def corpus_from_templates(
    name: str,
    *,
    templates: Sequence[str | Template],
    targets: Sequence[Mapping[str, str | Target]],
    attributes: Sequence[str | Attribute] = (),
    groups: Sequence[str] | None = None,
    language: str = "en",
    fillers: Sequence[str] = (),
) -> Corpus:
    """Make a corpus from lists: every template with every target set and every attribute.

    A target set maps groups to words: ``{"male": "my brother", "female": "my sister"}``. In a phrase only
    the last word is the target; pass a :class:`Target` if that is wrong. ``groups`` orders the groups;
    by default they come in the order of the first target set.
    """
    if not templates or not targets:
        raise CorpusError(f"corpus {name!r} needs at least one template and one target set")
    sets = [tuple(_target(word, group) for group, word in target_set.items()) for target_set in targets]
    made = [item if isinstance(item, Template) else Template(item) for item in templates]
    listed = [item if isinstance(item, Attribute) else Attribute(item) for item in attributes]
    order = tuple(groups) if groups is not None else tuple(target.group for target in sets[0])
    return Corpus(name, order, cross(made, sets, listed), language, tuple(fillers))


def _target(word: str | Target, group: str) -> Target:
    if isinstance(word, Target):
        if word.group != group:
            raise CorpusError(f"target {word.word!r} has group {word.group!r} but is listed under {group!r}")
        return word
    determiner, _, noun = word.strip().rpartition(" ")
    return Target(noun, group, determiner)
