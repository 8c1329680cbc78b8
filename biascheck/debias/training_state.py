"""The file in which a training run keeps where it is: parameters, optimizer and history.

A file that does not belong to the run is never fatal: damaged, empty, of another model or recipe, or no file at all.
It is set aside under another name, with a warning, and the run starts again.
"""

from __future__ import annotations

import os
import warnings
import zipfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from biascheck.errors import BiascheckWarning, UsageError
from biascheck.files import full_disk_in, remove, replacing

__all__ = ["ForeignStateError", "partial_of", "read_state", "require_alike", "set_aside", "write_state"]

FORMAT = "biascheck training 2"
LONGEST_FAULT = 100


class ForeignStateError(ValueError):
    """A state that is not one of this run; the message says in which way."""


def partial_of(path: Path) -> Path:
    """The file that is being written before it takes the place of the state."""
    return path.with_name(f"{path.name}.partial")


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Keep a state so that a reader sees the earlier one or this one, whole."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_of(path)
    try:
        remove(partial)
        with replacing(path, partial) as file:
            torch.save({"format": FORMAT, **state}, file)
    except (OSError, RuntimeError) as error:
        found = full_disk_in(error) or (error if isinstance(error, OSError) else None)
        if found is None:
            raise
        raise UsageError(
            f"the training state cannot be written to {path.parent} ({found}); free some space there, "
            "and the same call goes on from the last state that was written"
        ) from error


def read_state(path: Path) -> dict[str, Any]:
    """Read a state without running code from it; anything that is not a whole state is a ForeignStateError."""
    import torch

    if not path.is_file():  # a folder, a pipe, a link to nothing
        raise ForeignStateError("not a regular file")
    try:
        with zipfile.ZipFile(path) as archive:  # torch does not compare the checksums of the parts
            damaged = archive.testzip()
        if damaged is not None:
            raise ForeignStateError(f"{damaged} does not match its checksum")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (ForeignStateError, MemoryError):
        raise
    except Exception as error:  # zipfile, pickle and torch raise what they like
        raise ForeignStateError(
            f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'empty'}"
        ) from error
    if not isinstance(state, dict) or state.pop("format", None) != FORMAT:
        raise ForeignStateError(f"not in the format {FORMAT!r}")
    return state


def require_alike(found: object, expected: Mapping[str, Any], what: str) -> None:
    """Require tensors of the expected names, shapes and types."""
    import torch

    if not isinstance(found, dict) or found.keys() != expected.keys():
        raise ForeignStateError(f"its {what} have other names")
    for name, value in expected.items():
        given = found[name]
        if not isinstance(given, torch.Tensor) or (given.shape, given.dtype) != (value.shape, value.dtype):
            raise ForeignStateError(f"its {what} have other shapes or types, {name} first")


def set_aside(path: Path, fault: ForeignStateError) -> Path:
    """Rename a state that cannot be continued, and say so."""
    numbered = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    aside = next(name for name in numbered if not os.path.lexists(name))
    path.rename(aside)
    message = (
        f"training state {path} cannot be continued ({fault}); it is kept as {aside.name}, and training starts again"
    )
    warnings.warn(message, BiascheckWarning, stacklevel=4)
    return aside
