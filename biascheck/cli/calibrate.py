"""Measures and gates, validated on models with known bias."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.release import suites_home

if TYPE_CHECKING:
    from biascheck.runs.run import Run

FINISHED = (0, 1)  # pytest's exit codes of a finished run, with and without failures
NOT_OURS = ("PYTEST_ADDOPTS", "BIASCHECK_DATA")


def calibrate(
    doses: Annotated[str, typer.Option(help="doses of the planted bias, separated by commas")] = "0,0.25,0.5,0.75,1",
    parity_models: Annotated[int, typer.Option("--models", min=0, help="parity models to train")] = 20,
    trials: Annotated[int, typer.Option(min=1, help="simulated data sets per gate and true value")] = 100,
    suites: Annotated[Path | None, typer.Option(help="folder of the suites (default: those of this release)")] = None,
    real: Annotated[str, typer.Option(help="model from which the simulated data take their noise")] = "minilm-mlm",
    data: Annotated[Path | None, typer.Option(help="published data sets, for the gates that need them")] = None,
    out: Annotated[Path, typer.Option(help="folder for calibration.json, .svg and .md")] = Path("docs"),
    only: Annotated[str, typer.Option(help="'coverage': compute only the coverage of intervals, in a minute")] = "",
) -> None:
    """Validate measures and gates on models with known bias; training these takes most of an hour, once."""
    from rich.console import Console

    from biascheck.calibration.calibration import calibrate
    from biascheck.calibration.page import rich_tables, write_calibration

    if only:
        _renew(only, out)
        return
    found = calibrate(
        _doses(doses),
        partial(
            run_of_suites, suites=(suites or suites_home()).resolve(), data=None if data is None else data.resolve()
        ),
        models=parity_models,
        trials=trials,
        real=real,
        tell=lambda line: typer.echo(line, err=True),
    )
    Console().print(*rich_tables(found), sep="\n")
    for path in write_calibration(found, out):
        typer.echo(f"written: {path}")


def _renew(part: str, out: Path) -> None:
    """Compute one part of the calibration again, and leave the rest unchanged."""
    from biascheck.calibration.coverage import coverage, renew_coverage, worst_sentence

    if part != "coverage":
        raise UsageError(f"--only {part!r} is not known; write --only coverage")
    cells = coverage()
    paths = renew_coverage(cells, out)
    typer.echo(worst_sentence(cells))
    for path in paths:
        typer.echo(f"written: {path}")


def _doses(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--doses {text!r} cannot be read; write numbers from 0 to 1, as in 0,0.5,1") from None


def run_of_suites(
    model: Path | str, names: tuple[str, ...], suites: Path, data: Path | None = None, profile: str = "standard"
) -> Run:
    """Run suites on a model, without settings of the place or data sets other than those given."""
    from biascheck.runs.file import read_run

    environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    with TemporaryDirectory(prefix="biascheck-") as folder:
        results = Path(folder) / "results.json"
        command = [sys.executable, "-m", "pytest", *(str(suites / name) for name in names)]
        command += ["-c", os.devnull, "--rootdir", str(suites), "-p", "no:cacheprovider", "-q"]
        command += ["--bias-model", str(model), "--bias-results", str(results), "--bias-profile", profile]
        command += [] if data is None else ["--bias-data", str(data)]
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if run.returncode not in FINISHED:
            last = "\n".join((run.stdout + run.stderr).strip().splitlines()[-10:])
            raise BiascheckError(f"the suites in {suites} did not finish on {model}:\n{last}")
        found = read_run(results) if results.is_file() else None
    if found is None or not found.gates:
        raise BiascheckError(f"the suites in {suites} judged nothing on {model}; name a folder with {', '.join(names)}")
    return found
