"""The code that comes with a model, where its user trusts it: in its folder, or named as another repository's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from biascheck.cache.fingerprints import sha256_of
from biascheck.errors import ModelError
from biascheck.models.loading.checked_files import checked_file

__all__ = ["code_files"]

ELSEWHERE = "--"
"""``org/name--module.Class`` in an auto_map is a class of another repository."""


def code_files(folder: Path, auto_maps: Iterable[Any]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Every Python file in the folder, and a digest of each repository that the auto_maps lead to."""
    elsewhere = sorted({name.split(ELSEWHERE)[0] for name in _texts(list(auto_maps)) if ELSEWHERE in name})
    return tuple(_code_in(folder)), tuple(_digest(repository) for repository in elsewhere)


def _code_in(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*.py")) if not file.is_dir() and checked_file(file)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)


def _digest(repository: str) -> str:
    folder = Path(repository) if Path(repository).is_dir() else _downloaded(repository)
    digests = [f"{file.relative_to(folder).as_posix()}:{sha256_of(file)}" for file in _code_in(folder)]
    return "\n".join((f"code of {repository}", *digests))


def _downloaded(repository: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(repository, allow_patterns=["*.py"]))
    except Exception as error:
        raise ModelError(
            f"the model's code comes from {repository!r}, which could not be downloaded ({type(error).__name__}); "
            "copy its Python files into the model folder and name them in auto_map"
        ) from error
