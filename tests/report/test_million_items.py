"""A result with a million items: the page stays small, says what it leaves out, and has what it says."""

import random

import pytest

from biascheck.gates.run import Run
from biascheck.report.html import page_of, render_page
from biascheck.report.sections.comparison_page import write_comparison_html
from biascheck.results.baselines import Judgement
from biascheck.results.comparison import compare
from biascheck.results.item_columns import ItemColumns
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Provenance, Result
from biascheck.results.summaries import summarise

MANY = 1_000_000


def result(model, seed):
    chance = random.Random(seed)

    def item(n):
        first, second = chance.gauss(0, 1), chance.gauss(0, 1)
        shown = {group: Shown(f"On day {n} {group} works.", 0, 2) for group in ("he", "she")}
        return ItemScore(f"i{n}", first - second, f"job{n % 200}", {"he": first, "she": second}, sentences=shown)

    form = Result(
        measure="association",
        model=model,
        corpus="many",
        statistic="mean",
        estimate=0.0,
        interval=None,
        n=0,
        clusters=0,
        seed=0,
        contrast=("he", "she"),
        provenance=Provenance(1, "ours", model, "many"),
        items=(item(n) for n in range(MANY)),
    )
    return summarise(form)


@pytest.mark.slow
def test_a_million_items_make_a_small_report_and_a_small_comparison(tmp_path):
    before, after = result("before", 1), result("after", 2)
    assert isinstance(before.items, ItemColumns)
    html = render_page(page_of(Run((before,))))
    assert len(html.encode()) < 10_000_000
    assert "only 100,000 are in it" in html
    assert "20,000 drawn at random" in html
    write_comparison_html(tmp_path / "moved.html", Judgement((compare(before, after),)))
    assert 10_000 < (tmp_path / "moved.html").stat().st_size < 10_000_000
