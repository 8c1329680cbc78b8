"""Failing gates where a reviewer looks: annotations of GitHub Actions, and GitLab's Code Quality report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.gates.outcome import State, TestOutcome
from biascheck.gates.run import Run
from biascheck.results.comparison import Comparison
from biascheck.stats import Verdict
from biascheck.wording import visible

__all__ = ["Place", "Places", "code_quality", "github_commands"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file, as the repository knows it, and a line in it, from 1."""

    file: str
    line: int


Places = Mapping[str, Place]
"""Where each test is, by pytest's id; the empty id is the baseline."""


def github_commands(run: Run, places: Places) -> Iterator[str]:
    """One workflow command for each failing gate and each regression.

    ``::error file=…,line=…,title=…::message`` with ``%`` and, in properties, ``:`` and ``,`` written as the runner
    reads them (docs.github.com, "Workflow commands").
    """
    if not run.passed:
        yield f"::error title={_property('bias gates')}::{_message(run.headline)}"
    if run.outcome is not None:
        for reason, tests in run.outcome.not_tested.items():
            yield f"::notice title=bias not tested::{_message(f'{len(tests)} tests: {reason}')}"
    for judged in _failed(run):
        place = places.get(judged.test)
        properties = {} if place is None else {"file": place.file, "line": str(place.line)}
        properties["title"] = f"{judged.measure}: {judged.verdict}"
        listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::error {listed}::{_message(judged.finding)}"


def code_quality(run: Run, places: Places) -> str:
    """GitLab's Code Quality report: a JSON list with one entry for each failing gate and each regression.

    A fingerprint is the same for the same finding in two runs: it is made from the test, the measure and the corpus,
    not from the figures.
    """
    entries = [_entry(judged, places) for judged in _failed(run)]
    if run.outcome is not None:
        entries += [_unfinished(test, places) for test in run.outcome.having(State.CRASHED, State.JUDGED_NOTHING)]
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def _failed(run: Run) -> Iterator[Gate | Comparison]:
    caught = set(run.caught)
    yield from (gate for gate in run.gates if not gate.passed and gate not in caught)
    yield from (comparison for comparison in run.all_comparisons if not comparison.passed)


def _entry(judged: Gate | Comparison, places: Places) -> dict[str, object]:
    place = places.get(judged.test) or Place(judged.test.partition("::")[0] or ".", 1)
    kind = "gate" if isinstance(judged, Gate) else "regression"
    limit = judged.bound if isinstance(judged, Gate) else ""
    model = judged.model if isinstance(judged, Gate) else judged.model_after
    facts = [kind, judged.test, model, limit, *judged.key.question]  # the same finding, whatever its figures
    return {
        "description": visible(judged.finding),
        "check_name": f"bias-{kind}",
        "fingerprint": hashlib.sha256(json.dumps(facts).encode()).hexdigest(),
        "severity": "minor" if judged.verdict is Verdict.INCONCLUSIVE else "major",
        "location": {"path": visible(place.file), "lines": {"begin": place.line}},
    }


def _unfinished(test: TestOutcome, places: Places) -> dict[str, object]:
    place = places.get(test.test) or Place(test.test.partition("::")[0] or ".", 1)
    return {
        "description": visible(f"{test.test}: {test.state}, {test.reason}"),
        "check_name": "bias-test",
        "fingerprint": hashlib.sha256(json.dumps(["test", test.test, test.state]).encode()).hexdigest(),
        "severity": "major",
        "location": {"path": visible(place.file), "lines": {"begin": place.line}},
    }


def _message(text: str) -> str:
    """A finding is one sentence: a line break in it comes from a name and is shown like other control characters."""
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
