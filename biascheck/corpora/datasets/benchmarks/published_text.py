"""Published files as text, plain or gzipped, wherever the user has them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.data_directory import data_directory, data_file
from biascheck.errors import CorpusError, DataNotFoundError

__all__ = ["json_lines", "published_file", "published_folder", "table_rows", "text_of"]


def published_file(folder_or_file: str | Path | None, *parts: str) -> Path:
    """Find a published file as :func:`data_file` does, under its own name or with ``.gz``."""
    try:
        return data_file(folder_or_file, *parts)
    except DataNotFoundError:
        try:
            return data_file(folder_or_file, *parts[:-1], f"{parts[-1]}.gz")
        except DataNotFoundError:
            pass
        raise


def published_folder(folder: str | Path | None, name: str) -> Path:
    """The folder of a data set: inside the data directory, or given itself."""
    root = data_directory(folder)
    if root is None:
        data_file(None, name)  # says how to name the data directory
    assert root is not None
    found = root / name if (root / name).is_dir() else root
    if not found.is_dir():
        raise DataNotFoundError(f"{found} is not a folder; name the folder with {name}, or the data directory above it")
    return found


def text_of(path: Path) -> str:
    """The whole text of a file; ``.gz`` is unpacked."""
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return raw.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read ({error}); fetch the file again") from None


def json_lines(path: Path) -> list[dict[str, Any]]:
    """One object a line."""
    found = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CorpusError(f"{path.name}, line {number}: not JSON ({error.msg}); fetch the file again") from None
        if not isinstance(row, dict):
            raise CorpusError(f"{path.name}, line {number}: not a JSON object; is it the published file?")
        found.append(row)
    return found


def table_rows(path: Path, needed: Iterable[str], *, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a delimited file, which must have the columns that are needed."""
    rows = list(csv.DictReader(io.StringIO(text_of(path), newline=""), delimiter=delimiter))
    missing = sorted(set(needed) - set(rows[0] if rows else ()))
    if missing:
        raise CorpusError(f"{path} lacks the columns {missing}: is it the published file?")
    return rows
