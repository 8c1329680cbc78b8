"""The files that a run writes: refused before the work if they cannot be, saved elsewhere rather than lost after it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from biascheck.core.errors import UsageError
from biascheck.core.files import is_ours
from biascheck.core.shared_storage import file_at
from biascheck.core.wording import escape_control
from biascheck.plugin.options import OUTPUTS, Settings, flag_of
from biascheck.runs.outcome import FOUND_LATER

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.report.ci import Places
    from biascheck.results.compare import Comparison
    from biascheck.runs.run import Run

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"

Writer = Callable[[Path], None]


class Outputs:
    """What was asked for on the command line, in the settings or by the CI's environment."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._written: list[Path] = []
        self._failed: dict[Path, str] = {}
        self._asides: list[str] = []

    def refuse_losses(self) -> None:
        """Refuse, before anything is removed, what would cost a file: one path named twice, or a file of others."""
        named = {flag_of(name): getattr(self._settings, name) for name in (*OUTPUTS, "baseline")}
        named["the memory of worst cases"] = self._settings.worst_cases
        refuse_losses(named, self._settings.outputs)

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


def refuse_losses(named: Mapping[str, Path | None], written: Iterable[Path]) -> None:
    """Raise a usage error for two names of one file, and for a file to be written that biascheck did not write."""
    places: dict[Path, str] = {}
    for name, path in named.items():
        if path is not None and (other := places.setdefault(path.resolve(), name)) != name:
            raise pytest.UsageError(f"{other} and {name} both name {short(path)}; give each a file of its own")
    for path in written:
        if path.is_file() and not is_ours(path):
            raise pytest.UsageError(
                f"{short(path)} was not written by biascheck and would be lost; name another file, or remove it"
            )


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
    from biascheck.runs.file import write_run

    write_run(path, run)


def _write_report(path: Path, run: Run) -> None:
    from biascheck.report import write_report

    write_report(path, run)


def _write_markdown(path: Path, run: Run) -> None:
    from biascheck.core.files import MARKDOWN_MARK, write_atomically
    from biascheck.report.markdown import summary

    write_atomically(path, f"{summary(run)}\n{MARKDOWN_MARK}\n")


def _write_code_quality(path: Path, run: Run, places: Places) -> None:
    from biascheck.core.files import write_atomically
    from biascheck.report.ci import code_quality

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


# What a test leaves in JUnit and in pytest-html about its gates.


def properties_of(judged: Gate | Comparison | Search, number: int) -> list[tuple[str, object]]:
    """Facts for JUnit, numbered from the second judgement of a test on."""
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search

    suffix = "" if number == 1 else f"_{number}"
    if isinstance(judged, Search):
        facts = _of_search(judged)
    else:
        facts = _of_gate(judged) if isinstance(judged, Gate) else _of_comparison(judged)
    if not isinstance(judged, Search) and judged.interval is not None:
        facts |= {"bias_low": judged.interval.low, "bias_high": judged.interval.high}
    return [
        (f"{name}{suffix}", escape_control(value) if isinstance(value, str) else value) for name, value in facts.items()
    ]


def properties_of_run(run: Run) -> Iterator[tuple[str, str]]:
    """Facts for the whole JUnit file: the outcome, what was not tested, and the comparison with the baseline."""
    yield "bias_outcome", escape_control(run.headline)
    facts: dict[str, list[str]] = {}
    if (outcome := run.outcome) is not None:
        facts["not_tested"] = [f"{reason}: {', '.join(tests)}" for reason, tests in outcome.not_tested.items()]
        facts["found_later"] = [f"{test.test}: {test.reason}" for test in outcome.tests if test.reason == FOUND_LATER]
        facts["rerun"] = [f"{test.test}: {story}" for test in outcome.tests for story in test.earlier]
    if (found := run.baseline) is not None:
        facts["baseline"] = [f"{one.verdict}: {one.finding}" for one in found.comparisons]
        facts["baseline"] += [f"refused: {one.title}: {one.reason}" for one in found.refused]
        facts["baseline"] += [f"fewer items: {one.title}: {one.reason}" for one in found.shrunk]
    for name, texts in facts.items():
        yield from ((f"bias_{name}_{number}", escape_control(text)) for number, text in enumerate(texts, start=1))


def _of_gate(gate: Gate) -> dict[str, object]:
    return {
        "bias_gate": gate.title,
        "bias_estimate": gate.estimate,
        "bias_margin": gate.margin,
        "bias_verdict": str(gate.verdict),
        "bias_n": gate.n,
        "bias_seed": gate.seed,
    }


def _of_comparison(comparison: Comparison) -> dict[str, object]:
    return {
        "bias_comparison": comparison.title,
        "bias_change": comparison.change,
        "bias_tolerance": comparison.tolerance,
        "bias_verdict": str(comparison.verdict),
        "bias_n": comparison.n,
        "bias_seed": comparison.seed,
    }


def _of_search(search: Search) -> dict[str, object]:
    return {
        "bias_search": search.title,
        "bias_largest": search.largest,
        "bias_bound": search.bound,
        "bias_verdict": str(search.verdict),
        "bias_n": search.examples,
        "bias_seed": search.seed,
    }


def extra_of(judged: Gate | Comparison | Search) -> dict[str, Any]:
    """The finding as an extra of pytest-html: text, which that plugin escapes."""
    from pytest_html import extras

    found: dict[str, Any] = extras.text(escape_control(judged.finding), name=f"bias: {judged.verdict}")
    return found
