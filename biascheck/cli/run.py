"""``biascheck run`` and ``biascheck plan``: the shipped suites on a model, without a checkout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from io import StringIO
from pathlib import Path
from typing import Annotated, TextIO

import typer

from biascheck.cli.init import FOLDER, available_suites, chosen_suites
from biascheck.core.context import NO_MEMORY, WORST_CASES
from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.release import suites_home

# Errors before the first test: one line that names the flag, instead of an error for each test.


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
    """Refuse impossible options; remove the output files of an earlier run."""
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
    from biascheck.core.progress import show_progress_on
    from biascheck.loading import load_any

    show_progress_on(_nowhere)  # the run repeats the warning
    try:
        load_any(model, lazy=True, device=device)
    finally:
        show_progress_on(None)


def _nowhere() -> AbstractContextManager[TextIO]:
    return nullcontext(StringIO())


# Run the shipped suites on a model, without a checkout and without knowing pytest.

REFERENCE = "reference:"


def run(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="folder, .gguf file, Hub id, bundled name, reference:NAME, encoder:MODEL or address",
        ),
    ],
    suites: Annotated[
        str | None,
        typer.Option(help="suites, separated by commas, or all (default: all; those that a reference model serves)"),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "--bias-profile", help="strictness profile: strict, standard (default) or watch"),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", "--bias-data", help="folder with the published data sets")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", "--bias-report", help="HTML report to write")] = None,
    results: Annotated[
        Path | None,
        typer.Option("--results", "--bias-results", help="JSON file to write, for compare, card and report"),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", "--bias-markdown", help="short summary to write as Markdown")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", "--bias-baseline", help="fail if a result is worse than in this file")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", "--bias-update-baseline", help="write this run's results to --baseline")
    ] = False,
    worst_cases: Annotated[
        Path | None,
        typer.Option(
            "--worst-cases",
            "--bias-worst-cases",
            help="memory of worst cases, or none (default: in the folder bias, or beside the results or the report)",
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", "--bias-device", help="device to run models on, e.g. cuda:0")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            "--bias-engine",
            help="where models run: local (default), ray, auto, HOST:PORT or ray://HOST:PORT",
        ),
    ] = None,
    engine_actors: Annotated[int | None, typer.Option(help="workers of the engine (default: as many as fit)")] = None,
    engine_cpus: Annotated[float | None, typer.Option(help="processors of each worker (default: 1)")] = None,
    engine_gpus: Annotated[float | None, typer.Option(help="GPUs of each worker (default: 0)")] = None,
    engine_threads: Annotated[int | None, typer.Option(help="threads of each worker (default: its processors)")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="show every test and where it failed")] = False,
) -> None:
    """Measure models with the shipped suites and judge them: PASS or FAIL, with the reasons.

    The same run, files and exit code as pytest on the suites: 0 if every gate passes, 1 if not. It is 2 where a model
    cannot be loaded or an option is wrong; then nothing is measured. Messages of the suites name pytest's options; they
    are options of this command, too.
    """
    options = {
        "profile": profile,
        "data": data,
        "report": report,
        "results": results,
        "markdown": markdown,
        "baseline": baseline,
        "device": device,
        "engine": engine,
        "engine-actors": engine_actors,
        "engine-cpus": engine_cpus,
        "engine-gpus": engine_gpus,
        "engine-threads": engine_threads,
    }
    folders = _folders(models, suites)
    refuse_mistakes(
        models,
        profile=profile,
        data=data,
        baseline=baseline,
        update_baseline=update_baseline,
        device=device,
        outputs=[path for path in (report, results, markdown) if path is not None],
    )
    arguments = [
        *folders,
        *(word for model in models for word in ("--bias-model", model)),
        *(word for name, value in options.items() if value is not None for word in (f"--bias-{name}", str(value))),
        *(["--bias-update-baseline"] if update_baseline else []),
        *("--bias-worst-cases", _memory(worst_cases, (results, report, markdown))),
        *(["-v"] if verbose else ["-q", "--tb=no", "-r", "N"]),
    ]
    sys.exit(_pytest(arguments))


def _folders(models: Sequence[str], suites: str | None) -> list[str]:
    if suites is None and all(model.startswith(REFERENCE) for model in models):
        suites = _served_by_references()
    return [str(suites_home() / name) for name in chosen_suites(suites or "all")]


def _served_by_references() -> str:
    """The suites whose sentences a reference model was built to read; the others are named."""
    from biascheck.reference.specs import SERVED_SUITES

    left_out = [name for name in available_suites() if name not in SERVED_SUITES]
    typer.echo(
        f"a reference model reads only the sentences it was built for; left out: {', '.join(left_out)} (--suites all)"
    )
    return ",".join(SERVED_SUITES)


def _memory(chosen: Path | None, outputs: Sequence[Path | None]) -> str:
    """The memory of worst cases: in the project's folder for them, else beside the requested output files.

    Never in the shipped suites, and nowhere if no output file is requested.
    """
    if chosen is not None:
        return str(chosen)
    if Path(FOLDER).is_dir():
        return str(Path(FOLDER) / WORST_CASES.name)
    return next((str(path.parent / WORST_CASES.name) for path in outputs if path is not None), NO_MEMORY)


def _pytest(arguments: Sequence[str]) -> int:
    import pytest

    # The suites may lie in a folder that cannot be written, where pytest would keep its cache.
    fixed = ["-p", "biascheck.plugin", "-p", "no:cacheprovider", "--rootdir", str(suites_home())]
    # This command has imported the package before pytest could prepare its asserts.
    quiet = ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*fixed, *quiet, *arguments]))


# Say what a run would cost.


def plan(
    suites: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SUITES]", help="tests to plan (default: bias/ here, else the suites of this package)"),
    ] = None,
    bias_model: Annotated[
        list[str] | None, typer.Option("--bias-model", help="model to plan for; default: that of pyproject.toml")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="any other option of pytest, such as --bias-dtype=float16")
    ] = None,
) -> None:
    """Say what measuring a model would cost: distinct inputs, tokens, memory, and time by a probe of two seconds.

    The same as pytest SUITES --bias-model MODEL --bias-plan. Nothing is judged and nothing is written. A served model
    gets a handshake and no other request.
    """
    import pytest

    chosen = suites or [Path(FOLDER) if Path(FOLDER).is_dir() else suites_home()]
    models = [part for name in bias_model or [] for part in ("--bias-model", name)]
    quiet = ("-qq", "-rN", "-p", "no:cacheprovider", "--no-header", "--disable-warnings")
    code = pytest.main([*map(str, chosen), *models, "--bias-plan", *quiet, *(option or [])])
    raise typer.Exit(int(code))
