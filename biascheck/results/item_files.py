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
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from biascheck.core.errors import BiascheckError, ResultError
from biascheck.core.files import large_files_folder, replacing
from biascheck.core.release import is_installed, require
from biascheck.results.items import ItemColumns, ItemScore, Shown

# Items as a Parquet table: one row per item, readable by pandas, DuckDB or Spark without this package.
#
# Columns: ``id``, ``score``, ``cluster``, ``side``, ``covariate``, ``draw``; ``group:NAME`` for the score of
# each group; ``label:NAME`` for each label; ``text:NAME``, ``start:NAME`` and ``end:NAME`` for the sentence of
# each group and its target. An empty cell is a missing value. Labels of mixed types are JSON,
# which the column says.

KIND = "biascheck items"
ITEMS_SCHEMA = 1
ROWS_AT_ONCE = 16_384
PLAIN = ("id", "score", "cluster", "side", "covariate", "draw")


def write_table(items: ItemColumns, path: Path) -> None:
    """Write the items; an error for values that Parquet cannot store."""
    import pyarrow
    from pyarrow import parquet

    schema = _schema(items)
    try:
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for start in range(0, len(items), ROWS_AT_ONCE):
                part = range(start, min(start + ROWS_AT_ONCE, len(items)))
                writer.write_table(pyarrow.table(_cells(items, part, schema), schema))
    except (pyarrow.ArrowException, UnicodeEncodeError, TypeError, ValueError) as error:
        raise ResultError(f"the items cannot be stored ({error}); use plain text and numbers") from error


def _schema(items: ItemColumns) -> Any:
    import pyarrow as pa

    text, number, whole = pa.string(), pa.float64(), pa.int32()
    fields = [("id", text), ("score", number), ("cluster", text), ("side", text), ("covariate", number)]
    fields += [("draw", pa.int64()), *((f"group:{name}", number) for name in items.groups.columns)]
    listed = [pa.field(name, kind) for name, kind in fields]
    for name, values in items.labels.columns.items():
        kind = _kind_of(values.types)
        listed.append(pa.field(f"label:{name}", number if kind == "number" else text, metadata={"kind": kind}))
    for name in items.sentences.columns:
        listed += [pa.field(f"text:{name}", text), pa.field(f"start:{name}", whole), pa.field(f"end:{name}", whole)]
    return pa.schema(listed, metadata={"kind": KIND, "schema": str(ITEMS_SCHEMA)})


def _kind_of(types: set[type]) -> str:
    kinds = types - {type(None)}
    return "text" if kinds <= {str} else "number" if kinds == {float} else "json"


def _cells(items: ItemColumns, places: Iterable[int], schema: Any) -> dict[str, list[object]]:
    """Some items as lists, one for each column; as rows they would take several times as much memory."""
    cells: dict[str, list[object]] = {name: [] for name in schema.names}
    for place in places:
        row = _row(items[place], schema)
        for name, column in cells.items():
            column.append(row.get(name))
    return cells


def _row(item: ItemScore, schema: Any) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(item, name) for name in PLAIN}
    row |= {f"group:{name}": score for name, score in item.groups.items()}
    for name, value in item.labels.items():
        kind = schema.field(f"label:{name}").metadata[b"kind"]
        row[f"label:{name}"] = json.dumps(value, allow_nan=False) if kind == b"json" else value
    for name, shown in item.sentences.items():
        row |= {f"text:{name}": shown.text, f"start:{name}": shown.start, f"end:{name}": shown.end}
    return row


def read_table(path: Path) -> ItemColumns:
    """Read what :func:`write_table` wrote, with the same checks as for measured items."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            _require_ours(file.schema_arrow, path.name)
            return ItemColumns(_items(file))
    except (pyarrow.ArrowException, OSError) as error:
        raise ResultError(f"{path.name} is no Parquet file that can be read ({error})") from error
    except (BiascheckError, LookupError, TypeError, ValueError) as error:
        raise ResultError(f"{path.name}: {error}") from error


def _require_ours(schema: Any, name: str) -> None:
    facts = schema.metadata or {}
    if facts.get(b"kind") != KIND.encode() or any(column not in schema.names for column in PLAIN):
        raise ResultError(f"{name} contains no items of biascheck")
    if facts.get(b"schema") != str(ITEMS_SCHEMA).encode():
        raise ResultError(f"{name} has schema {facts.get(b'schema', b'?').decode()}, this release reads {ITEMS_SCHEMA}")


def _items(file: Any) -> Iterator[ItemScore]:
    schema = file.schema_arrow
    groups, labels, texts = (
        [(name, name.removeprefix(start)) for name in schema.names if name.startswith(start)]
        for start in ("group:", "label:", "text:")
    )
    as_json = {name for name, _ in labels if (schema.field(name).metadata or {}).get(b"kind") == b"json"}
    for batch in file.iter_batches(ROWS_AT_ONCE):
        for row in batch.to_pylist():
            yield ItemScore(
                **{name: row[name] for name in PLAIN},
                groups={name: row[column] for column, name in groups if row[column] is not None},
                labels={
                    name: json.loads(row[column]) if column in as_json else row[column]
                    for column, name in labels
                    if row[column] is not None
                },
                sentences={
                    name: Shown(row[column], row[f"start:{name}"], row[f"end:{name}"])
                    for column, name in texts
                    if row[column] is not None
                },
            )


ITEM_SCHEMA = 1
"""Version of the columns of an item file."""
SUFFIX = ".parquet"
WORKER = "PYTEST_XDIST_WORKER"

ItemFile = dict[str, Any]
"""The reference to an item file: ``file``, ``sha256``, ``count`` and ``schema``."""

_READ: WeakValueDictionary[str, ItemColumns] = WeakValueDictionary()


def can_store_columns() -> bool:
    """Whether pyarrow is installed and the folder outlives this process; else all items are in the document.

    A worker of a parallel run ends before its results are read, and its folder with it.
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
    """Write the items to the folder of large results, unless they are there already; return the reference."""
    folder = large_files_folder() or _temporary()
    known = items.stored
    if known is None or not (folder / f"{known}{SUFFIX}").is_file():
        known = items.stored = _written(items, folder)
        _READ[known] = items
    return {"file": str(folder / f"{known}{SUFFIX}"), "sha256": known, "count": len(items), "schema": ITEM_SCHEMA}


def _written(items: ItemColumns, folder: Path) -> str:
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
    """The items that a document refers to; an error for a file that is missing, damaged or unrelated.

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
    """Copy an item file into the folder of a results file; return the reference to the copy."""
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
