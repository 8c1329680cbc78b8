"""Failing gates in code review: annotations of GitHub Actions, and GitLab's Code Quality report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from biascheck.core.wording import escape_control, pluralize
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search
from biascheck.results.compare import Comparison
from biascheck.runs.outcome import BiasTestState, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict


@dataclass(frozen=True, slots=True)
class Place:
    """A file, relative to the repository, and a line in it, from 1."""

    file: str
    line: int


Places = Mapping[str, Place]
"""The place of each test, by pytest's id; the empty id is the baseline."""


def github_commands(run: Run, places: Places) -> Iterator[str]:
    """One workflow command for each failing gate and each regression.

    ``::error file=…,line=…,title=…::message`` with ``%`` and, in properties, ``:`` and ``,`` written as the runner
    reads them (docs.github.com, "Workflow commands").
    """
    if not run.passed:
        yield f"::error title={_property('bias gates')}::{_message(run.headline)}"
    if run.outcome is not None:
        for reason, tests in run.outcome.not_tested.items():
            untested = f"{pluralize(len(tests), 'test')}: {reason}"
            yield f"::notice title=bias not tested::{_message(untested)}"
    for judged in _failed(run):
        place = places.get(judged.test)
        properties = {} if place is None else {"file": place.file, "line": str(place.line)}
        properties["title"] = f"{judged.measure}: {judged.verdict}"
        listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::error {listed}::{_message(judged.finding)}"
    for search in _failed_searches(run):
        place = places.get(search.test)
        where = "" if place is None else f"file={_property(place.file)},line={place.line},"
        yield f"::error {where}title={_property(f'worst cases: {search.verdict}')}::{_message(search.finding)}"
    yield from (f"::error title=bias baseline::{_message(text)}" for text in _beside_comparisons(run))
    yield from (f"::error title=bias test::{_message(_story(test))}" for test in _unjudged(run))


def code_quality(run: Run, places: Places) -> str:
    """GitLab's Code Quality report: a JSON list with one entry for each failing gate and each regression.

    A fingerprint is the same for the same finding in two runs: it is made from the test, the measure and the corpus,
    not from the figures.
    """
    entries = [_entry(judged, places) for judged in _failed(run)]
    entries += [_of_search(search, places) for search in _failed_searches(run)]
    entries += [_unfinished(test, places) for test in _unjudged(run)]
    entries += [_of_baseline(text, places) for text in _beside_comparisons(run)]
    if not (entries or run.passed):
        entries.append(_listed("bias-run", ["run"], run.reasoned_verdict, Place(".", 1)))
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def _failed(run: Run) -> Iterator[Gate | Comparison]:
    caught = run.caught
    yield from (gate for gate in run.gates if not gate.passed and gate not in caught)
    yield from (comparison for comparison in run.all_comparisons if not comparison.passed)


def _failed_searches(run: Run) -> Iterator[Search]:
    passing = {test.test for test in run.outcome.tests if not test.failed} if run.outcome is not None else set()
    yield from (one for one in run.searches if not one.passed and escape_control(one.test) not in passing)


def _of_search(search: Search, places: Places) -> dict[str, object]:
    place = places.get(search.test) or Place(search.test.partition("::")[0] or ".", 1)
    facts: list[object] = ["search", search.test, search.model, search.figure, search.strategy]
    return _listed("bias-search", facts, search.finding, place)


def _unjudged(run: Run) -> tuple[TestOutcome, ...]:
    return () if run.outcome is None else run.outcome.having(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING)


def _story(test: TestOutcome) -> str:
    return f"{test.test}: {test.state}, {test.reason}"


def _beside_comparisons(run: Run) -> Iterator[str]:
    """Failures of a baseline besides regressions."""
    if run.baseline is not None:
        yield from (f"{one.title} cannot be compared: {one.reason}" for one in run.baseline.refused)
        yield from (f"{one.title} has fewer items: {one.reason}" for one in run.baseline.shrunk)


def _entry(judged: Gate | Comparison, places: Places) -> dict[str, object]:
    place = places.get(judged.test) or Place(judged.test.partition("::")[0] or ".", 1)
    kind = "gate" if isinstance(judged, Gate) else "regression"
    limit = judged.bound if isinstance(judged, Gate) else ""
    model = judged.model if isinstance(judged, Gate) else judged.model_after
    facts = [kind, judged.test, model, limit, *judged.key.question]  # the same finding, whatever its figures
    severity = "minor" if judged.verdict is Verdict.INCONCLUSIVE else "major"
    return _listed(f"bias-{kind}", facts, judged.finding, place, severity)


def _unfinished(test: TestOutcome, places: Places) -> dict[str, object]:
    place = places.get(test.test) or Place(test.test.partition("::")[0] or ".", 1)
    return _listed("bias-test", ["test", test.test, test.state], _story(test), place)


def _of_baseline(text: str, places: Places) -> dict[str, object]:
    return _listed("bias-baseline", ["baseline", text], text, places.get("") or Place(".", 1))


def _listed(
    name: str, facts: list[object], description: str, place: Place, severity: str = "major"
) -> dict[str, object]:
    return {
        "description": escape_control(description),
        "engine_name": "biascheck",
        "check_name": name,
        "fingerprint": hashlib.sha256(json.dumps(facts).encode()).hexdigest(),
        "severity": severity,
        "location": {"path": escape_control(place.file), "lines": {"begin": place.line}},
    }


def _message(text: str) -> str:
    """A finding is one sentence: a line break in it comes from a name and is shown like other control characters."""
    return escape_control(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
