"""What was never collected or selected: files that could not be read or were skipped, tests that were deselected."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascheck.gates.outcome import BiasTestState

__all__ = ["is_about_bias", "selection_of", "state_of_file"]

WORDS = (b"biascheck", b"bias_", b"mark.bias")


def is_about_bias(root: Path, node: str) -> bool:
    """Whether a file, or one in a folder, speaks of us; it was not run, so its text is all there is to go by."""
    path = root / node.partition("::")[0]
    return any(_mentions_us(file) for file in (path.rglob("*.py") if path.is_dir() else [path]))


def _mentions_us(file: Path) -> bool:
    try:
        text = file.read_bytes()
    except OSError:
        return False
    return any(word in text for word in WORDS)


def state_of_file(report: pytest.CollectReport) -> tuple[BiasTestState, str]:
    """What became of a file, and why: its collection failed or it was skipped."""
    if isinstance(report.longrepr, tuple):
        return BiasTestState.SKIPPED, f"the whole file: {report.longrepr[2].removeprefix('Skipped: ')}"
    lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
    return (
        BiasTestState.CRASHED,
        f"it could not be collected ({lines[-1].removeprefix('E').strip() if lines else 'unknown'})",
    )


def selection_of(config: pytest.Config) -> str:
    """The options that deselect tests in this run."""
    given = {
        "-k": repr(config.option.keyword) if config.option.keyword else "",
        "-m": repr(config.option.markexpr) if config.option.markexpr else "",
        "--deselect": ", ".join(config.option.deselect or ()),
    }
    listed = [f"{option} {value}" for option, value in given.items() if value]
    flags = {"lf": "--last-failed", "stepwise": "--stepwise"}
    listed += [flag for name, flag in flags.items() if getattr(config.option, name, False)]
    return " or ".join(listed) or "another plugin"
