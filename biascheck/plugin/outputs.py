"""The files that a run writes: refused before the work if they cannot be, saved elsewhere rather than lost after it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from biascheck.cache.shared_storage import file_at
from biascheck.errors import UsageError
from biascheck.plugin.settings import Settings

if TYPE_CHECKING:
    from biascheck.gates.run import Run
    from biascheck.report.annotations import Places

__all__ = ["Outputs", "in_words", "refuse_unwritable", "remove_files", "short"]

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"

Writer = Callable[[Path], None]


class Outputs:
    """What was asked for on the command line, in the settings or by the CI's environment."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._written: list[Path] = []
        self._failed: dict[Path, str] = {}
        self._asides: list[str] = []

    def refuse_unwritable(self) -> None:
        """Say before an hour of measuring, not after it, that its report has nowhere to go."""
        for path in self._settings.outputs:
            refuse_unwritable(path)
        for address in self._settings.addresses:
            try:
                file_at(address)
            except UsageError as error:
                raise pytest.UsageError(str(error)) from error

    def remove_earlier(self) -> None:
        """Remove the files of an earlier run, so that none of them is taken for one of this run."""
        remove_files(self._settings.outputs)
        if (results := self._settings.results) is not None:
            # the items of large results lie beside the file that names them
            remove_files(results.parent.glob(f"{results.stem}.items-{'[0-9a-f]' * 12}.parquet"))
        for address in self._settings.addresses:
            store, name = file_at(address)
            store.remove(name)

    def write(self, run: Run, places: Places) -> tuple[str, ...]:
        """Write every file, each by itself; return what went wrong, in words. What failed once is not tried again."""
        self._written.clear()
        files = [(path, write) for path, write in self._files(run, places) if path not in self._failed]
        return tuple(filter(None, [self._attempt(path, write) for path, write in files]))

    @property
    def notes(self) -> list[str]:
        """What to tell of the files, for the terminal."""
        return [*self._failed.values(), *(f"written: {self._shown(path)}" for path in self._written), *self._asides]

    def append_summary(self, run: Run) -> None:
        """Add to the summary of a GitHub job; the job can do without it."""
        from biascheck.report.markdown import summary

        if not (path := os.environ.get(STEP_SUMMARY)):
            return
        try:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(summary(run))
        except Exception as error:
            self._asides.append(f"{STEP_SUMMARY} {path} could not be written ({in_words(error)})")

    def _files(self, run: Run, places: Places) -> Iterator[tuple[Path, Writer]]:
        wanted = self._settings
        if wanted.results is not None:
            yield wanted.results, lambda path: _write_results(path, run)
        if wanted.report is not None:
            yield wanted.report, lambda path: _write_report(path, run)
        if wanted.markdown is not None:
            yield wanted.markdown, lambda path: _write_markdown(path, run)
        if wanted.code_quality is not None:
            yield wanted.code_quality, lambda path: _write_code_quality(path, run, places)

    def _attempt(self, path: Path, write: Writer) -> str:
        try:
            write(path)
            self._send(path)
        except Exception as error:  # whatever it is, it must not take the other files with it
            remove_files([path])  # one that was written before does not know of this
            problem = f"{self._shown(path)} could not be written ({in_words(error)})"
            self._failed[path] = problem + _elsewhere(path, write, error)
            return problem
        self._written.append(path)
        return ""

    def _send(self, path: Path) -> None:
        if (address := self._settings.sent.get(path)) is not None:
            store, name = file_at(address)
            store.write(name, path.read_bytes())

    def _shown(self, path: Path) -> str:
        return self._settings.sent.get(path) or short(path)


def _elsewhere(path: Path, write: Writer, error: Exception) -> str:
    """Save a file in another place where that helps; say where."""
    if not isinstance(error, OSError):
        return ""
    try:
        folder = Path(tempfile.mkdtemp(prefix="biascheck-"))
        write(folder / path.name)
    except Exception:
        return ""
    return f"; saved as {folder / path.name} instead"


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, where they are files and can be removed."""
    for path in paths:
        if path.is_file():
            with suppress(OSError):
                path.unlink()


def in_words(error: BaseException) -> str:
    """An error in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _write_results(path: Path, run: Run) -> None:
    from biascheck.gates.run_files import write_run

    write_run(path, run)


def _write_report(path: Path, run: Run) -> None:
    from biascheck.report import write_report

    write_report(path, run)


def _write_markdown(path: Path, run: Run) -> None:
    from biascheck.files import write_atomically
    from biascheck.report.markdown import summary

    write_atomically(path, summary(run))


def _write_code_quality(path: Path, run: Run, places: Places) -> None:
    from biascheck.files import write_atomically
    from biascheck.report.annotations import code_quality

    write_atomically(path, code_quality(run, places))


def refuse_unwritable(path: Path) -> None:
    """Raise a usage error for a file that cannot be written."""
    if path.is_dir():
        raise pytest.UsageError(f"{path} is a folder; name a file to write to")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise pytest.UsageError(f"{path} cannot be written ({error.strerror}); name another place") from error


def short(path: Path) -> str:
    """A path as it is shown: from where the command runs, if it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
