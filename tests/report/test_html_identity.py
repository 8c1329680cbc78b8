"""Results that look alike are two sections, each gate leads to its own, and a measure speaks for itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import biascheck
from biascheck import extend
from biascheck.gates.check import assert_all_within
from biascheck.models.fakes import TableModel
from biascheck.report.cards import hub_card_of
from biascheck.report.html import page_of, render_page
from biascheck.results.definition import Description
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict
from support.handmade import result_of
from support.report_markup import Element, parse
from support.report_samples import gate, item, result

PACKAGE = Path(biascheck.__file__).parent


def page(run: Run) -> Element:
    return parse(render_page(page_of(run)))


def stored(run: Run, tmp_path: Path) -> Run:
    write_run(tmp_path / "run.json", run)
    return read_run(tmp_path / "run.json")


def leads(root: Element) -> dict[str, str]:
    """The estimate of each gate's row, and that of the section its link leads to."""
    sections = {article.attributes["id"]: article for article in root.find("article", "body")}
    rows = [row for table in root.find("table", "gates") for row in table.find("tr") if "data-state" in row.attributes]
    return {
        row.find("strong")[0].text: sections[row.find("a")[0].attributes["href"][1:]].find("dd")[0].all_text.strip()
        for row in rows
    }


def labelled(first: str, second: str) -> Result:
    """Two jobs under each other's label: the gap is 1 where "clerk" has the first label, 3 where it has the second."""
    gaps = {("clerk", "baker"): 1.0, ("baker", "clerk"): 3.0}
    return result_of(
        [
            ItemScore(f"{one}/{n}", gap + 0.01 * n, f"{n}", labels={first: one, second: other})
            for (one, other), gap in gaps.items()
            for n in range(8)
        ]
    )


@pytest.mark.parametrize("labels", [("home", "work"), ("occupation", "other")])
def test_slices_of_one_value_are_two_sections_and_each_gate_leads_to_its_own(labels, tmp_path):
    slices = [labelled(*labels).where(**{label: "clerk"}) for label in labels]
    root = page(stored(Run(tuple(slices), assert_all_within(slices, 9.0)), tmp_path))
    sections = [" ".join(head.all_text.split()) for head in root.find("h4") if "clerk" in head.all_text]
    assert sections == [f"jobs ({label}=clerk) male − female" for label in labels]
    assert leads(root) == {"1.04": "1.04", "3.04": "3.04"}  # 1 and 3, and the mean of 0.00 … 0.07, which is 0.035


@pytest.mark.parametrize(
    "change",
    [
        {"slice": (("part", "b"),)},
        {"contrast": ("a", "c")},
        {"treatment": ("online",)},
        {"provenance": replace(result().provenance, corpus_fingerprint="another")},
        {"provenance": replace(result().provenance, model_fingerprint="another")},
        {"provenance": replace(result().provenance, options={"multi_token": "first"})},
    ],
    ids=["slice", "contrast", "treatment", "corpus", "model", "options"],
)
def test_whatever_identifies_a_result_makes_a_section(change, tmp_path):
    first = result(estimate=0.2)
    second = replace(result(estimate=0.3), **change)
    root = page(stored(Run((first, second), (gate(second), gate(first))), tmp_path))
    assert len(root.find("details", "result")) == 2
    assert leads(root) == {"0.20": "0.20", "0.30": "0.30"}


def test_a_card_judges_each_slice_by_its_own_gate():
    slices = [labelled("home", "work").where(**{label: "clerk"}) for label in ("home", "work")]
    home, work = assert_all_within(slices, 9.0)
    text = hub_card_of(Run(tuple(slices), (home, replace(work, verdict=Verdict.EXCEEDS, passed=False))))
    rows = [line for line in text.splitlines() if line.startswith("| association")]
    assert [("home" in row, "within |" in row, "exceeds |" in row) for row in rows] == [
        (True, True, False),
        (False, False, True),
    ]


def purity(name: str) -> Result:
    """A measure as users write one in a test file, with public names alone, taken on a corpus of a paper."""

    @biascheck.measure(
        name,
        version=1,
        statistic="share_positive",
        parity=0.5,
        direction="upwards",
        unit="share of pure clusters",
        sign="Above one half, clusters are purer for {first} than for {second}.",
        about="How pure my clusters are.",
        limits=("It knows nothing of overlap.", "Small clusters are pure by chance."),
    )
    def measured(model, corpus, *, seed=0):
        items = [extend.ItemScore(pair.id, 1.0 if n % 4 else -1.0, pair.id) for n, pair in enumerate(corpus)]
        return extend.summarise(extend.draft(model, corpus, items, (), contrast=corpus.groups, seed=seed))

    jobs = [f"job{n}" for n in range(80)]
    corpus = biascheck.corpora.corpus_from_templates(
        "jobs", templates=["{target} is a {attribute}."], targets=[{"male": "he", "female": "she"}], attributes=jobs
    )
    found = measured(TableModel({}, prior={"he": 0.5, "she": 0.5}), corpus)
    return replace(found, description=replace(found.description, corpus_paper="bartl2020"))


