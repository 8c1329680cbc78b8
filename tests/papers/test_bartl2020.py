"""Bartl's tables on a German world in closed form, and what a table says where data are missing."""

from math import exp, log

import pytest

from biascheck.papers import Absent, Setting, Value, paper_named
from biascheck.papers.bartl2020 import english, german, masking, patterns
from biascheck.reference.world import GermanWorld

AGREEMENT = 2.0


@pytest.fixture(scope="module")
def cells():
    setting = Setting(GermanWorld(agreement=AGREEMENT).model(), scale=0.1)
    return {(cell.row, cell.column): cell for cell in german(setting)}


def test_the_german_table_is_that_of_the_world(cells):
    share = log(2 / (1 + exp(-AGREEMENT)))
    for jobs in ("balanced", "female", "male"):
        for person in ("female", "male"):
            cell = cells[f"{jobs} jobs, {person} persons", "mean"]
            assert cell.ours.estimate == pytest.approx(share)
            assert cell.published.table == "Table 5"
        assert cells[f"{jobs} jobs", "male − female, before"].ours.estimate == pytest.approx(0, abs=1e-9)
        assert cells[f"{jobs} jobs", "male − female without the grammar"].ours.estimate == pytest.approx(0, abs=1e-9)
    assert cells["all jobs", "agreement effect"].ours.estimate == pytest.approx(AGREEMENT)


def test_every_printed_figure_has_its_cell(cells):
    """Four means and deviations, V and r for each of three groups, and the gap that the suites show."""
    assert sum(cell.published is not None for cell in cells.values()) == 3 * (4 + 2 + 1)


def test_what_needs_data_says_so():
    setting = Setting(GermanWorld().model(), scale=0.1)
    shown = {(cell.row, cell.column): cell for cell in english(setting)}
    after = shown["male jobs, male persons", "post"]
    assert isinstance(after.ours, Absent)
    assert after.published.value == 0.21
    assert sum(cell.published is not None for cell in shown.values()) == 3 * (6 + 2 + 1)


def test_the_corpus_has_the_sentences_of_the_paper():
    setting = Setting(GermanWorld().model())
    assert sum(cell.ours.estimate for cell in patterns(setting)) == 2 * 5400
    assert [cell.ours for cell in masking(setting)] == [Value(900.0), Value(360.0), Value(60.0)]


def test_every_table_and_figure_of_the_paper_is_there():
    names = {table.name for table in paper_named("bartl2020").tables}
    assert names == {*(f"table {n}" for n in range(1, 9)), *(f"figure {n}" for n in range(1, 7))}
