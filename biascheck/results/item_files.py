"""The items of a large result in a Parquet file, which a document refers to by name and digest.

A file is named by its own SHA-256, so that the same items are written once and a swapped file is noticed.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from biascheck.errors import ResultError
from biascheck.files import large_files_folder, replacing
from biascheck.release import is_installed, require
from biascheck.results.item_columns import ItemColumns

__all__ = [
    "ItemFile",
    "can_store_columns",
    "copied_beside",
    "item_files_of",
    "read_items",
    "stored_items",
]

ITEM_SCHEMA = 1
"""Version of the columns of an item file."""
SUFFIX = ".parquet"
WORKER = "PYTEST_XDIST_WORKER"

ItemFile = dict[str, Any]
"""What a document says of its items: ``file``, ``sha256``, ``count`` and ``schema``."""

_READ: WeakValueDictionary[str, ItemColumns] = WeakValueDictionary()


def can_store_columns() -> bool:
    """Whether there is pyarrow, and a place that lasts long enough; else all items are in the document.

    A worker of a parallel run is gone before its results are read, and its own folder with it.
    """
    lasts = large_files_folder() is not None or WORKER not in os.environ
    return lasts and has_arrow()


def has_arrow() -> bool:
    """Whether pyarrow is installed."""
    return is_installed("pyarrow")


@cache
def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="biascheck-items-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def stored_items(items: ItemColumns) -> ItemFile:
    """Write the items where large results are kept, unless they are there already; say how to find them."""
    folder = large_files_folder() or _temporary()
    known = items.stored
    if known is None or not (folder / f"{known}{SUFFIX}").is_file():
        known = items.stored = _written(items, folder)
        _READ[known] = items
    return {"file": str(folder / f"{known}{SUFFIX}"), "sha256": known, "count": len(items), "schema": ITEM_SCHEMA}


def _written(items: ItemColumns, folder: Path) -> str:
    from biascheck.results.item_tables import write_table

    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".items.")
    os.close(handle)
    staging = Path(name)
    try:
        write_table(items, staging)
        digest = _digest(staging)
        with staging.open("rb") as file:
            os.fsync(file.fileno())
        staging.chmod(0o644)
        staging.replace(folder / f"{digest}{SUFFIX}")
    finally:
        staging.unlink(missing_ok=True)
    return digest


def read_items(document: Mapping[str, Any], beside: Path | None = None) -> ItemColumns:
    """The items that a document refers to; a file that is missing, damaged or of something else is refused.

    ``beside`` is the folder of a results file, which may refer only to files in it.
    """
    path, digest, count = _checked(document, beside)
    if (known := _READ.get(digest)) is not None and len(known) == count:
        return known
    if not path.is_file():
        raise ResultError(f"the items are in {path.name}, which is not there; keep it beside the file that names it")
    require(f"the items are in {path.name}; reading it", "arrow", error=ResultError)
    if _digest(path) != digest:
        raise ResultError(f"{path.name} is damaged or another file: its checksum does not match")
    from biascheck.results.item_tables import read_table

    items = read_table(path)
    if len(items) != count:
        raise ResultError(f"{path.name} has {len(items):,} items, and {count:,} were written")
    items.stored = digest
    _READ[digest] = items
    return items


def _checked(document: Mapping[str, Any], beside: Path | None) -> tuple[Path, str, int]:
    unknown = sorted(set(document) - {"file", "sha256", "count", "schema"})
    if unknown:
        raise ResultError(f"unknown field {unknown[0]!r} of a reference to items")
    name, digest, count = document["file"], document["sha256"], document["count"]
    if not isinstance(name, str) or not isinstance(digest, str) or type(count) is not int:
        raise ResultError("a reference to items needs a file, its sha256 and its count")
    if document["schema"] != ITEM_SCHEMA:
        raise ResultError(f"items of schema {document['schema']}, and this release reads {ITEM_SCHEMA}; upgrade")
    if beside is None:
        return Path(name), digest, count
    if Path(name).name != name:
        raise ResultError(f"items are in {json.dumps(name)}; a results file refers to files beside it only")
    return beside / name, digest, count


def copied_beside(document: Mapping[str, Any], path: Path) -> ItemFile:
    """Copy an item file beside a results file; returns the reference to the copy."""
    name = f"{path.stem}.items-{document['sha256'][:12]}{SUFFIX}"
    target = path.with_name(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not target.is_file() or _digest(target) != document["sha256"]:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{name[:64]}.")
        os.close(handle)
        with replacing(target, Path(temporary)) as file, Path(document["file"]).open("rb") as source:
            shutil.copyfileobj(source, file)
    return {**document, "file": name}


def item_files_of(path: Path) -> list[Path]:
    """The item files that belong to a results file, of this run or of an earlier one."""
    return sorted(path.parent.glob(f"{path.stem}.items-" + "[0-9a-f]" * 12 + SUFFIX))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
