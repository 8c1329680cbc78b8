"""Files and libraries that loading needs, checked before anything is opened."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, get_origin

import msgspec

from biascheck.core.errors import ModelError
from biascheck.core.identity import sha256_of
from biascheck.core.release import require

# Files of a model folder, checked before they are opened: regular, readable, and JSON of the expected types.

COPY_AGAIN = "copy or download the folder again"
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
Shape = TypeVar("Shape")


def checked_file(path: Path) -> Path | None:
    """The path, if there is a regular file; ``None`` if there is nothing; a ModelError for anything else.

    Opening a FIFO would wait for a writer for ever, so the type of the file is checked first.
    """
    try:
        if not os.path.lexists(path):
            return None
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise ModelError(f"{path}: a symbolic link to a file that does not exist; {COPY_AGAIN}") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(path)!r}: cannot be read ({error}); {COPY_AGAIN}") from error
    if stat.S_ISREG(mode):
        return path
    kind = next((name for is_kind, name in KINDS if is_kind(mode)), "a special file")
    raise ModelError(f"{path}: {kind} where a file is expected; {COPY_AGAIN}")


def read_json(path: Path, shape: type[Shape]) -> Shape:
    """The content of a JSON file as ``shape``, which names the fields that loading depends on."""
    return _converted(path, _parsed(path), shape)


def _parsed(path: Path) -> Any:
    try:
        # Not msgspec: transformers writes and reads Infinity and NaN, which strict JSON does not have.
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()  # lone surrogates cannot be written, nor shown
        return content
    except RecursionError as error:
        raise ModelError(f"{path}: not readable as JSON (nested too deeply); copy the folder again") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not readable as JSON ({error}); copy the folder again") from error


def _converted(path: Path, content: Any, shape: type[Shape]) -> Shape:
    if not isinstance(content, dict) and get_origin(shape) is not list:
        raise ModelError(f"{path}: not a JSON object; copy the folder again")
    try:
        return msgspec.convert(content, shape)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: {error}; correct the entry, or copy the folder again") from error


def refuse_outside(folder: Path, file: Path) -> None:
    """Raise ModelError for a file outside the folder, by its name or through a symbolic link.

    The hub's cache keeps its files as links from ``snapshots/<revision>`` to ``blobs``, which is fine.
    """
    root, target = folder.resolve(), file.resolve()
    if any(target.is_relative_to(place) for place in (root, *_blobs(root))):
        return
    raise ModelError(
        f"{file}: leads out of the model folder to {target}; copy the file into the folder, "
        "or pass allow_pickle=True if you trust its source"
    )


def _blobs(root: Path) -> list[Path]:
    """The blob folders of the hub's cache for a snapshot: with the repository, or shared by all of them."""
    snapshots = next((parent for parent in root.parents if parent.name == "snapshots"), None)
    if snapshots is None:
        return []
    repository = snapshots.parent
    return [repository / "blobs", repository.parent / "blobs"]


# The code that comes with a trusted model: in its folder, or in another repository.

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


# Requirements for running a model in this process; served models, functions and stored results need none of them.

LIBRARIES = ("torch", "transformers")
INSTEAD = ", or measure a served model (openai:URL#NAME, vllm:URL#NAME, llamacpp:URL)"


def require_local_libraries(what: str) -> None:
    """Raise an error if torch or transformers is missing, naming the extra that installs them."""
    # found, not imported: a run whose results are all cached never loads torch
    require(f"{what} runs in this process and", "local", LIBRARIES, ModelError, INSTEAD)
