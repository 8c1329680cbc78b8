"""From a pinned address to the data directory: nothing is kept that is not the published file, byte by byte."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from biascheck.corpora.fetching.data_sets import DataSet, PublishedFile
from biascheck.errors import BiascheckError, DataNotFoundError, UsageError
from biascheck.files import write_atomically, writing

__all__ = ["FileState", "accept_licence", "accepted_licence", "fetch", "verify"]

ACCEPTED = "accepted_licences.json"
SECONDS = 60.0
"""How long a server may be silent."""
State = Literal["as published", "missing", "changed"]


@dataclass(frozen=True)
class FileState:
    """A file of a data set and whether it is the published one."""

    name: str
    state: State


def accepted_licence(one: DataSet, folder: Path) -> bool:
    """Whether the licence of a data set was accepted for this data directory; another licence must be accepted anew."""
    return _accepted(folder).get(one.name) == one.licence


def accept_licence(one: DataSet, folder: Path) -> None:
    """Note that the licence was accepted."""
    folder.mkdir(parents=True, exist_ok=True)
    noted = {**_accepted(folder), one.name: one.licence}
    write_atomically(folder / ACCEPTED, json.dumps(noted, indent=1, sort_keys=True) + "\n")


def fetch(
    one: DataSet,
    folder: Path,
    *,
    mirror: str = "",
    tell: Callable[[str], None] = lambda _said: None,
    advance: Callable[[int], None] = lambda _bytes: None,
) -> list[Path]:
    """Download the files of a data set that are not there yet; a file that is not the published one is refused.

    The licence must have been accepted. A file that is there, plain or gzipped, and is the published one stays.
    ``tell`` gets a line for each download, ``advance`` the bytes as they arrive.
    """
    if not accepted_licence(one, folder):
        raise UsageError(f"{one.name} is under the licence {one.licence}; accept it first (--accept-licence)")
    found = []
    for file, present in zip(one.files, verify(one, folder), strict=True):
        target = folder / one.name / file.name
        if present.state != "as published":
            tell(f"{one.name}/{file.name}: {one.address(file, mirror)}")
            _download(one, file, target, one.address(file, mirror), advance)
        found.append(target)
    return found


def verify(one: DataSet, folder: Path) -> list[FileState]:
    """Whether each file of a data set is there and is the published one; gzipped copies count by their content."""
    return [FileState(file.name, _state(file, folder / one.name)) for file in one.files]


def _state(file: PublishedFile, folder: Path) -> State:
    plain, packed = folder / file.name, folder / f"{file.name}.gz"
    if not plain.is_file() and not packed.is_file():
        return "missing"
    try:
        content = plain.read_bytes() if plain.is_file() else gzip.decompress(packed.read_bytes())
    except (OSError, EOFError):
        return "changed"
    return "as published" if hashlib.sha256(content).hexdigest() == file.sha256 else "changed"


def _download(one: DataSet, file: PublishedFile, target: Path, url: str, advance: Callable[[int], None]) -> None:
    import httpx

    try:
        with writing(target) as copy, httpx.stream("GET", url, follow_redirects=True, timeout=SECONDS) as answer:
            answer.raise_for_status()
            if difference := _copied(answer.iter_bytes(), file, copy, advance):
                raise BiascheckError(
                    f"{url} is not the published {one.name}/{file.name}: {difference}. It was not kept; the address "
                    "may serve another version"
                )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataNotFoundError(
            f"{url} cannot be downloaded ({reason}); check the network, or put the file into {target.parent} by hand"
        ) from error
    except OSError as error:
        raise BiascheckError(
            f"{target} cannot be written ({error.strerror or error}); make room there, or choose another folder"
        ) from error


def _copied(chunks: Iterable[bytes], file: PublishedFile, copy: BinaryIO, advance: Callable[[int], None]) -> str:
    """Write what arrives, and say in what it differs from the published file; empty if it is that file."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if size > file.bytes:
            return f"it is larger than {file.bytes:,} bytes"
        copy.write(chunk)
        digest.update(chunk)
        advance(len(chunk))
    return "" if digest.hexdigest() == file.sha256 else "its digest differs"


def _accepted(folder: Path) -> dict[str, str]:
    path = folder / ACCEPTED
    if not path.is_file():
        return {}
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{path} cannot be read ({error}); remove it and accept the licences again") from error
    return {str(name): str(licence) for name, licence in noted.items()} if isinstance(noted, dict) else {}
