"""``report``, ``compare`` and ``card`` on files of every schema, and on parts and treatments that look alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from biascheck import cli
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.runs.baseline import Baseline, write_baseline
from biascheck.runs.file import read_run, write_run
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from support.handmade import items_of, provenance_of, result_of

DATA = Path(__file__).resolve().parents[1] / "support" / "data"
STORED = {schema: DATA / f"results_of_schema_{schema}.json" for schema in (1, 2)}
Invoke = Callable[..., tuple[object, str, str]]


@pytest.fixture
def run(monkeypatch, capsys) -> Invoke:
    """Run the command as the console script does; returns exit code, output and errors."""

    def invoke(*arguments: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["biascheck", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return invoke


@pytest.fixture
def files(tmp_path) -> dict[int, Path]:
    """One file of each schema with the same results; that of schema 3 is written by this release."""
    write_run(tmp_path / "results.json", replace(read_run(STORED[2]), outcome=None))
    return {**STORED, 3: tmp_path / "results.json"}


EACH = pytest.mark.parametrize("schema", [1, 2, 3])


@EACH
def test_a_report_links_every_gate_to_its_result(run, files, tmp_path, schema):
    code, out, _ = run("report", files[schema], "--out", tmp_path / "bias.html")
    assert (code, out) == (0, f"written: {tmp_path / 'bias.html'}\n")
    html = (tmp_path / "bias.html").read_text("utf-8")
    gates = html.split('<section id="gates"')[1].split("</section>")[0]
    links = [part.split('"')[0] for part in gates.split('href="#result-')[1:]]
    assert sorted(links) == ["2", "3"]  # after "jobs on bert" come those of bert·mix-all: the whole and its part
    assert html.count('<span class="tag">no gate</span>') == 1
    assert "FAIL" in html
    assert "published: 0.83 (Bartl 2020, Table 5, BERT)" in html


@EACH
def test_a_card_judges_what_its_gates_judged(run, files, schema):
    code, out, _ = run("card", files[schema])
    assert code == 0
    rows = [line.split(" | ") for line in out.splitlines() if line.startswith("| association")]
    assert [(row[1], row[-1]) for row in rows] == [
        ("jobs", "within |"),
        ("jobs (part=north)", "inconclusive |"),
        ("jobs", "not judged |"),
    ]


@EACH
@pytest.mark.parametrize("later", [1, 2, 3])
def test_files_of_any_two_schemas_are_compared(run, files, tmp_path, schema, later):
    """Schema 1 and 2 hold the same scores: nothing changed, whichever release wrote them."""
    options = ["--markdown", tmp_path / "c.md", "--report", tmp_path / "c.html", "--fail-on", "inconclusive"]
    code, out, err = run("compare", files[schema], files[later], *options)
    assert (code, err) == (0, "")
    assert "3 no worse" in out.splitlines()
    assert "Nothing regressed" in (tmp_path / "c.html").read_text("utf-8")
    assert "jobs &#40;part=north&#41;" in (tmp_path / "c.md").read_text("utf-8")


@EACH
def test_a_baseline_of_each_schema_comes_before_the_arrow(run, files, tmp_path, schema):
    baseline = DATA / f"baseline_of_schema_{schema}.json"
    if schema == 3:
        baseline = tmp_path / "baseline.json"
        write_baseline(baseline, Baseline(read_run(files[3]).results))
    code, out, _ = run("compare", baseline, files[3])
    assert code == 0
    assert "no worse" in out


def commuters(north_home: float, north_work: float, **fields: object) -> Result:
    """Jobs whose gap depends on where people live and where they work; eight jobs add 0.07 on average."""
    gaps = {("north", "south"): north_home, ("south", "north"): north_work}
    return result_of(
        [
            ItemScore(f"job{n}/{home}", gap + 0.02 * n, f"job{n}", labels={"home": home, "work": work})
            for n in range(8)
            for (home, work), gap in gaps.items()
        ],
        **fields,
    )


def parts(result: Result) -> list[Result]:
    return [result.where(home="north"), result.where(work="north")]


def test_parts_and_treatments_are_each_compared_with_their_own(run, tmp_path):
    """Two slices of one value and two treatments of one model: only the work slice of the mixed model regressed."""
    treatments = (("mix-all",), ("online",))
    before = [one for t in treatments for one in parts(commuters(1.0, 0.2, treatment=t))]
    after = [
        one
        for t in treatments
        for one in parts(commuters(1.0, 0.6 if t == ("mix-all",) else 0.2, treatment=t, model="later"))
    ]
    for name, results in (("before", before), ("after", after)):
        write_run(tmp_path / f"{name}.json", Run(tuple(results)))
    code, out, _ = run(
        "compare", tmp_path / "before.json", tmp_path / "after.json", "--fail-on", "regressed",
        "--report", tmp_path / "c.html",
    )  # fmt: skip
    assert code == 1
    rows = [" ".join(line.split()) for line in out.splitlines()[1:5]]
    assert [row.split(" +")[0] for row in rows] == [
        "regressed association · jobs (work=north) tiny·mix-all → later·mix-all 0.27 → 0.67",
        "no worse association · jobs (home=north) tiny·mix-all → later·mix-all 1.07 → 1.07",
        "no worse association · jobs (home=north) tiny·online → later·online 1.07 → 1.07",
        "no worse association · jobs (work=north) tiny·online → later·online 0.27 → 0.27",
    ]
    assert out.splitlines()[5] == "1 regressed, 3 no worse"
    html = (tmp_path / "c.html").read_text("utf-8")
    assert "1 of 4 results regressed" in html
    assert html.count('<tr role="row" class="regressed">') == 1


def test_results_on_less_than_before_fail_and_are_in_every_output(run, tmp_path):
    sizes = {"before": 8, "after": 6}
    for name, count in sizes.items():
        result = result_of(items_of({f"job{n}": [1.0] for n in range(count)}), provenance=provenance_of())
        write_run(tmp_path / f"{name}.json", Run((result,)))
    files = [tmp_path / "before.json", tmp_path / "after.json"]
    options = ["--markdown", tmp_path / "c.md", "--report", tmp_path / "c.html"]
    code, out, _ = run("compare", *files, *options, "--fail-on", "regressed")
    assert code == 1
    for text in (out, *((tmp_path / name).read_text("utf-8") for name in ("c.md", "c.html"))):
        assert "6 pairs where the baseline has 8" in text
    assert "1 result measured on fewer items than before" in (tmp_path / "c.html").read_text("utf-8")


def test_what_cannot_be_compared_is_in_every_output(run, tmp_path):
    result = result_of(items_of({f"job{n}": [1.0] for n in range(8)}))
    write_run(tmp_path / "before.json", Run((result,)))
    write_run(tmp_path / "after.json", Run((replace(result, seed=7),)))
    options = ["--markdown", tmp_path / "c.md", "--report", tmp_path / "c.html"]
    code, _, err = run("compare", tmp_path / "before.json", tmp_path / "after.json", *options)
    assert code == 2
    for text in (err, *((tmp_path / name).read_text("utf-8") for name in ("c.md", "c.html"))):
        assert "seed 0 and seed 7" in text


def test_the_outcome_of_a_run_is_in_its_report_and_card(run, tmp_path):
    tests = (
        TestOutcome("t.py::a", BiasTestState.CRASHED, reason="out of memory"),
        TestOutcome("t.py::b", BiasTestState.SKIPPED, reason="no data"),
    )
    result = result_of(items_of({f"job{n}": [1.0] for n in range(8)}))
    write_run(tmp_path / "run.json", Run((result,), outcome=RunOutcome(tests)))
    run("report", tmp_path / "run.json")
    html = (tmp_path / "run.html").read_text("utf-8")
    for words in ("FAIL", "1 test crashed", "out of memory", "Not tested: 1 test", "no data"):
        assert words in html
    assert "FAIL: 1 test crashed (0 gates; 1 test not tested)" in run("card", tmp_path / "run.json")[1]
