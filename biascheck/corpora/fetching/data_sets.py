"""The data sets that can be fetched, each with its source, its licence and the digest of every file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from biascheck.errors import UsageError

__all__ = ["ADDRESS", "DataSet", "PublishedFile", "data_set", "data_sets"]

ADDRESS = "https://raw.githubusercontent.com/{source}/{commit}/{path}"


@dataclass(frozen=True)
class PublishedFile:
    """A file as published: its name in the data directory, its path at the source, its digest and its size."""

    name: str
    path: str
    sha256: str
    bytes: int


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
        """Where a file is, pinned to a commit or by its digest; or where it is on a mirror."""
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
