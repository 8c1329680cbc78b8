"""A cache, data and outputs that several machines share through fsspec: S3 and similar, any mounted or in-memory store.

Where BIASCHECK_CACHE is an address (``s3://bucket/folder``), every machine works in a folder of its own. It fetches
missing files from the address and uploads finished ones. Objects appear completely or not at all, as such stores
guarantee, and are checked by their digests, as in a local cache. Locks stay within a machine: two machines that need
the same result at the same moment both compute it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from biascheck.core.errors import UsageError
from biascheck.core.files import staged_folder, write_atomically
from biascheck.core.release import require

ENVIRONMENT = "BIASCHECK_CACHE"
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://.*", re.IGNORECASE)


def is_address(place: str | os.PathLike[str] | None) -> bool:
    """Whether a place is the address of a store rather than a path."""
    return place is not None and bool(ADDRESS.fullmatch(str(place)))


@dataclass(frozen=True)
class Store:
    """A folder in some store."""

    files: Any
    root: str

    def read(self, name: str) -> bytes | None:
        """The bytes under a name, or ``None`` if there are none."""
        try:
            content: bytes = self.files.cat_file(f"{self.root}/{name}")
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: bytes) -> None:
        """Put bytes under a name, replacing what was there."""
        target = f"{self.root}/{name}"
        self.files.makedirs(target.rpartition("/")[0], exist_ok=True)
        self.files.pipe_file(target, content)

    def remove(self, name: str) -> None:
        """Remove what is under a name; it need not exist."""
        if self.files.exists(f"{self.root}/{name}"):
            self.files.rm_file(f"{self.root}/{name}")

    def names(self, folder: str = "") -> Iterator[str]:
        """The names of all files in a folder and below, relative to that folder."""
        place = f"{self.root}/{folder}".rstrip("/")
        for found in sorted(self.files.find(place)):
            # some stores answer with a slash at the beginning, some without
            yield found.strip("/").removeprefix(place.strip("/")).lstrip("/")


@lru_cache(maxsize=16)
def store_at(address: str) -> Store:
    """The store at an address; an error names what is missing to reach it."""
    require(f"the address {address}", "remote")
    from fsspec.core import url_to_fs

    try:
        files, root = url_to_fs(address)
    except ImportError as error:  # fsspec says which package: s3fs for S3, gcsfs for Google's store
        raise UsageError(f"{address} cannot be reached: its store needs a package of its own ({error})") from error
    except ValueError as error:
        raise UsageError(f"{address} cannot be reached ({error}); check the address") from error
    return Store(files, str(root).rstrip("/"))


def local_folder(address: str) -> Path:
    """The local folder of this machine for what is at an address."""
    from platformdirs import user_cache_path

    name = hashlib.sha256(address.encode()).hexdigest()[:16]
    return user_cache_path("biascheck") / "mirrors" / name


def _shared(path: Path) -> tuple[Store, str] | None:
    """The store and the name of a path in the cache; ``None`` for a cache that is a folder, or a path elsewhere."""
    address = os.environ.get(ENVIRONMENT)
    if address is None or not is_address(address):
        return None
    folder = local_folder(address)
    return (store_at(address), path.relative_to(folder).as_posix()) if path.is_relative_to(folder) else None


def fetched_file(path: Path) -> Path:
    """A file of the cache, fetched from the shared cache if this machine lacks it."""
    if not path.exists() and (shared := _shared(path)) is not None:
        store, name = shared
        if (content := store.read(name)) is not None:
            write_atomically(path, content)
    return path


def fetch_folder(path: Path) -> None:
    """Fetch a folder from the shared cache if this machine lacks it."""
    if path.exists() or (shared := _shared(path)) is None:
        return
    store, name = shared
    if names := list(store.names(name)):
        with staged_folder(path) as folder:
            for inside in names:
                if (content := store.read(f"{name}/{inside}")) is not None:
                    (folder / inside).parent.mkdir(parents=True, exist_ok=True)
                    (folder / inside).write_bytes(content)


def publish(path: Path, *, last: str = "") -> None:
    """Put a finished file or folder into the shared cache; of a folder, the file ``last`` comes last."""
    if (shared := _shared(path)) is None:
        return
    store, name = shared
    if path.is_file():
        store.write(name, path.read_bytes())
        return
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    for file in sorted(files, key=lambda file: file.name == last):
        store.write(f"{name}/{file.relative_to(path).as_posix()}", file.read_bytes())


def mirrored(address: str) -> Path:
    """A local folder with the files at an address; those that are missing or differ in size are fetched."""
    store, folder = store_at(address.rstrip("/")), local_folder(address.rstrip("/")) / "data"
    for name in store.names():
        file = folder / name
        if not file.is_file() or file.stat().st_size != store.files.size(f"{store.root}/{name}"):
            write_atomically(file, store.read(name) or b"")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def file_at(address: str) -> tuple[Store, str]:
    """The store and the name of a single file."""
    place, _, name = address.rpartition("/")
    if not name or place.endswith(":/"):
        raise UsageError(
            f"{address} names no file in a folder; write to an address such as s3://bucket/folder/file.json"
        )
    return store_at(place), name
