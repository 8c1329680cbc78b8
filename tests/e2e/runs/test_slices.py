"""Two parts of a corpus that read alike, and two attachments of one result: a whole run, a baseline, a report."""

import json
from pathlib import Path

import pytest

SUITE = """
    import os
    from dataclasses import replace

    import biascheck as bc
    import pytest
    from biascheck.extend import Table
    from biascheck.testing import TableModel

    JOBS = ["nurse", "judge", "baker", "pilot", "cook", "clerk", "miner", "tailor", "poet", "monk", "king", "thief"]
    WHOLE = bc.corpora.corpus_from_templates(
        "jobs", templates=["{target} is a {attribute}."], targets=[{"male": "he", "female": "she"}], attributes=JOBS
    )
    PLACES = [("north" if n % 2 else "south", "north" if n < 6 else "south") for n in range(len(JOBS))]
    CORPUS = replace(WHOLE, pairs=tuple(
        replace(pair, labels={**pair.labels, "home": home, "work": work})
        for pair, (home, work) in zip(WHOLE.pairs, PLACES)
    ))
    SHIFT = float(os.environ.get("SHIFT", "0"))  # among those who work in the north only
    MALE = {job: 0.5 + 0.01 * n - (SHIFT if n < 6 else 0) for n, job in enumerate(JOBS)}
    MODEL = TableModel({job: {"he": p, "she": 1 - p} for job, p in MALE.items()}, prior={"he": 0.5, "she": 0.5})

    @pytest.mark.parametrize("label", ["home", "work"])
    def test_north(label):
        part = bc.measures.association(MODEL, CORPUS).where(**{label: "north"})
        bc.assert_association_within(part.with_attachments(Table(columns=("a",), rows=((label,),))), margin=9.0)

    def test_more_about_one_of_them():
        part = bc.measures.association(MODEL, CORPUS).where(home="north")
        bc.assert_association_within(part.with_attachments(Table(columns=("b",), rows=(("x",),))), margin=9.0)
"""


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])
def test_parts_that_read_alike_keep_their_own_results_and_entries(project, monkeypatch, processes):
    baseline = ("--bias-baseline", "baseline.json")
    first = project(SUITE, *baseline, "--bias-update-baseline", "--bias-results", "results.json", *processes)
    first.stdout.fnmatch_lines(["*baseline.json updated: 2 added, 0 changed, 0 unchanged*"])
    results = json.loads(Path("results.json").read_text(encoding="utf-8"))["results"]
    assert {tuple(map(tuple, one["slice"])): len(one["attachments"]) for one in results} == {
        (("home", "north"),): 2,
        (("work", "north"),): 1,
    }
    monkeypatch.setenv("SHIFT", "0.3")
    second = project(SUITE, *baseline, "--bias-report", "report.html", *processes)
    assert second.ret == 1
    second.stdout.fnmatch_lines(["FAIL: 1 result regressed from the baseline *", "*regressed *jobs (work=north)*"])
    page = Path("report.html").read_text(encoding="utf-8")
    assert "jobs (home=north)" in page
    assert "jobs (work=north)" in page
