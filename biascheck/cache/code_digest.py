"""Digests of the code that makes a figure: a result in the cache must not outlive the code it came from.

The digest covers every module of this package that can change a figure, and, for a measure of the user's own, the
modules that it is made of, as far as they belong to the user. It does not see values that a measure closes over.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["code_of_measure", "package_code"]

PACKAGE = Path(__file__).resolve().parents[1]
WITHOUT_FIGURES = ("report", "plugin", "cli", "calibration", "suites", "reproduce")
"""Rooms that show figures and make none."""


@cache
def package_code(room: str = "") -> str:
    """A digest of the modules and word lists of this package, or of one room of it."""
    digest = hashlib.sha256()
    for path in sorted((PACKAGE / room).rglob("*")):
        inside = path.relative_to(PACKAGE)
        if path.suffix in (".py", ".tsv", ".txt") and inside.parts[0] not in WITHOUT_FIGURES:
            digest.update(f"{inside.as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def code_of_measure(function: Callable[..., Any]) -> str:
    """A digest of this package and of the user's modules that a measure is made of."""
    digest = hashlib.sha256(package_code().encode())
    function = inspect.unwrap(function)
    files = sorted(set(_own_files(sys.modules.get(function.__module__), set())))
    for path in files:
        digest.update(path.read_bytes())
    if not files and not _is_ours(function.__code__.co_filename):
        digest.update(function.__code__.co_code + repr(function.__code__.co_consts).encode())
    return digest.hexdigest()


def _own_files(module: ModuleType | None, seen: set[str]) -> Iterator[Path]:
    """The file of a module and of what it imports, as long as it is neither ours nor installed."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or module.__name__ in seen or _is_ours(file) or _is_installed(file):
        return
    seen.add(module.__name__)
    if Path(file).is_file():
        yield Path(file)
    for value in list(vars(module).values()):
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if isinstance(name, str):
            yield from _own_files(sys.modules.get(name), seen)


def _is_ours(file: str) -> bool:
    return Path(file).resolve().is_relative_to(PACKAGE)


@cache
def _is_installed(file: str) -> bool:
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(Path(file).resolve().is_relative_to(Path(place).resolve()) for place in places if place)
