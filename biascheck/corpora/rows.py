"""Rows of a table file or a DataFrame, as dictionaries; a missing cell is None."""

from __future__ import annotations

import csv
import io
import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from biascheck.errors import CorpusError, DataNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Frame", "read_rows"]

DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Frame(Protocol):
    """What is used of a pandas DataFrame; pandas itself is never imported here."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def astype(self, dtype: Any) -> Any:
        """The same frame with cells of another type."""

    def notna(self) -> Any:
        """Where the cells have a value."""


def read_rows(source: str | PathLike[str] | Frame) -> tuple[str, list[dict[str, object]]]:
    """Return a title for messages and the rows, which all have the same columns; never none."""
    if isinstance(source, str | PathLike):
        path = Path(source)
        title, rows = path.name, _from_file(path)
    else:
        title, rows = "the DataFrame", _from_frame(source)
    if not rows:
        raise CorpusError(f"{title} has no rows; missing data never passes")
    return title, rows


def _from_file(path: Path) -> list[dict[str, object]]:
    if path.suffix not in {*DELIMITERS, ".jsonl"}:
        raise CorpusError(f"{path.name} has the unknown extension {path.suffix!r}; use .csv, .tsv or .jsonl")
    if not path.is_file():
        raise DataNotFoundError(f"{path} does not exist; give the path of a .csv, .tsv or .jsonl file")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path.name} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    if path.suffix == ".jsonl":
        return _from_json_lines(path.name, text.splitlines())
    return _from_delimited(path.name, text, DELIMITERS[path.suffix])


def _from_delimited(title: str, text: str, delimiter: str) -> list[dict[str, object]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next(reader, [])
    if len(set(header)) != len(header):
        raise CorpusError(f"{title} has a column twice: {header}; rename one")
    rows: list[dict[str, object]] = []
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            raise CorpusError(
                f"{title}, line {reader.line_num}: {len(cells)} cells for {len(header)} columns; "
                "quote cells that contain the delimiter"
            )
        rows.append({column: cell if cell != "" else None for column, cell in zip(header, cells, strict=True)})
    return rows


def _from_json_lines(title: str, lines: Iterable[str]) -> list[dict[str, object]]:
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CorpusError(f"{title}, line {number}: not JSON ({error.msg}); write one object per line") from None
        if not isinstance(row, dict):
            raise CorpusError(f"{title}, line {number}: not a JSON object; write one object per line")
        rows.append(row)
    return _same_columns(rows)


def _same_columns(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    columns = dict.fromkeys(column for row in rows for column in row)
    return [{column: _present(row.get(column)) for column in columns} for row in rows]


def _present(value: object) -> object:
    return None if isinstance(value, float) and value != value else value


def _from_frame(frame: Frame) -> list[dict[str, object]]:
    if not hasattr(frame, "notna") or not hasattr(frame, "columns"):
        raise CorpusError(f"cannot read rows from a {type(frame).__name__}; give a path or a pandas DataFrame")
    if not frame.columns.is_unique:
        raise CorpusError(f"the DataFrame has a column twice: {list(frame.columns)}; rename one")
    rows: list[dict[str, object]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows
