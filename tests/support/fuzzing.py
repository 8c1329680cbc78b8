"""Damaged inputs, as many as one likes and the same ones for the same seed.

``mutations`` damages a text: bytes are flipped, deleted, doubled, put in, or the end is lost; JSON and TOML are also
damaged as documents. ``document_mutations`` damages a document of dicts and lists: at a random path a value is removed,
replaced by one of another type or of absurd size, wrapped, or a key is renamed. Readers must answer each with an error
of this project, or read it.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date, time
from random import Random
from typing import Any

from biascheck.core.errors import BiascheckError

Path = tuple[Any, ...]
Write = Callable[[Any], str]

DEEP = 100_000
STRANGE_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    10**9,
    -(10**9),
    2**63,
    10**400,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "1",
    "\ud800",
    "\x00",
    "\x1b[31m\n",
    "../x",
    "/",
    "a" * 5_000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"x": [1, "2", None]},
)
STRANGE_BYTES = (
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b'"',
    b"[",
    b"{",
    b"}",
    b"\n",
    b",",
    b"NaN",
    b"1e999",
)


def mutations(text: str | bytes, count: int, seed: int) -> Iterator[bytes]:
    """``count`` damaged versions of a text; half of those of a JSON or TOML text are damaged documents."""
    random = Random(seed)
    content = text.encode() if isinstance(text, str) else text
    document, write = _parsed(content)
    for _ in range(count):
        if document is not None and random.random() < 0.5:
            yield _damaged_document(document, write, random)
        else:
            yield _damaged_bytes(content, random)


def document_mutations(document: object, count: int, seed: int) -> Iterator[object]:
    """``count`` damaged copies of a document of dicts, lists and plain values."""
    random = Random(seed)
    for _ in range(count):
        yield _damaged(document, random)


def is_refused(read: Callable[[], object], named: str) -> bool:
    """Whether reading ends in an error of ours, which must name the file; any other exception is passed on."""
    try:
        read()
    except BiascheckError as error:
        if named not in str(error):
            raise AssertionError(f"the error does not name {named}: {error}") from error
        return True
    return False


def _parsed(content: bytes) -> tuple[Any, Write]:
    """The document in a text and how to write it; ``None`` where it is neither JSON nor TOML."""
    try:
        return json.loads(content), json.dumps
    except (ValueError, RecursionError):
        pass
    try:
        return tomllib.loads(content.decode()) or None, _toml
    except ValueError:
        return None, json.dumps


def _toml(document: Any) -> str:
    """A document as TOML, all below the top in line; what TOML cannot express becomes an error of syntax."""
    if not isinstance(document, dict):
        return _inline(document)
    return "".join(f"{json.dumps(key)} = {_inline(value)}\n" for key, value in document.items())


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, date | time) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return json.dumps(value)


def _damaged_document(document: Any, write: Write, random: Random) -> bytes:
    kind = random.randrange(20)
    if kind == 0:
        return b"[" * DEEP + b"]" * DEEP
    if kind == 1:
        return _nested(document, write, random)
    if kind == 2:
        return _with_a_key_twice(document, write, random)
    return write(_damaged(document, random)).encode()


def _nested(document: Any, write: Write, random: Random) -> bytes:
    """The document with a deep list in the place of one of its values."""
    marker = "placed-here"
    text = write(_replaced(deepcopy(document), random.choice(_paths(document)), marker))
    depth = random.choice((50, 1_000, DEEP))
    return text.replace(f'"{marker}"', "[" * depth + "]" * depth).encode()


def _with_a_key_twice(document: Any, write: Write, random: Random) -> bytes:
    text = write(document)
    if not isinstance(document, dict) or not document:
        return text.encode() * 2
    again = write({random.choice(list(document)): random.choice(STRANGE_VALUES)})
    return (f"{again[:-1]}, {text[1:]}" if text.startswith("{") else again + text).encode()


def _damaged_bytes(content: bytes, random: Random) -> bytes:
    damaged = content
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        damaged = random.choice(BYTE_DAMAGES)(damaged, random)
    return damaged


def _flipped(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content) + 1)
    changed = bytes([content[place] ^ (1 << random.randrange(8))]) if place < len(content) else b"\x01"
    return content[:place] + changed + content[place + 1 :]


def _truncated(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _deleted(content: bytes, random: Random) -> bytes:
    start, length = random.randrange(len(content) + 1), random.choice((1, 2, 8, 64))
    return content[:start] + content[start + length :]


def _doubled(content: bytes, random: Random) -> bytes:
    start, length = random.randrange(len(content) + 1), random.choice((1, 2, 8, 64))
    return content[: start + length] + content[start:]


def _inserted(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content) + 1)
    return content[:place] + random.choice(STRANGE_BYTES) + content[place:]


BYTE_DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (_flipped, _truncated, _deleted, _doubled, _inserted)


def _damaged(document: Any, random: Random) -> Any:
    damaged = deepcopy(document)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        path = random.choice(_paths(damaged))
        damaged = random.choice((_removed, _renamed, _wrapped, _strange, _strange, _strange))(damaged, path, random)
    return damaged


def _paths(document: Any, path: Path = ()) -> list[Path]:
    if not isinstance(document, dict | list):
        return [path]
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    return [path, *(below for key, value in inner for below in _paths(value, (*path, key)))]


def _parent(document: Any, path: Path) -> Any:
    for key in path[:-1]:
        document = document[key]
    return document


def _value(document: Any, path: Path) -> Any:
    return _parent(document, path)[path[-1]] if path else document


def _replaced(document: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    _parent(document, path)[path[-1]] = value
    return document


def _strange(document: Any, path: Path, random: Random) -> Any:
    return _replaced(document, path, deepcopy(random.choice(STRANGE_VALUES)))


def _wrapped(document: Any, path: Path, random: Random) -> Any:
    value = _value(document, path)
    return _replaced(document, path, [value] if random.random() < 0.5 else {"value": value})


def _removed(document: Any, path: Path, _random: Random) -> Any:
    if not path:
        return type(document)() if isinstance(document, dict | list) else None
    del _parent(document, path)[path[-1]]
    return document


def _renamed(document: Any, path: Path, random: Random) -> Any:
    if not path or not isinstance(_parent(document, path), dict):
        return _removed(document, path, random)
    parent = _parent(document, path)
    parent[f"{path[-1]}{random.choice(('', ' ', 's', 'é'))}x"] = parent.pop(path[-1])
    return document
