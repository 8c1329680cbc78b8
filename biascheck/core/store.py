"""What is kept between runs: documents under the digest of what they were computed from, answers that were paid for."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from biascheck.core.errors import BiascheckWarning
from biascheck.core.files import gc_paused, hold_where_possible, large_files_in, write_atomically
from biascheck.core.shared_storage import ENVIRONMENT, fetched_file, is_address, local_folder, publish

# Answers that were paid for, kept one by one: an interrupted run loses none of them.
#
# A file of lines, each with its key and checksum. A line is appended as soon as an answer is there; one that a
# killed process left half written is passed over. Several processes may append to one file.


class CachedAnswers:
    """Answers by the digest of their question, in memory and, where there is a path, on disk."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        self._read_up_to = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    def refresh(self) -> None:
        """Read what was appended since, by this process or another one."""
        if self._path is None or not self._path.is_file():
            return
        with self._lock, self._path.open("rb") as file:
            file.seek(self._read_up_to)
            fresh = file.read()
            whole = fresh[: fresh.rfind(b"\n") + 1]
            self._read_up_to += len(whole)
        for line in whole.splitlines():
            self._take(line)

    def get(self, key: str) -> Any | None:
        """The answer under a key, or ``None``."""
        return self._known.get(key)

    def add(self, key: str, answer: Any) -> None:
        """Keep an answer, now and on disk."""
        self._known[key] = answer
        if self._path is None:
            return
        line = json.dumps([key, answer, _sum(key, answer)], allow_nan=False)
        try:
            self._append(self._path, f"{line}\n".encode())
        except OSError as error:
            warnings.warn(
                f"answers cannot be kept in {self._path.parent} ({error}); set {ENVIRONMENT} to a writable folder",
                BiascheckWarning,
                stacklevel=2,
            )
            self._path = None

    def _append(self, path: Path, line: bytes) -> None:
        with self._lock:
            path.parent.mkdir(parents=True, exist_ok=True)
            # One write to a file opened for appending: the lines of two processes do not mix. The line break before
            # it ends what a killed process may have left half written.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(handle, b"\n" + line)
            finally:
                os.close(handle)

    def _take(self, line: bytes) -> None:
        try:
            key, answer, checksum = json.loads(line)
            if checksum == _sum(key, answer):
                self._known[key] = answer
        except (ValueError, TypeError, RecursionError):
            return


def _sum(key: str, answer: Any) -> str:
    return hashlib.sha256(json.dumps([key, answer], sort_keys=True).encode()).hexdigest()[:16]


# Files that are of use only until a result is stored, and are removed with it.

_FILES: ContextVar[set[Path] | None] = ContextVar("passing_files", default=None)


def delete_after_commit(path: Path) -> None:
    """Let a file go when the result that is being computed is stored; it stays where nothing is being stored."""
    files = _FILES.get()
    if files is not None:
        files.add(path)


@contextmanager
def deleting_after_commit() -> Iterator[None]:
    """Remove the files of a computation once the block, which stores its result, has ended without an error."""
    token = _FILES.set(set())
    try:
        yield
        for path in _FILES.get() or ():
            with suppress(OSError):
                path.unlink(missing_ok=True)
    finally:
        _FILES.reset(token)


# A folder of JSON documents, each under the digest of what it was computed from.
#
# An entry carries its own key and checksum. One that is half written, edited, or from another program is
# noticed, reported and computed again; it is never trusted and never fatal.

ENVELOPE = "biascheck cache 2"
"""2: the checksum covers the text of the document in the file, so that checking it writes nothing again."""
EARLIER = b'{"format": "biascheck cache 1"'
CLOSING = b"}"
RESULTS_FOLDER = "results"
ITEMS_FOLDER = "items"


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """Where the cache is and how much it holds."""

    folder: Path
    entries: int
    bytes: int


def cache_folder() -> Path:
    """The user's cache folder, or the one that BIASCHECK_CACHE names; of an address, this machine's part of it."""
    if chosen := os.environ.get(ENVIRONMENT):
        return local_folder(chosen) if is_address(chosen) else Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("biascheck")


def results_cache(*, writable: bool = True) -> DocumentCache:
    """The cache of results in the user's cache folder."""
    return DocumentCache(cache_folder() / RESULTS_FOLDER, writable=writable)


