"""Published data sets: location, licence, download, verification, and reading as text."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Literal

from biascheck.core.errors import BiascheckError, CorpusError, DataNotFoundError, UsageError
from biascheck.core.files import write_atomically, writing
from biascheck.core.wording import escape_control, pluralize, shortened
from biascheck.corpora.sentence import refuse_repeated

# Location of the published data files, and the messages if they are missing.

VARIABLE = "BIASCHECK_DATA"


def data_directory(explicit: str | Path | None = None) -> Path | None:
    """The folder of the published data: the given one, else that of ``BIASCHECK_DATA``, else none."""
    if explicit is not None:
        return Path(explicit)
    named = os.environ.get(VARIABLE, "")
    return Path(named) if named else None


def data_file(folder_or_file: str | Path | None, *parts: str) -> Path:
    """Find one published file: given itself, in the folder given, or in the data directory.

    ``parts`` is the place inside the data directory, as in ``("becpro", "BEC-Pro_EN.tsv")``; a folder
    may be the data directory or the data set's own folder.
    """
    root = data_directory(folder_or_file)
    if root is None:
        raise DataNotFoundError(
            f"no data directory is named, so {'/'.join(parts)} cannot be found; "
            f"name it with --bias-data DIR or the environment variable {VARIABLE}"
        )
    for candidate in (root, root.joinpath(*parts), root / parts[-1]):
        if candidate.is_file():
            return candidate
    expected = root if root.suffix and not root.is_dir() else root.joinpath(*parts)
    raise DataNotFoundError(
        f"{expected} does not exist; put the published file there, or name its directory with "
        f"--bias-data DIR or the environment variable {VARIABLE}"
    )


def part_files(
    folder_or_file: str | Path | None, parts: Sequence[str] | None, data_set: str, *, default: Sequence[str]
) -> dict[str, Path]:
    """The files of a data set in parts, as in ``gap-development.tsv``, by part; a single file is one part."""
    root = data_directory(folder_or_file)
    if root is not None and root.is_file():
        if parts is not None:
            raise CorpusError(
                f"{root} is one file, and parts={tuple(parts)} asks for others; leave parts out or give the folder"
            )
        return {part_name(root, "", root): root}
    wanted = tuple(default if parts is None else parts)
    refuse_repeated(wanted, f"parts={wanted}", "name every part once")
    return {part: data_file(folder_or_file, data_set, f"{data_set}-{part}.tsv") for part in wanted}


def part_name(source: str | Path | None, part: str, path: Path) -> str:
    """The requested part; a file that was given directly is named after itself."""
    root = data_directory(source)
    return path.name.split(".")[0].rpartition("gap-")[2] if root is not None and root.is_file() else part


# Published files as text, plain or gzipped, wherever the user stores them.


def published_file(folder_or_file: str | Path | None, *parts: str) -> Path:
    """Find a published file as :func:`data_file` does, under its own name or with ``.gz``."""
    try:
        return data_file(folder_or_file, *parts)
    except DataNotFoundError:
        try:
            return data_file(folder_or_file, *parts[:-1], f"{parts[-1]}.gz")
        except DataNotFoundError:
            pass
        raise


def published_folder(folder: str | Path | None, name: str) -> Path:
    """The folder of a data set: inside the data directory, or given directly."""
    root = data_directory(folder)
    if root is None:
        data_file(None, name)  # says how to name the data directory
    assert root is not None
    found = root / name if (root / name).is_dir() else root
    if not found.is_dir():
        raise DataNotFoundError(f"{found} is not a folder; name the folder with {name}, or the data directory above it")
    return found


def text_of(path: Path) -> str:
    """The whole text of a file; ``.gz`` is unpacked."""
    try:
        return _content(path).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read ({error}); fetch the file again") from None


def _content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def json_lines(path: Path) -> list[dict[str, Any]]:
    """One object a line."""
    return [row for _, row in numbered_json_lines(path)]


def numbered_json_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """One object a line, each with the number of its line."""
    found = []
    # a text may hold other separators of lines, which are no end of a record
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        row = parsed_json(line, f"{path.name}, line {number}")
        if not isinstance(row, dict):
            raise CorpusError(f"{path.name}, line {number}: not a JSON object; is it the published file?")
        found.append((number, row))
    return found


def parsed_json(text: str | bytes, where: str, remedy: str = "fetch the file again") -> Any:
    """What a JSON text says, or a CorpusError with the place and the remedy."""
    try:
        return json.loads(text)
    except RecursionError:
        raise CorpusError(f"{where}: nested too deeply to be read; {remedy}") from None
    except ValueError as error:  # not JSON, not UTF-8, or a number of too many digits
        said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise CorpusError(f"{where}: not JSON ({said}); {remedy}") from None


def table_rows(path: Path, needed: Iterable[str], *, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a delimited file, which must have the columns that are needed, and every row all of them."""
    reader = csv.DictReader(io.StringIO(text_of(path), newline=""), delimiter=delimiter)
    rows = []
    try:
        missing = sorted(set(needed) - set(reader.fieldnames or ()))
        if missing:
            raise CorpusError(f"{path} lacks the columns {missing}: is it the published file?")
        for row in reader:
            if None in row or None in row.values():
                raise CorpusError(
                    f"{path.name}, line {reader.line_num}: {'too many' if None in row else 'too few'} cells for "
                    f"{len(reader.fieldnames or ())} columns; fetch the file again"
                )
            rows.append(row)
    except csv.Error as error:
        raise CorpusError(f"{path.name}, line {reader.line_num}: {error}; fetch the file again") from None
    if not rows:
        raise CorpusError(f"{path} has no rows: is it the published file?")
    return rows


