"""Results before and after side by side."""

from __future__ import annotations

from math import log

import pytest

from biascheck.report import write_comparison_html, write_report
from biascheck.report.comparison_page import comparison_page
from biascheck.report.html import render
from biascheck.report.trend_page import trend_page
from biascheck.results.compare import Comparison, compare_all
from biascheck.results.definition import Readability
from biascheck.results.result import Result
from biascheck.runs.baseline import Baseline, BaselineComparison, RefusedResult, compare_with_baseline
from biascheck.runs.run import Run
from biascheck.runs.trend import trends_of
from biascheck.stats import Verdict
from support.report_markup import Element, parse
from support.report_samples import gate, item, result

EVIL = "<script>alert('x')</script>\"&</style></title>"


def measured(model: str, shift: float = 0.0, count: int = 12, **more: object) -> Result:
    """Gaps of 0.0, 0.1, … 1.1 for twelve jobs, all moved by the shift: their mean is 0.55 + shift."""
    return result([item(str(n), 0.1 * n + shift, f"job {n}") for n in range(count)], model=model, **more)


def compared(**shifts: float) -> tuple[Comparison, ...]:
    return compare_all([(measured("base"), measured(name, shift)) for name, shift in shifts.items()])


def page(comparisons: tuple[Comparison, ...], **more: object) -> Element:
    return parse(render("comparison.html.j2", page=comparison_page(BaselineComparison(comparisons, **more))))


@pytest.mark.parametrize(
    ("shifts", "verdict", "text"),
    [
        ({"worse": 1.0, "better": -0.5}, "regressed", "1 of 2 results regressed"),
        ({"better": -0.5}, "no worse", "Nothing regressed"),
        ({}, "none", "Nothing was compared"),
    ],
)
def test_the_headline(shifts, verdict, text):
    found = comparison_page(BaselineComparison(compared(**shifts))).headline
    assert (found.verdict, found.text) == (verdict, text)


def test_what_is_inconclusive_is_no_pass():
    # a third of the jobs far up, a third far down: the mean hardly moves, its interval is wide
    items = [item(str(n), 0.1 * n + (3, -2.5, 0)[n % 3], f"job {n}") for n in range(12)]
    found = comparison_page(
        BaselineComparison(compare_all([(measured("base"), result(items, model="noisy"))]))
    ).headline
    assert found.text == "Nothing regressed, but 1 of 1 is inconclusive"


def test_a_row_shows_both_figures_the_change_and_who_moved():
    (row,) = page(compared(worse=1.0)).find("tr", "regressed")
    text = " ".join(row.all_text.split())
    # every gap moves by exactly 1, and so does the mean, whatever is drawn
    assert "0.55 → 1.55" in text
    assert "+1.00 [1.00, 1.00]" in text
    assert "job 0 +0.00 → +1.00" in text
    assert "12 pairs" in text


def test_models_are_side_by_side():
    root = page(compared(worse=1.0, same=0.0))
    (table,) = root.find("table", "plain-table")[:1]
    heads = [head.all_text.strip() for head in table.find("thead")[0].find("th")]
    assert heads == ["Measure and corpus", "base", "worse", "same"]
    cells = [" ".join(cell.all_text.split()) for cell in table.find("tbody")[0].children[0].children]
    assert cells == [
        "bec-pro association",
        "0.55",
        "1.55 regressed +1.00 [1.00, 1.00]",
        "0.55 no worse +0.00 [0.00, 0.00]",
    ]


def test_two_later_models_of_one_name_are_both_shown():
    pairs = [(measured("base"), measured("checkpoint", shift)) for shift in (1.0, 0.0)]
    found = comparison_page(BaselineComparison(compare_all(pairs)))
    assert found.afters == ("checkpoint", "checkpoint (2)")
    assert [cell.after for cell in found.rows[0].cells if cell] == ["1.55", "0.55"]


def test_one_later_model_needs_no_such_table():
    assert "Side by side" not in page(compared(worse=1.0)).all_text


