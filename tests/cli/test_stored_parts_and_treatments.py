"""``report``, ``compare`` and ``card`` on parts and treatments that look alike, and on what cannot be compared."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from biascheck import cli
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.runs.file import write_run
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.handmade import gate_of, items_of, provenance_of, result_of

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


@pytest.fixture
def judged(tmp_path) -> str:
    """A treated model, whole and in part, each with its gate, and the model as it was, which nothing judged."""
    treated, plain = commuters(1.0, 0.2, treatment=("mix-all",)), commuters(1.0, 0.2)
    part = treated.where(home="north")
    gates = [
        gate_of(verdict, key=one.key, corpus=one.corpus_label, interval=one.interval, margin=margin)
        for one, verdict, margin in ((treated, Verdict.WITHIN, 2.0), (part, Verdict.INCONCLUSIVE, part.estimate))
    ]
    write_run(tmp_path / "judged.json", Run((treated, part, plain), tuple(gates)))
    return str(tmp_path / "judged.json")


def test_a_report_links_every_gate_to_its_result(run, judged, tmp_path):
    code, out, _ = run("report", judged, "--out", tmp_path / "bias.html")
    assert (code, out) == (0, f"written: {tmp_path / 'bias.html'}\n")
    html = (tmp_path / "bias.html").read_text("utf-8")
    gates = html.split('<section id="gates"')[1].split("</section>")[0]
    links = [part.split('"')[0] for part in gates.split('href="#result-')[1:]]
    assert sorted(links) == ["2", "3"]  # after "jobs on tiny" come those of tiny·mix-all: the whole and its part
    assert html.count('<span class="tag">no gate</span>') == 1


def test_a_card_judges_what_its_gates_judged(run, judged):
    code, out, _ = run("card", judged)
    assert code == 0
    rows = [line.split(" | ") for line in out.splitlines() if line.startswith("| association")]
    assert [(row[1], row[-1]) for row in rows] == [
        ("jobs", "within |"),
        ("jobs (home=north)", "inconclusive |"),
        ("jobs", "not judged |"),
    ]


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
