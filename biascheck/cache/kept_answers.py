"""Answers that were paid for, kept one by one: an interrupted run loses none of them.

A file of lines, each with its key and checksum. A line is appended as soon as an answer is there; one that a killed
process left half written is passed over. Several processes may append to one file.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path
from threading import Lock
from typing import Any

from biascheck.cache.shared_storage import ENVIRONMENT
from biascheck.errors import BiascheckWarning

__all__ = ["CachedAnswers"]


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
