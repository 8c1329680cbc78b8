"""What can be wrong with a run before its first test: one line that names the flag, not an error for each test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from io import StringIO
from pathlib import Path
from typing import TextIO

from biascheck.errors import BiascheckError, UsageError
from biascheck.release import suites_home

__all__ = ["refuse_mistakes"]


def refuse_mistakes(
    models: Sequence[str],
    *,
    profile: str | None,
    data: Path | None,
    baseline: Path | None,
    update_baseline: bool,
    device: str | None,
    outputs: Iterable[Path],
) -> None:
    """Refuse what the command line asks for and nobody can do; files of an earlier run do not stay behind."""
    try:
        _check_data(data)
        _check_baseline(baseline, update=update_baseline)
        _check_profile(profile)
        for model in models:
            _check_model(model, device)
    except BiascheckError:
        for path in outputs:
            with suppress(OSError):
                path.unlink()
        raise


def _check_data(data: Path | None) -> None:
    if data is not None and not data.is_dir():
        raise UsageError(f"--data {data}: no such folder")


def _check_baseline(baseline: Path | None, *, update: bool) -> None:
    if update and baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE, the file to write")
    if baseline is not None and not update and not baseline.is_file():
        raise UsageError(f"--baseline {baseline}: no such file; --update-baseline writes it")


def _check_profile(profile: str | None) -> None:
    if profile is None:
        return
    from biascheck.gates.margins import Margins

    try:
        Margins.read(suites_home() / "margins.toml", profile)
    except UsageError as error:
        known = str(error).partition("; ")[2]
        raise UsageError(f"--profile {profile}: there is no such profile; {known}") from error


def _check_model(model: str, device: str | None) -> None:
    """Look at the files of a model, or ask its server; the run itself loads the weights."""
    from biascheck.cache.progress import show_progress_on
    from biascheck.model_specs import load_any

    show_progress_on(_nowhere)  # the run says the same again
    try:
        load_any(model, lazy=True, device=device)
    finally:
        show_progress_on(None)


def _nowhere() -> AbstractContextManager[TextIO]:
    return nullcontext(StringIO())
