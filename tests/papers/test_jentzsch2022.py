"""Jentzsch & Turan 2022 on a tiny model and 40 reviews of ours: which cells have figures, and how they agree."""

import pytest

import biascheck
from biascheck.corpora import reviews
from biascheck.papers import MODELS, Absent, Setting, Value, paper_named, reproduce
from biascheck.papers.jentzsch2022 import family_row


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """IMDB's folders with reviews of ours."""
    root = tmp_path_factory.mktemp("data")
    for part in ("train", "test"):
        for n, item in enumerate(reviews(part).items[:40]):
            folder = root / "imdb" / "aclImdb" / part / item.sentiment[:3]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{n}_8.txt").write_text(item.text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def found(data, tmp_path_factory):
    place = tmp_path_factory.mktemp("page") / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASCHECK_CACHE", str(place.parent / "cache"))
        setting = Setting(biascheck.load("reference:tiny"), data, scale=0.0005)
        tables = ["1", "2", "3", "4", "5", "figure 1", "figure 3", "figure 4"]
        whole = reproduce(paper_named("jentzsch2022"), setting, place, tables=tables, say=str)
    return {table.name: table for table in whole.tables}


def figures_of(table, column, variant="ours"):
    cells = {cell.row: getattr(cell, variant) for cell in table.cells if cell.column == column}
    return {row: value.estimate for row, value in cells.items() if isinstance(value, Value)}


def test_figures_are_in_the_row_of_the_family_alone(found):
    for name, cells in (("table 1", 9), ("table 3", 9), ("table 5", 7)):
        rows = {cell.row.split()[0] for cell in found[name].cells if cell.measured}
        assert rows == {"BERT-base"}, name
        assert sum(cell.measured for cell in found[name].cells) % cells == 0
    assert {cell.row.split()[0] for cell in found["table 1"].cells} == set(MODELS)
    assert found["table 4"].state == found["figure 3"].state == "not applicable"
    assert found["figure 1"].state == found["figure 4"].state == "reproduced"
    assert len(found["figure 4"].drawings) == 2  # ours and as published


@pytest.mark.parametrize("variant", ["ours", "as_published"])
def test_tables_of_one_classifier_agree(found, variant):
    """Counts are of all 40 reviews; a bias over all is that over non-zero ones, times their share."""
    counts = {column: figures_of(found["table 3"], column, variant) for column in ("N<0", "N=0", "N>0")}
    assert len(counts["N=0"]) == 9
    for row, zero in counts["N=0"].items():
        assert counts["N<0"][row] + zero + counts["N>0"][row] == 40
        for column in ("absolute bias", "total bias"):
            over_all, nonzero = (figures_of(found[name], column, variant)[row] for name in ("table 3", "table 1"))
            assert over_all == pytest.approx(nonzero * (40 - zero) / 40, abs=1e-15)
    assert all(0 <= stars <= 3 for stars in figures_of(found["table 3"], "stars", variant).values())


def test_printed_figures_are_the_comparable_ones(found):
    printed = {(cell.row, cell.column): cell.published.value for cell in found["table 3"].cells}
    assert printed["BERT-base original-all", "total bias"] == 0.0029  # over all reviews
    assert printed["BERT-base original-all", "N=0"] == 4240
    printed = {(cell.row, cell.column): cell.published.value for cell in found["table 1"].cells}
    assert printed["BERT-base original-all", "total bias"] == 0.0035  # over those with a delta


def test_a_causal_model_is_not_what_the_paper_is_about(data):
    from support.tiny import loaded

    setting = Setting(loaded("gpt2"), data, scale=0.0005)
    reason = setting.tried(family_row, setting)
    assert reason == Absent(
        "gpt2 is neither a masked model nor an encoder; the paper fine-tunes those", "not applicable"
    )
    other = Setting(loaded("deberta-v2"), data, scale=0.0005)
    assert "the paper has none of that family" in other.tried(family_row, other).reason
