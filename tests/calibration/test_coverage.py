"""The coverage of intervals: what is counted is what gates judge by, and the documents state what was counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from biascheck import cli
from biascheck.calibration.coverage import (
    DISTRIBUTIONS,
    MOST_MISSES,
    TITLE,
    CoverageCell,
    coverage,
    coverage_rows,
    ends_of_rows,
    renew_coverage,
    worst_cell,
    worst_sentence,
)
from biascheck.calibration.simulation import Rate
from biascheck.core.errors import UsageError
from biascheck.stats import Sample, mean_interval

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("level", [0.95, 0.9875])
def test_rows_have_the_ends_that_gates_judge_by(name, level):
    values = DISTRIBUTIONS[name][0](np.random.default_rng(1), (20, 12))
    names = tuple(f"c{n:02}" for n in range(12))
    one_by_one = [mean_interval(Sample(row, names), "mean", level=level) for row in values]
    low, high = ends_of_rows(values, level)
    assert low == pytest.approx([found.low for found in one_by_one], rel=1e-9)
    assert high == pytest.approx([found.high for found in one_by_one], rel=1e-9)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_has_the_mean_it_states(name):
    draw, mean = DISTRIBUTIONS[name]
    drawn = draw(np.random.default_rng(2), (1_000, 200))
    assert drawn.mean() == pytest.approx(mean, abs=5 * drawn.std() / np.sqrt(drawn.size))


def test_no_end_misses_much_more_often_than_stated():
    """Student's t misses 7 times as often as stated at 8 lognormal clusters, and BCa intervals 5 times."""
    for cell in coverage(data_sets=2_000, seed=1):
        assert max(cell.below.low, cell.above.low) <= MOST_MISSES * cell.stated, cell


def test_normal_clusters_pay_little_from_twenty_on():
    found = {(cell.clusters, cell.level): cell for cell in coverage(data_sets=2_000) if cell.distribution == "normal"}
    assert found[60, 0.95].width <= 1.01
    assert found[60, 0.95].lengthened.share <= 0.05
    assert found[20, 0.95].width <= 1.2
    assert found[8, 0.95].width <= 2.1


@pytest.mark.slow
def test_every_cell_is_below_the_goal():
    cells = coverage(data_sets=200_000, seed=3, clusters=(5, 6, 8, 10, 12, 15, 20, 30, 40), levels=(0.9, 0.95, 0.9875))
    assert worst_cell(cells).worst <= MOST_MISSES
    more = coverage(data_sets=50_000, seed=4, clusters=(60, 138))
    assert worst_cell(more).worst <= MOST_MISSES


def cell(below: float, above: float, level: float = 0.95, clusters: int = 8) -> CoverageCell:
    def rate(share: float) -> Rate:
        return Rate.of([n < round(1_000 * share) for n in range(1_000)])

    return CoverageCell("exponential", clusters, level, rate(below), rate(above), rate(0.5), 1.25)


def test_the_worst_cell_is_the_one_with_the_most_misses_for_its_level():
    few, many, strict = cell(0.01, 0.03), cell(0.05, 0.0), cell(0.0, 0.02, level=0.99)
    assert many.worst == pytest.approx(2.0)
    assert worst_cell([few, many, strict]) is strict  # 4 times the stated 0.5 %
    assert worst_cell([few, many, strict], 0.95) is many
    assert worst_sentence([few, many]) == (
        "Worst: 5.00 % where 2.50 % are stated (2.00 times), 8 exponential clusters."
    )


def test_a_row_shows_both_ends_with_wilsons_interval():
    (row,) = coverage_rows([cell(0.02, 0.03)])
    assert row == (
        "8",
        "95 %",
        "exponential",
        "2.50 %",
        "2.00 % [1.30, 3.07]",
        "3.00 % [2.11, 4.25]",
        "1.20",
        "50 %",
        "1.25",
    )


@pytest.mark.parametrize("text", ["# Page\n\nold\n", f"# Page\n\nold\n\n## {TITLE}\n\nstale\n\n## Next\n\nkept\n"])
def test_the_coverage_alone_can_be_renewed(tmp_path, text):
    (tmp_path / "calibration.md").write_text(text, encoding="utf-8")
    (tmp_path / "calibration.json").write_text('{"fit": 1, "coverage": []}', encoding="utf-8")
    renew_coverage([cell(0.02, 0.03)], tmp_path)
    page = (tmp_path / "calibration.md").read_text(encoding="utf-8")
    assert page.startswith(f"# Page\n\nold\n\n## {TITLE}\n\n1,000 simulated data sets")
    assert page.endswith("\n\n## Next\n\nkept\n" if "Next" in text else "| 1.25 |\n")
    assert "stale" not in page
    stored = json.loads((tmp_path / "calibration.json").read_text(encoding="utf-8"))
    assert stored["fit"] == 1
    assert stored["coverage"][0]["clusters"] == 8
    renew_coverage([cell(0.02, 0.03)], tmp_path)
    assert (tmp_path / "calibration.md").read_text(encoding="utf-8") == page


def test_nothing_to_renew_names_the_command(tmp_path):
    with pytest.raises(UsageError, match="write one with biascheck calibrate"):
        renew_coverage([cell(0.02, 0.03)], tmp_path)


def test_the_command_renews_the_coverage_and_no_other_part(tmp_path, monkeypatch, capsys):
    (tmp_path / "calibration.md").write_text("# Page\n", encoding="utf-8")
    (tmp_path / "calibration.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr("biascheck.calibration.coverage.coverage", lambda: (cell(0.02, 0.03),))
    outcomes = {}
    for part in ("coverage", "gates"):
        monkeypatch.setattr(sys, "argv", ["biascheck", "calibrate", "--only", part, "--out", str(tmp_path)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        outcomes[part] = (left.value.code, *capsys.readouterr())
    assert outcomes["coverage"][0] == 0
    assert outcomes["coverage"][1].startswith("Worst: 3.00 % where 2.50 % are stated")
    assert TITLE in (tmp_path / "calibration.md").read_text(encoding="utf-8")
    assert outcomes["gates"][0] != 0
    assert "write --only coverage" in outcomes["gates"][2]


def stored_cells() -> list[CoverageCell]:
    document = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))
    rates = ("below", "above", "lengthened")
    return [
        CoverageCell(**{name: Rate(**value) if name in rates else value for name, value in one.items()})
        for one in document["coverage"]
    ]


def test_the_documents_state_the_worst_cell_that_was_counted():
    cells = stored_cells()
    assert worst_cell(cells).worst <= MOST_MISSES
    sentence = worst_sentence(cells)
    for page in ("calibration.md", "statistics.md"):
        text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
        assert sentence.removeprefix("Worst: ") in text, page


def test_the_stored_cells_are_those_of_this_code():
    again = coverage(clusters=(5,))  # drawn first, so that the seed gives the same data sets
    assert list(again) == stored_cells()[: len(again)]
