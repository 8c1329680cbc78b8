"""Contents of the cache folder: results and what they need, checkpoints, models, leftovers of killed processes.

Everything that belongs to one result or model has one name and one lock, so it is removed together or, while a process
holds the lock, not at all. Files that biascheck did not write are counted and left alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args

from biascheck.core.files import hold_if_free, holder_of, lock_of, remove

Kind = Literal[
    "results",
    "items",
    "states",
    "scores",
    "answers",
    "checkpoints",
    "models",
    "training states",
    "staging",
    "locks",
    "other",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_DIGEST = r"[0-9a-f]{64}"
_RANDOM = r"[a-z0-9_]{8}"
_NAMES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("locks", re.compile(r"\.?(?P<owner>.+)\.lock(\.holder)?")),
    ("training states", re.compile(r"(?P<owner>.+)\.training(\.partial|\.damaged-\d+)?")),
    ("staging", re.compile(rf"\.(?P<owner>{_DIGEST})\.(json|np[yz])\.{_RANDOM}")),
    ("staging", re.compile(rf"\.(?P<owner>.+)[-.]{_RANDOM}")),
    ("results", re.compile(rf"(?P<owner>{_DIGEST})\.json")),
    ("items", re.compile(rf"(?P<owner>{_DIGEST})\.parquet")),
    ("states", re.compile(rf"(?P<owner>{_DIGEST})\.npz")),
    ("scores", re.compile(rf"(?P<owner>{_DIGEST})\.npy")),
    ("answers", re.compile(rf"(?P<owner>{_DIGEST})\.jsonl")),
    ("checkpoints", re.compile(r"(?P<owner>.+-[0-9a-f]{16})")),
    ("models", re.compile(r"(?P<owner>.+-[0-9a-f]{12})")),
)
ROOMS: tuple[Kind, ...] = ("results", "items", "states", "scores", "answers", "checkpoints", "models")


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A file or folder in one part of the cache, and the name of what it belongs to."""

    path: Path
    kind: Kind
    owner: str

    @property
    def bytes(self) -> int:
        """Its size; 0 if it vanishes meanwhile."""
        files = self.path.rglob("*") if self.path.is_dir() else [self.path]
        return sum(_size(file) for file in files)


@dataclass(frozen=True, slots=True)
class InUse:
    """Something that a living process works on."""

    path: Path
    by: str


@dataclass(frozen=True, slots=True)
class Clearance:
    """What was removed, with its sizes, and what was not because it is in use."""

    removed: tuple[tuple[Kind, int], ...]
    kept: tuple[InUse, ...]


def entries_in(folder: Path) -> list[CacheEntry]:
    """Everything in the parts of a cache folder, part by part, ordered by what it belongs to."""
    found = [_entry(path) for room in ROOMS for path in _listed(folder / room)]
    found += [CacheEntry(path, "other", path.name) for path in _listed(folder) if path.name not in ROOMS]
    return sorted(found, key=lambda entry: (entry.path.parent, entry.owner, entry.path))


def in_use(folder: Path) -> list[InUse]:
    """What is locked by a living process."""
    locks = (e.path for e in entries_in(folder) if e.kind == "locks" and e.path.suffix == ".lock")
    return [found for lock in locks if (found := _user_of(lock)) is not None]


def clear(folder: Path, kinds: Collection[Kind] = KINDS) -> Clearance:
    """Remove entries of these kinds, except those that a process is working on or that biascheck did not write."""
    removed: list[tuple[Kind, int]] = []
    kept: list[InUse] = []
    for (room, owner), group in groupby(entries_in(folder), key=lambda entry: (entry.path.parent, entry.owner)):
        ours = [entry for entry in group if entry.kind != "other"]
        if not any(entry.kind in kinds for entry in ours):
            continue
        lock = lock_of(room / owner)
        with hold_if_free(lock) as free:
            if free:
                removed += _remove(ours, kinds, lock)
            else:
                kept.append(InUse(room / owner, _by(lock)))
    return Clearance(tuple(removed), tuple(kept))


def _remove(group: list[CacheEntry], kinds: Collection[Kind], lock: Path) -> Iterator[tuple[Kind, int]]:
    rest = [entry for entry in group if entry.kind != "locks" and entry.kind not in kinds]
    for entry in group:
        if entry.kind in kinds or (entry.kind == "locks" and not rest):
            size = entry.bytes
            remove(entry.path)
            yield entry.kind, size
    if not rest:
        with suppress(OSError):  # where an open file cannot be removed, an empty one stays
            remove(lock)


def _user_of(lock: Path) -> InUse | None:
    with suppress(OSError), hold_if_free(lock) as free:  # nobody works in a cache that cannot be written
        return None if free else InUse(lock.with_suffix(""), _by(lock))
    return None


def _by(lock: Path) -> str:
    holder = holder_of(lock)
    return "another process" if holder is None else str(holder)


def _entry(path: Path) -> CacheEntry:
    for kind, pattern in _NAMES:
        found = pattern.fullmatch(path.name)
        if found is not None and (kind not in ROOMS or kind == path.parent.name):
            return CacheEntry(path, kind, found["owner"])
    return CacheEntry(path, "other", path.name)


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _size(path: Path) -> int:
    with suppress(OSError):
        return 0 if path.is_dir() else path.lstat().st_size
    return 0
