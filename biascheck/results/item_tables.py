"""Items as a Parquet table: one row an item, readable by pandas, DuckDB or Spark without this package.

Columns: ``id``, ``score``, ``cluster``, ``side``, ``covariate``, ``draw``; ``group:NAME`` for the score of each group;
``label:NAME`` for each label; ``text:NAME``, ``start:NAME`` and ``end:NAME`` for the sentence of each group and its
target. An empty cell is a value that the item has not. Labels of mixed types are JSON, which the column says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from biascheck.errors import BiascheckError, ResultError
from biascheck.results.item_columns import ItemColumns
from biascheck.results.items import ItemScore, Shown

__all__ = ["read_table", "write_table"]

KIND = "biascheck items"
ITEMS_SCHEMA = 1
ROWS_AT_ONCE = 16_384
PLAIN = ("id", "score", "cluster", "side", "covariate", "draw")


def write_table(items: ItemColumns, path: Path) -> None:
    """Write the items; what Parquet cannot hold is refused."""
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
    """Some items as lists, one for each column; as rows they would take several times as much."""
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
    """Read what :func:`write_table` wrote; every item is checked as one that is measured."""
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
        raise ResultError(f"{name} holds no items of biascheck")
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