@contextmanager
def rows_as_published(path: Path) -> Iterator[None]:
    """Whatever a row raises that lacks a field, or has it of another type, is an error about the file."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        if isinstance(error, BiascheckError):
            raise
        said = escape_control(shortened(f"{type(error).__name__}: {error}", 200))
        raise CorpusError(f"{path.name}: a row is not as published ({said}); fetch the file again") from error


# The data sets that can be fetched, each with its source, its licence and the digest of every file.

ADDRESS = "https://raw.githubusercontent.com/{source}/{commit}/{path}"


@dataclass(frozen=True)
class PublishedFile:
    """A file as published: its name in the data directory, its path at the source, its digest and its size.

    ``rows`` is how many a table has; 0 where nobody counted them.
    """

    name: str
    path: str
    sha256: str
    bytes: int
    rows: int = 0


@dataclass(frozen=True)
class DataSet:
    """A published data set; ``name`` is its folder in the data directory, ``at`` the pattern of its addresses."""

    name: str
    title: str
    source: str
    commit: str
    licence: str
    files: tuple[PublishedFile, ...]
    at: str = ADDRESS

    @property
    def bytes(self) -> int:
        """The size of all its files."""
        return sum(file.bytes for file in self.files)

    def address(self, file: PublishedFile, mirror: str = "") -> str:
        """The address of a file, pinned to a commit or by its digest; or its address on a mirror."""
        return (mirror or self.at).format(
            source=self.source, commit=self.commit, path=file.path, name=file.name, set=self.name
        )


@cache
def data_sets() -> tuple[DataSet, ...]:
    """All data sets, in the order of their names."""
    text = files("biascheck.corpora").joinpath("data", "data_sets.toml").read_text(encoding="utf-8")
    found = [
        DataSet(name, **{**entry, "files": tuple(PublishedFile(**file) for file in entry["files"])})
        for name, entry in tomllib.loads(text).items()
    ]
    return tuple(sorted(found, key=lambda one: one.name))


def data_set(name: str) -> DataSet:
    """The data set of that name."""
    for one in data_sets():
        if one.name == name:
            return one
    raise UsageError(f"there is no data set {name!r}; there are: {', '.join(one.name for one in data_sets())}")


def caveats_of_file(name: str, path: Path, rows: int) -> tuple[str, ...]:
    """What every result on a data set must say of a file that has the name of a published one and is another.

    ``rows`` is how many were read. Nothing where the file is the published one, or has a name of its own.
    """
    known = next((file for file in data_set(name).files if file.name == path.name.removesuffix(".gz")), None)
    if known is None or hashlib.sha256(_content(path)).hexdigest() == known.sha256:
        return ()
    size = f"it has {pluralize(rows, 'row')}, the published file has {known.rows:,}" if known.rows else ""
    differs = size if rows != known.rows else "its text differs"
    return (
        f"{path.name} is not the published file: {differs or 'its text differs'}; check it with biascheck data verify",
    )


# From a pinned address to the data directory: nothing is kept that is not the published file, byte by byte.

ACCEPTED = "accepted_licences.json"
SECONDS = 60.0
"""Seconds without data after which a download is given up."""
State = Literal["as published", "missing", "changed"]


@dataclass(frozen=True)
class FileState:
    """A file of a data set and whether it is the published one."""

    name: str
    state: State


def accepted_licence(one: DataSet, folder: Path) -> bool:
    """Whether the licence of a data set was accepted for this data directory; another one needs a new consent."""
    return _accepted(folder).get(one.name) == one.licence


def accept_licence(one: DataSet, folder: Path) -> None:
    """Record that the licence was accepted."""
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
    """Download the missing files of a data set; a file that is not the published one is refused.

    The licence must have been accepted. A published file that is present already, plain or gzipped, stays.
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
    """Whether each file of a data set is present and is the published one; gzipped copies count by their content."""
    return [FileState(file.name, _state(file, folder / one.name)) for file in one.files]


def _state(file: PublishedFile, folder: Path) -> State:
    plain, packed = folder / file.name, folder / f"{file.name}.gz"
    if not plain.is_file() and not packed.is_file():
        return "missing"
    try:
        content = plain.read_bytes() if plain.is_file() else gzip.decompress(packed.read_bytes())
    except (OSError, EOFError, zlib.error):
        return "changed"
    return "as published" if hashlib.sha256(content).hexdigest() == file.sha256 else "changed"


def _download(one: DataSet, file: PublishedFile, target: Path, url: str, advance: Callable[[int], None]) -> None:
    import httpx

    try:
        with writing(target) as copy, httpx.stream("GET", url, follow_redirects=True, timeout=SECONDS) as answer:
            answer.raise_for_status()
            if difference := _copied(answer.iter_bytes(), file, copy, advance):
                raise BiascheckError(
                    f"{url} is not the published {one.name}/{file.name}: {difference}. It was not stored; the address "
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
    """Write what arrives, and describe how it differs from the published file; empty if it is that file."""
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