@pytest.mark.parametrize("name", ["cluster purity", "WEATHER bias"])
def test_a_measure_of_ones_own_has_its_section_with_its_own_words(name, tmp_path):
    mine = purity(name)
    judged = replace(biascheck.assert_below(mine, 0.95, family=1), test="tests/test_mine.py::test_purity")
    root = page(stored(Run((mine, result()), (judged,)), tmp_path))
    papers = {section.attributes["id"]: section for section in root.find("section", "paper")}
    assert list(papers) == ["paper-kurita2019", "paper-own"]
    own = " ".join(papers["paper-own"].all_text.split())
    for words in (
        name,
        "How pure my clusters are.",
        "share of pure clusters",
        "0.50 is parity; the larger, the worse.",
        "It knows nothing of overlap.",
        "Small clusters are pure by chance.",
        "Above one half, clusters are purer for male than for female.",
        "0.75",
    ):
        assert words in own, words
    assert name not in papers["paper-kurita2019"].all_text
    (group,) = [row for row in root.find("tr", "group") if name in row.all_text]
    assert "Other measures" in group.all_text
    assert "share of pure clusters" in group.all_text


def test_its_words_are_text_and_not_markup():
    evil = Description(
        "mine",
        about="<b>about</b>",
        limits=("<b>limit</b>",),
        unit="<b>unit</b>",
        sign="<b>sign</b>",
        smallest_change=1,
        smallest_change_reason="<b>why</b>",
    )
    root = page(Run((result(measure="mine", description=evil),)))
    assert root.find("b") == []
    for words in ("about", "limit", "unit", "sign", "why"):
        assert f"<b>{words}</b>" in root.all_text


def test_a_small_figure_reads_alike_in_its_row_and_in_its_section():
    small = result(estimate=-0.0167, interval=Interval(-0.0204, -0.0131, 0.95, ""))
    root = page(Run((small,), (gate(small, Verdict.EXCEEDS, margin=0.01),)))
    (table,) = root.find("table", "gates")
    assert "[−0.020, −0.013]" in table.all_text
    assert "−0.017 [−0.020, −0.013], allowed ± 0.010" in " ".join(root.find("ul", "findings")[0].all_text.split())


def test_intervals_are_written_by_one_function():
    """Ends in brackets are formatted in wording.py; elsewhere only an error shows the raw numbers of an interval."""
    ends = re.compile(r"\[\{[^}]*\blow\b[^}]*\},\s*\{[^}]*\bhigh\b")
    found = [str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if ends.search(path.read_text("utf-8"))]
    assert sorted(found) == ["core/wording.py", "stats/verdicts.py"]
    shown = [path for path in PACKAGE.rglob("*.j2") if re.search(r"\.(low|high)\b", path.read_text("utf-8"))]
    assert shown == []


def test_two_corpora_of_one_name_are_two_points_of_the_plane():
    def pair(corpus: str, estimate: float) -> list[Result]:
        provenance = replace(result().provenance, corpus_fingerprint=corpus)
        return [
            result(measure=m, statistic=m, estimate=estimate, provenance=provenance) for m in ("skew", "stereotype")
        ]

    root = page(Run((*pair("one", 0.2), *pair("two", 0.6))))
    (plane,) = [figure for figure in root.find("figure") if "Skew and stereotype" in figure.all_text]
    assert len(plane.find("circle", "point one")) == 2 + 1  # and the legend


def test_runs_of_one_corpus_with_other_options_are_not_mixed():
    options = [{"multi_token": "joint"}, {"multi_token": "first"}]
    results = [
        result([item("1", gap), item("2", gap, "cook")], provenance=replace(result().provenance, options=one), slice=of)
        for one, gap in zip(options, (1.0, 3.0), strict=True)
        for of in ((("home", "north"),), (("home", "south"),))
    ]
    root = page(Run(tuple(results)))
    tables = [figure.find("tbody")[0] for figure in root.find("figure", "drawing-gaps")]
    assert sorted(table.children[0].children[1].all_text.strip() for table in tables) == ["+1.00", "+3.00"]