def test_gaps_before_and_after_are_drawn_in_the_order_of_their_change():
    items = [item(str(n), 0.1 * n + (1.0 if n == 3 else -0.5 if n == 5 else 0.0), f"job {n}") for n in range(12)]
    root = page(compare_all([(measured("base"), result(items, model="after"))]))
    (chart,) = root.find("svg", "bar-chart")
    names = [text.text for text in chart.find("text", "name")]
    assert (names[0], names[-1]) == ("job 3", "job 5")
    assert len(chart.find("circle", "hollow")) == 12


def test_items_of_one_result_only_are_listed():
    (found,) = compare_all([(measured("base"), measured("after", count=9))])
    (listed,) = [d for d in page((found,)).find("details") if "only one of the two" in d.find("summary")[0].text]
    assert [entry.text for entry in listed.find("code")] == ["10", "11", "9"]


def test_results_that_were_not_compared_are_named():
    text = page(compared(worse=1.0), new=("a new one",), unused=("an old one",)).all_text
    assert "Only after" in text
    assert "a new one" in text
    assert "an old one" in text


def test_the_page_is_sound_and_nothing_measured_becomes_markup():
    before, after = (measured(EVIL, shift, corpus=EVIL, measure=EVIL, unit=EVIL) for shift in (0.0, 1.0))
    root = page(
        compare_all([(before, after)]),
        new=(EVIL,),
        unused=(EVIL,),
        refused=(RefusedResult(EVIL, EVIL),),
        shrunk=(RefusedResult(EVIL, EVIL),),
    )
    assert [len(root.find(tag)) for tag in ("script", "style", "head", "body", "h1")] == [1] * 5
    ids = [element.attributes["id"] for element in root.walk() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert all(link.attributes["href"][1:] in ids for link in root.find("a"))


def test_the_file_is_written_whole(tmp_path):
    write_comparison_html(tmp_path / "new" / "compare.html", BaselineComparison(compared(worse=1.0)))
    assert "1 of 1 result regressed" in (tmp_path / "new" / "compare.html").read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["compare.html"]


@pytest.mark.parametrize(
    ("lost", "heading", "reason"),
    [
        ({"refused": (RefusedResult("a × b", "another seed"),)}, "1 result not comparable", "another seed"),
        ({"shrunk": (RefusedResult("a × b", "3 pairs"),)}, "1 result measured on fewer items than before", "3 pairs"),
    ],
)
def test_what_could_not_be_compared_is_no_pass(lost, heading, reason):
    alone = page((), **lost)
    assert alone.find("h1")[0].all_text.strip() == heading
    beside = page(compared(same=0.0), **lost)
    assert beside.find("h1")[0].all_text.strip() == heading
    for root in (alone, beside):
        assert "a × b" in root.all_text
        assert reason in root.all_text
    worse = page(compared(worse=1.0), **lost)
    assert worse.find("h1")[0].all_text.strip() == "1 of 1 result regressed"
    assert worse.find("ul", "reasons-list")[0].all_text.strip() == heading


def test_parts_and_treatments_keep_their_own_rows():
    """Two parts of one value and two treatments of one model: four questions, four rows, each with its own figures."""
    kinds = [
        {"slice": (("home", "north"),)},
        {"slice": (("work", "north"),)},
        {"treatment": ("mix-all",)},
        {"treatment": ("online",)},
    ]
    baseline = Baseline(tuple(measured("base", **kind) for kind in kinds))
    found = compare_with_baseline(
        baseline,
        [
            measured(name, 0.1 * n + more, **kind)
            for name, more in (("one", 0.0), ("two", 0.05))
            for n, kind in enumerate(kinds)
        ],
    )
    assert (len(found.comparisons), found.new, found.unused, found.refused) == (8, (), (), ())
    shown = comparison_page(found)
    assert {row.corpus: [cell.after for cell in row.cells if cell] for row in shown.rows} == {
        "bec-pro (home=north)": ["0.55", "0.60"],
        "bec-pro (work=north)": ["0.65", "0.70"],
        "bec-pro · mix-all": ["0.75", "0.80"],
        "bec-pro · online": ["0.85", "0.90"],
    }
    tables = parse(render("comparison.html.j2", page=shown)).find("table", "changes")
    text = " ".join(table.all_text for table in tables)
    for words in ("base·mix-all → one·mix-all", "base·online → two·online", "bec-pro (home=north)"):
        assert words in text


def test_a_small_change_reads_as_in_the_terminal():
    (found,) = compare_all([(measured("base"), measured("after", 0.0012))], tolerance=0.0)
    (row,) = page((found,)).find("tr", "regressed")
    text = " ".join(row.all_text.split())
    assert found.figures in text
    assert found.moved in text
    assert "+0.001" in found.moved


def test_each_row_has_the_tolerance_of_its_measure():
    (found,) = compared(after=0.05)
    (row,) = page((found,)).find("tr", "no-worse")
    assert found.tolerated == "tolerance 0.10"
    assert f"; {found.tolerated}" in row.all_text


def test_the_report_of_a_run_has_its_comparisons(tmp_path):
    after = measured("worse", 1.0)
    run = Run((after,), (gate(after),), compared(worse=1.0))
    write_report(tmp_path / "bias.html", run)
    root = parse((tmp_path / "bias.html").read_text(encoding="utf-8"))
    assert len(root.find("tr", "regressed")) == 1


def test_invalid_results_are_a_reason_beside_regressions_and_listed_in_words():
    words = {"finding": "40% are in order", "lack": "cannot read this corpus"}
    unable = Readability(check="order", about="word order", value=0.4, floor=0.6, n=50, seed=0, **words)
    lost = (measured("base", corpus="other"), measured("worse", corpus="other", competence=unable))
    root = page(compare_all([(measured("base"), measured("worse", 1.0)), lost]))
    assert root.find("h1")[0].all_text.strip() == "1 of 2 results regressed"
    reasons = root.find("ul", "reasons-list")[0]
    assert reasons.all_text.strip() == "1 result invalid: the model cannot do the task"
    assert root.find("p", "lead")[0].all_text.strip() == "1 regressed, 1 invalid"
    (folded,) = [one for one in root.find("details", "folded") if "Not comparable" in one.all_text]
    assert "worse cannot read this corpus (40% are in order)" in folded.all_text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0.0, log(3), "Association was at parity, now a factor of 3.0 from it"),
        (log(3), 0.0, "Association was a factor of 3.0 from parity, now at parity"),
        (log(2), log(3), "Association was a factor of 2.0 from parity, now a factor of 3.0"),
    ],
)
def test_parity_is_a_word_and_no_factor_of_one(before, after, words):
    pair = [measured(name, value - 0.55) for name, value in (("base", before), ("later", after))]
    root = page(compare_all([pair]))
    (found,) = root.find("ul", "findings")
    assert " ".join(found.all_text.split()).startswith(words)


def test_a_print_has_a_line_for_everything_but_what_is_no_worse():
    (printed,) = page(compared(worse=1.0, better=-0.1, same=0.0)).find("section", "printed")
    captions = [one.all_text.strip() for one in printed.find("caption")]
    assert captions == ["Worse than before: 1", "Better than before: 1"]
    assert [row.children[0].text for row in printed.find("tr")] == ["regressed", "improved"]
    assert "Not printed: results no worse" in printed.all_text


@pytest.mark.parametrize(
    ("verdict", "text", "steps"),
    [
        (Verdict.WITHIN, "Nothing regressed", "Nothing to do"),
        (Verdict.EXCEEDS, "Nothing regressed, but 1 gate fails in the last run", "Keep reducing"),
    ],
)
def test_a_trend_that_is_no_worse_says_whether_the_last_run_passes(verdict, text, steps):
    runs = {name: measured("base") for name in ("first", "last")}
    trends = trends_of({name: Run((of,), (gate(of, verdict),)) for name, of in runs.items()})
    found = trend_page(trends)
    assert found.headline.text == text
    assert found.next_steps[0].text.startswith(steps)
    assert [one.plain.startswith("On average") for one in found.failing] == [True] * (verdict is Verdict.EXCEEDS)
