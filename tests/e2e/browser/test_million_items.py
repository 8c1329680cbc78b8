"""Results with a million items: report and comparison stay small, open at once, and say what they leave out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascheck.report import write_comparison_html, write_html
from biascheck.results.compare import compare
from biascheck.results.items import ItemColumns, ItemScore, Shown
from biascheck.runs.baseline import BaselineComparison
from support.browser_views import open_all
from support.handmade import result_of

MANY = 1_000_000
LARGEST_PAGE = 10_000_000
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def items(seed: int) -> Iterator[ItemScore]:
    chance = random.Random(seed)
    for n in range(MANY):
        he, she = chance.gauss(0, 1), chance.gauss(0, 1)
        shown = {group: Shown(f"On day {n} {group} works.", 0, 2) for group in ("he", "she")}
        yield ItemScore(f"i{n}", he - she, f"job{n % 200}", {"he": he, "she": she}, sentences=shown)


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Both pages of two results with a million items each."""
    folder = tmp_path_factory.mktemp("million")
    before, after = (
        result_of(items(seed), model=model, contrast=("he", "she")) for seed, model in enumerate(("before", "after"))
    )
    assert isinstance(before.items, ItemColumns)
    write_html(folder / "report.html", [before], [])
    write_comparison_html(folder / "comparison.html", BaselineComparison((compare(before, after),)))
    return {name: folder / f"{name}.html" for name in ("report", "comparison")}


SAID = {
    "report": ["only 100,000 are in it", "20,000 drawn at random"],
    "comparison": ["1,000,000 pairs", "association", "before → after"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_the_page_is_small_and_says_what_it_is_about(pages, name):
    html = pages[name].read_text(encoding="utf-8")
    assert 10_000 < len(html.encode()) < LARGEST_PAGE
    assert [words for words in SAID[name] if words not in html] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_a_browser_opens_the_page_and_all_in_it(pages, name, view):
    seen = view(pages[name])
    milliseconds = seen.page.evaluate(LOADED)
    open_all(seen.page)
    assert seen.page.locator("tr").count() > 5
    assert seen.complaints == []
    assert seen.requests == [pages[name].as_uri()]
    print(f"{name}: {pages[name].stat().st_size:,} bytes, loaded in {milliseconds:,.0f} ms")
