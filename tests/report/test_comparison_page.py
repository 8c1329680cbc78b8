"""Results before and after side by side."""

from __future__ import annotations

import pytest
from report_markup import Element, parse
from report_samples import gate, item, result

from biascheck.gates.run import Run
from biascheck.report import write_comparison_html, write_report
from biascheck.report.rendering import render
from biascheck.report.sections.comparison_page import comparison_page
from biascheck.results.comparison import Comparison, compare_all
from biascheck.results.result import Result

EVIL = "<script>alert('x')</script>\"&</style></title>"


def measured(model: str, shift: float = 0.0, count: int = 12, **more: object) -> Result:
    """Gaps of 0.0, 0.1, … 1.1 for twelve jobs, all moved by the shift: their mean is 0.55 + shift."""
    return result([item(str(n), 0.1 * n + shift, f"job {n}") for n in range(count)], model=model, **more)


def compared(**shifts: float) -> tuple[Comparison, ...]:
    return compare_all([(measured("base"), measured(name, shift)) for name, shift in shifts.items()])


def page(comparisons: tuple[Comparison, ...], **more: object) -> Element:
    return parse(render("comparison.html.j2", page=comparison_page(comparisons, **more)))


@pytest.mark.parametrize(
    ("shifts", "verdict", "text"),
    [
        ({"worse": 1.0, "better": -0.5}, "regressed", "1 of 2 results regressed"),
        ({"better": -0.5}, "no worse", "Nothing regressed"),
        ({}, "none", "Nothing was compared"),
    ],
)
def test_the_headline(shifts, verdict, text):
    found = comparison_page(compared(**shifts)).headline
    assert (found.verdict, found.text) == (verdict, text)


def test_what_cannot_be_told_is_no_pass():
    # a third of the jobs far up, a third far down: the mean hardly moves, its interval is wide
    items = [item(str(n), 0.1 * n + (3, -2.5, 0)[n % 3], f"job {n}") for n in range(12)]
    found = comparison_page(compare_all([(measured("base"), result(items, model="noisy"))])).headline
    assert found.text == "Nothing regressed, but 1 of 1 cannot be told"


def test_a_row_tells_both_figures_the_change_and_who_moved():
    (row,) = page(compared(worse=1.0)).find("tr", "regressed")
    text = " ".join(row.all_text.split())
    # every gap moves by exactly 1, and so does the mean, whatever is drawn
    assert "0.55 → 1.55" in text
    assert "+1.00 [1.00, 1.00]" in text
    assert "job 0 +0.00 → +1.00" in text
    assert "12 pairs" in text


def test_models_stand_side_by_side():
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
    found = comparison_page(compare_all(pairs))
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
    text = page(compared(worse=1.0), new=["a new one"], unused=["an old one"]).all_text
    assert "Only after" in text
    assert "a new one" in text
    assert "an old one" in text


def test_the_page_is_sound_and_nothing_measured_becomes_markup():
    before, after = (measured(EVIL, shift, corpus=EVIL, measure=EVIL, unit=EVIL) for shift in (0.0, 1.0))
    root = page(compare_all([(before, after)]), new=[EVIL], unused=[EVIL])
    assert [len(root.find(tag)) for tag in ("script", "style", "head", "body", "h1")] == [1] * 5
    ids = [element.attributes["id"] for element in root.walk() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert all(link.attributes["href"][1:] in ids for link in root.find("a"))


def test_the_file_is_written_whole(tmp_path):
    write_comparison_html(tmp_path / "new" / "compare.html", compared(worse=1.0))
    assert "1 of 1 results regressed" in (tmp_path / "new" / "compare.html").read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["compare.html"]


def test_the_report_of_a_run_holds_its_comparisons_and_says_that_it_is_incomplete(tmp_path):
    after = measured("worse", 1.0)
    run = Run((after,), (gate(after),), compared(worse=1.0), complete=False, not_run=1_234)
    write_report(tmp_path / "bias.html", run)
    root = parse((tmp_path / "bias.html").read_text(encoding="utf-8"))
    assert "1,234 tests did not run" in root.find("p", "incomplete")[0].all_text
    assert len(root.find("tr", "regressed")) == 1
    write_report(tmp_path / "bias.html", Run((after,), (gate(after),)))
    assert parse((tmp_path / "bias.html").read_text(encoding="utf-8")).find("p", "incomplete") == []