def digest_of(facts: object) -> str:
    """A key from plain facts; anything that JSON cannot express is an error, not a silent difference."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, allow_nan=False).encode()).hexdigest()


class DocumentCache:
    """Documents in memory for this run and, where there is a folder, on disk for the next.

    Unless ``writable`` what is on disk is used, and nothing is added to it.
    """

    def __init__(self, folder: Path | None, *, writable: bool = True) -> None:
        self._folder = folder
        self._writable = writable
        self._memory: dict[str, Any] = {}

    @property
    def folder(self) -> Path | None:
        """Where entries are kept, or ``None`` for a cache in memory only."""
        return self._folder

    @property
    def writable(self) -> bool:
        """Whether something is added on disk."""
        return self._folder is not None and self._writable

    @property
    def items_folder(self) -> Path | None:
        """Where the items of large results are kept, beside the folder of their documents."""
        return self._folder.parent / ITEMS_FOLDER if self._folder is not None and self._writable else None

    def forget(self, key: str) -> None:
        """Remove a document that turned out to be of no use, such as one whose items are gone."""
        self._memory.pop(key, None)
        if self._folder is not None and self._writable:
            with suppress(OSError):
                (self._folder / f"{key}.json").unlink(missing_ok=True)

    def fetch(self, key: str, compute: Callable[[], Any]) -> Any:
        """Return the document under ``key``, computing it at most once among all parallel workers."""
        if key in self._memory:
            return self._memory[key]
        document = self._found(key)
        if document is None and self._folder is not None and self._writable:
            document = self._fetch_from_disk(self._folder, key, compute)
        elif document is None:
            document = compute()
        self._memory[key] = document
        return document

    def _found(self, key: str) -> Any | None:
        return None if self._folder is None else _read(self._folder / f"{key}.json", key)

    def info(self) -> CacheInfo:
        """Count the entries on disk."""
        files = self._entries()
        return CacheInfo(self._folder or Path(), len(files), sum(file.stat().st_size for file in files))

    def _entries(self) -> list[Path]:
        return [] if self._folder is None else sorted(self._folder.glob("*.json"))

    @staticmethod
    def _fetch_from_disk(folder: Path, key: str, compute: Callable[[], Any]) -> Any:
        path = folder / f"{key}.json"
        with hold_where_possible(path.with_suffix(".lock"), "a result that is being measured") as fault:
            if fault is not None:
                _warn_unwritable(folder, fault)
            if (found := _read(path, key, warn=True)) is not None:
                return found
            with deleting_after_commit():
                document = compute()
                if fault is None:
                    _write(path, key, document)
            return document


def _warn_unwritable(folder: Path, error: OSError) -> None:
    remedy = f"set {ENVIRONMENT} to a writable folder or pass --bias-no-cache"
    warnings.warn(f"results cannot be cached in {folder} ({error}); {remedy}", BiascheckWarning, stacklevel=2)


def _read(path: Path, key: str, *, warn: bool = False) -> Any | None:
    """The document, or ``None`` when there is none that can be trusted."""
    try:
        content = fetched_file(path).read_bytes()
        if content.startswith(EARLIER):
            return None
        begins = len(_opening(key, b""))
        text = content[begins : -len(CLOSING)]
        if content == _enclosed(key, text):
            with gc_paused():
                return json.loads(text)
        fault = "its checksum or key does not match"
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        fault = f"{type(error).__name__}: {error}"
    if warn:
        warnings.warn(f"cache entry {path} is damaged ({fault}); it is computed again", BiascheckWarning, stacklevel=2)
    return None


def _enclosed(key: str, text: bytes) -> bytes:
    return _opening(key, text) + text + CLOSING


def _opening(key: str, text: bytes) -> bytes:
    sha256 = hashlib.sha256(text).hexdigest()
    return f'{{"format": "{ENVELOPE}", "key": "{key}", "sha256": "{sha256}", "document": '.encode()


def _write(path: Path, key: str, document: Any) -> None:
    content = _enclosed(key, json.dumps(document, allow_nan=False).encode())
    try:
        write_atomically(path, content)
        publish(path)
    except OSError as error:
        _warn_unwritable(path.parent, error)


_active: ContextVar[DocumentCache | None] = ContextVar("active_cache", default=None)


def active_cache() -> DocumentCache | None:
    """The cache that measures use now, if any."""
    return _active.get()


@contextmanager
def caching(cache: DocumentCache | None) -> Iterator[None]:
    """Let measures inside the block keep and reuse their results."""
    token = _active.set(cache)
    try:
        with large_files_in(None if cache is None else cache.items_folder):
            yield
    finally:
        _active.reset(token)
