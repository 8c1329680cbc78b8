"""Damaged files of results, baselines and cache entries: read, or refused by an error of ours; never another exception.

What can still be read is also drawn, compared and written as a card, as the command does.
"""

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest

from biascheck.cli.stored import card, compare as compare_command, report
from biascheck.core.errors import BiascheckError
from biascheck.core.store import DocumentCache
from biascheck.results.attachments import Draws, Facts, Point, Published, Scatter, Table
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.compare import compare
from biascheck.results.definition import Description
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result
from biascheck.runs.baseline import Baseline, compare_with_baseline, read_baseline, write_baseline
from biascheck.runs.file import read_run, write_run
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.fuzzing import mutations
from support.handmade import SHOWN, SKIPPED, gate_of, items_of, result_of

SHORT, LONG = 150, 2_500
COUNTS = pytest.mark.parametrize(
    ("count", "seed"), [(SHORT, 1), pytest.param(LONG, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
FIGURE = PublishedFigure(0.83, "Bartl 2020", table="Table 5", model="BERT")


def measured(shift: float = 0.0, **fields: object) -> Result:
    gaps = {job: [shift + 0.1 * n, shift + 0.05] for n, job in enumerate(("baker", "judge", "mason", "nurse", "pilot"))}
    items = [replace(item, sentences=SHOWN, side="AB"[n // 2 % 2]) for n, item in enumerate(items_of(gaps))]
    attachments = (
        Table(columns=("job", "gap"), rows=(("nurse", -1.0),), title="by job"),
        Scatter(x="share", y="gap", points=(Point("nurse", 0.9, -1.0),)),
        Draws(values=(0.1, 0.2, 0.3)),
        Published(figures=(FIGURE,)),
        Facts(facts={"drawn": [1, 2]}),
    )
    about = Description(name="association", unit="nats", sign="towards {first}", limits=("English only",))
    more = {"skipped": (SKIPPED,), "attachments": attachments, "description": about, "treatment": ("mix-all",)}
    return result_of(items, **{**more, **fields})


def whole_run() -> Run:
    before, after = measured(), measured(0.2, model="later")
    sides = measured(statistic="standardised_difference", measure="effect size").where(template="t0")
    share = measured(statistic="share_positive", measure="positive share", parity=0.5)
    gates = (
        gate_of(published=(FIGURE,), reason="agreed", test="t::a"),
        gate_of(Verdict.EXCEEDS, interval=None, test="t::b"),
    )
    tests = (TestOutcome("t::a", BiasTestState.JUDGED), TestOutcome("t::b", BiasTestState.SKIPPED, reason="no data"))
    return Run(
        results=(after, sides, share),
        gates=gates,
        comparisons=(compare(before, after),),
        outcome=RunOutcome(tests, problems=("disk full",)),
        baseline=compare_with_baseline(Baseline((before,)), [after, share]),
    )


def answered(action: Callable[[], object]) -> bool:
    """Whether an action succeeded; an error of ours is an answer too, any other exception fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except BiascheckError:
            return False
        except click.exceptions.Exit:
            return True
    return True


@pytest.fixture
def results(tmp_path) -> Path:
    write_run(tmp_path / "results.json", whole_run())
    return tmp_path / "results.json"


@pytest.fixture
def baseline(tmp_path) -> Path:
    write_baseline(tmp_path / "baseline.json", Baseline(whole_run().results))
    return tmp_path / "baseline.json"


def test_undamaged_files_are_read_drawn_and_compared(results, baseline, tmp_path):
    for command in commands(results, baseline, tmp_path / "out"):
        command()


def commands(results: Path, baseline: Path, out: Path) -> list[Callable[[], object]]:
    """What the command line does with a file of results."""
    return [
        lambda: report(results, out.with_suffix(".html")),
        lambda: card(results, out.with_suffix(".md"), "tiny"),
        lambda: card(results, out.with_suffix(".md"), "later"),
        lambda: compare_command(baseline, [results], None, 0.0, out.with_suffix(".md"), out.with_suffix(".html")),
        lambda: compare_command(results, [results], None, 0.0, None, None),
    ]


@COUNTS
def test_damaged_results_are_read_or_refused(results, baseline, tmp_path, count, seed):
    damaged, read = tmp_path / "damaged.json", 0
    for content in mutations(results.read_bytes(), count, seed):
        damaged.write_bytes(content)
        if answered(lambda: read_run(damaged)):
            read += 1
            for command in commands(damaged, baseline, tmp_path / "out"):
                answered(command)
    assert 0 < read < count


@COUNTS
def test_damaged_baselines_are_read_or_refused(results, baseline, tmp_path, count, seed):
    damaged, read = tmp_path / "damaged.json", 0
    for content in mutations(baseline.read_bytes(), count, seed):
        damaged.write_bytes(content)
        if answered(lambda: read_baseline(damaged)):
            read += 1
            answered(lambda: compare_command(damaged, [results], None, 0.0, None, None))
            answered(lambda: write_baseline(tmp_path / "again.json", read_baseline(damaged).updated([measured()])))
    assert 0 < read < count


@COUNTS
def test_a_damaged_cache_entry_is_computed_again_or_is_the_entry(tmp_path, count, seed):
    """The checksum of the envelope decides: what comes back is what was kept, or computed anew."""
    document = result_to_dict(measured())
    DocumentCache(tmp_path).fetch("key", lambda: document)
    (path,) = tmp_path.glob("*.json")
    original, computed = path.read_bytes(), 0
    for content in mutations(original, count, seed):
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = DocumentCache(tmp_path).fetch("key", lambda: {"computed": "again"})
        computed += found == {"computed": "again"}
        assert found in ({"computed": "again"}, json.loads(json.dumps(document)))
    assert computed > 0.5 * count


@COUNTS
def test_a_damaged_document_of_a_result_is_read_or_refused(count, seed):
    for content in mutations(json.dumps(result_to_dict(measured())), count, seed):
        answered(lambda content=content: result_from_dict(_parsed(content)))


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
