"""The verdicts of the suites on a reference model: they run as for a user, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from biascheck.core.errors import BiascheckError
from biascheck.gates.gate import Gate
from biascheck.runs.file import read_run
from biascheck.runs.run import Run

SERVED = ("bartl2020", "kurita2019", "manela2021")
"""The suites that a reference model supports: it spells its words, so that its word vectors mean nothing."""
ALL = (*SERVED, "basta2019", "jentzsch2022")
"""The suites whose gates judge one result; those of mitigation compare two."""
FINISHED = (0, 1)  # pytest's exit codes of a finished run, with and without failures
NOT_OURS = ("PYTEST_ADDOPTS", "BIASCHECK_DATA")


@dataclass(frozen=True)
class GateOutcome:
    """One gate of a suite, judged."""

    gate: str
    statistic: str
    estimate: float
    low: float
    high: float
    margin: float
    verdict: str

    @classmethod
    def of(cls, gate: Gate) -> GateOutcome:
        """The outcome of a gate, under the names of its suite, measure and corpus."""
        suite = gate.test.split("::")[0].rpartition("/")[0].rpartition("/")[2]
        low, high = (gate.estimate, gate.estimate) if gate.interval is None else (gate.interval.low, gate.interval.high)
        name = f"{suite}: {' · '.join((gate.measure, gate.corpus, *gate.key.treatment))}"
        return cls(name, gate.statistic, gate.estimate, low, high, gate.margin, str(gate.verdict))


def gates_of_suites(
    model: Path | str, suites: Path, names: tuple[str, ...] = SERVED, profile: str = "standard"
) -> tuple[GateOutcome, ...]:
    """Run suites on a model; all their gates, in order."""
    return tuple(map(GateOutcome.of, run_of_suites(model, suites, names, profile).gates))


def run_of_suites(
    model: Path | str,
    suites: Path,
    names: tuple[str, ...] = SERVED,
    profile: str = "standard",
    data: Path | None = None,
) -> Run:
    """Run suites on a model, without settings of the place or data sets other than those given."""
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
        found = read_run(results) if results.is_file() else Run()
    if not found.gates:
        raise BiascheckError(f"the suites in {suites} judged nothing on {model}; name a folder with {', '.join(names)}")
    return found
