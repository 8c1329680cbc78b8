"""Where the published data files lie, and what is said when they do not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from biascheck.corpora.ids import refuse_repeated
from biascheck.errors import CorpusError, DataNotFoundError

__all__ = ["data_directory", "data_file", "part_files", "part_name"]

VARIABLE = "BIASCHECK_DATA"


def data_directory(explicit: str | Path | None = None) -> Path | None:
    """The folder of the published data: the one named, else that of ``BIASCHECK_DATA``, else none."""
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
    """The files of a data set in parts, as in ``gap-development.tsv``, by part; one file given itself is one part."""
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
    """The part asked for; a file that was given itself is called after its own name."""
    root = data_directory(source)
    return path.name.split(".")[0].rpartition("gap-")[2] if root is not None and root.is_file() else part
