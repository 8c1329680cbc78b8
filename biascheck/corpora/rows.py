"""Rows of a table file or a DataFrame, as dictionaries; a missing cell is None. They are read as they are needed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from biascheck.errors import CorpusError, DataNotFoundError
from biascheck.release import require

__all__ = ["DataFrameLike", "Row", "Rows", "read_rows", "rows_of"]

DELIMITERS = {".csv": ",", ".tsv": "\t"}
EXTENSIONS = ".csv, .tsv, .jsonl or .parquet"
ROWS_AT_ONCE = 4_096

Row = dict[str, object]


class DataFrameLike(Protocol):
    """What is used of a pandas DataFrame; pandas itself is never imported here."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    @property
    def iloc(self) -> Any:
        """Rows by their places."""

    def astype(self, dtype: Any) -> Any:
        """The same frame with cells of another type."""

    def notna(self) -> Any:
        """Where the cells have a value."""


@dataclass(frozen=True)
class Rows:
    """A table that can be gone through again and again; all rows have the same columns. Never without a row."""

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


def _bad_byte(path: Path, error: UnicodeDecodeError) -> int:
    """Where in the whole file the byte is; the error counts from the part that was being read."""
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
        with _lines(path, newline=None) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _json_object(line, f"{path.name}, line {number}")

    columns = list(dict.fromkeys(column for row in objects() for column in row))
    return columns, lambda: _completed(objects(), columns)


def _json_object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{where}: not JSON ({error.msg}); write one object per line") from None
    if not isinstance(row, dict):
        raise CorpusError(f"{where}: not a JSON object; write one object per line")
    return row


def _completed(rows: Iterable[Row], columns: list[str]) -> Iterator[Row]:
    return ({column: _present(row.get(column)) for column in columns} for row in rows)


def _present(value: object) -> object:
    return None if isinstance(value, float) and value != value else value


def _from_parquet(path: Path) -> Opened:
    require(f"reading {path.name}", "arrow", error=CorpusError, instead=", or save it as .csv")
    from pyarrow import ArrowException, parquet

    try:
        columns = [str(name) for name in parquet.read_schema(path).names]
    except (ArrowException, OSError) as error:
        raise CorpusError(f"{path.name} is not a Parquet file that can be read ({error}); write it again") from None
    if len(set(columns)) != len(columns):
        raise CorpusError(f"{path.name} has a column twice: {columns}; rename one")

    def rows() -> Iterator[Row]:
        try:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    yield from _completed(batch.to_pylist(), columns)
        except (ArrowException, OSError) as error:
            raise CorpusError(f"{path.name} is damaged ({error}); write it again") from None

    return columns, rows


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
