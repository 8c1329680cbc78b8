"""Where the published data files lie, and what is said when they do not."""

from __future__ import annotations

import os
from pathlib import Path

from biascheck.errors import DataNotFoundError

__all__ = ["data_directory", "data_file"]

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
