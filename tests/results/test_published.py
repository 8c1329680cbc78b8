"""The figures that suites show beside measured ones are those of the papers, corrected for their errata."""

import csv
import tomllib
from pathlib import Path

import pytest

from biascheck.core.errors import UsageError
from biascheck.core.wording import published_text
from biascheck.report.papers import cited
from biascheck.results.published import PublishedFigure, PublishedFigures

SUITES = Path(__file__).resolve().parents[2] / "suites"
FIGURES = tomllib.loads((SUITES / "published.toml").read_text("utf-8"))


@pytest.mark.parametrize(("figure", "column"), [("skew", "skew"), ("stereotype", "stereo")])
def test_table_2_of_manela_is_whole_and_its_swapped_columns_are_put_right(figure, column, gold):
    entries = FIGURES["manela2021"][figure]
    with (gold / "manela" / "table2_recomputed.csv").open(encoding="utf-8") as lines:
        rows = {row["model"]: row for row in csv.DictReader(lines)}
    assert set(entries) == set(rows)
    for model, row in rows.items():
        assert entries[model]["value"] == pytest.approx(float(row[f"recomputed_{column}"]) / 100, abs=6e-4)
        follows = row[f"{column}_ok"] == "True"
        assert ("erratum" not in entries[model]) == follows, model
    assert entries["BERT-A"]["value"] == {"skew": 0.498, "stereotype": 0.001}[figure]


@pytest.fixture(scope="module")
def manela():
    """The value of every figure of the paper, by its name."""
    read = PublishedFigures.read(SUITES / "published.toml")
    return {
        name.removeprefix("manela2021."): figure.value
        for name, figure in read.entries.items()
        if name.startswith("manela2021.")
    }


def test_the_f1s_of_table_2_are_whole(manela, gold):
    with (gold / "manela" / "table2_recomputed.csv").open(encoding="utf-8") as lines:
        printed = {
            f"f1.{row['model']}.{gender}.{side}": round(float(row[f"f1_{gender[0]}_{side}"]) / 100, 4)
            for row in csv.DictReader(lines)
            for gender in ("male", "female")
            for side in ("pro", "anti")
        }
    assert len(printed) == 68
    assert {name: value for name, value in manela.items() if name.startswith("f1.")} == printed


def test_skew_and_stereotype_of_table_2_follow_from_its_f1s(manela):
    """By the formulas of section 3.1, for all 17 rows, once the errata are put right."""
    models = [name.removeprefix("skew.") for name in manela if name.startswith("skew.")]
    assert len(models) == 17
    for model in models:
        mp, ma, fp, fa = (manela[f"f1.{model}.{g}.{side}"] for g in ("male", "female") for side in ("pro", "anti"))
        assert manela[f"skew.{model}"] == pytest.approx((abs(mp - fp) + abs(ma - fa)) / 2, abs=6e-4)
        assert manela[f"stereotype.{model}"] == pytest.approx((abs(mp - ma) + abs(fp - fa)) / 2, abs=6e-4)


def test_table_1_of_manela_has_26_models(manela):
    cells = {name: value for name, value in manela.items() if name.startswith("resolution.")}
    models = list(dict.fromkeys(name.split(".")[1] for name in cells))
    assert (len(models), len(cells)) == (26, 104)
    bert = [cells[f"resolution.BERT.{kind}.{gender}"] for kind in ("T1", "T2") for gender in ("male", "female")]
    assert bert == [0.588, 0.624, 0.953, 0.955]
    # the models of Table 2 are those that pass the paper's threshold of 75 % on T2, and BERT-AO, which does not
    trusted = {m for m in models if min(cells[f"resolution.{m}.T2.{g}"] for g in ("male", "female")) >= 0.75}
    assert trusted | {"BERT-AO"} == {name.split(".")[1] for name in manela if name.startswith("skew.")}
    assert "BERT-AO" not in trusted


def test_basta_stands_beside_static_vectors_and_their_debiased_version():
    tables = FIGURES["basta2019"]
    measured = {"direct-bias", "cluster-accuracy", "classifier-accuracy", "neighbour-correlation"}
    assert set(tables) == {*measured, "draws"}
    for figure, entries in ((figure, tables[figure]) for figure in measured):
        assert {"ELMo", "word2vec"} <= set(entries), figure
    # the printed order of the classification baselines is put right: debiasing cannot make gender easier to learn
    baselines = tables["classifier-accuracy"]
    assert baselines["word2vec"]["value"] > baselines["debiased"]["value"]
    assert all("swapped" in baselines[name]["erratum"] for name in ("word2vec", "debiased"))
    assert tables["cluster-accuracy"]["word2vec"]["value"] > tables["cluster-accuracy"]["debiased"]["value"]


GRID = """[a.b]
source = "Doe 2020"
table = "Table 2"
columns = ["x", "y.z"]
errata = { "BERT.x" = "swapped", RoBERTa = "row" }
notes = { "y.z" = "column" }
[a.b.rows]
BERT = [1, 2.5]
RoBERTa = ["", -3]
"""


class TestReading:
    @pytest.fixture
    def read(self, tmp_path):
        def figures(text):
            (tmp_path / "published.toml").write_text(text, encoding="utf-8")
            return PublishedFigures.read(tmp_path / "published.toml")

        return figures

    def test_a_figure_stays_a_number_with_its_source(self, read):
        figures = read("[a.b]\nvalue = 5e-05\nsource = 'Doe 2020'\ntable = 'Table 1'\nmodel = 'BERT'\nerratum = 'x'\n")
        assert figures.get("a.b") == PublishedFigure(5e-05, "Doe 2020", table="Table 1", model="BERT", erratum="x")
        assert figures.get("a.c") is None

    def test_a_grid_has_one_figure_for_each_row_and_column(self, read):
        figures = read(GRID)
        assert list(figures.entries) == ["a.b.BERT.x", "a.b.BERT.y.z", "a.b.RoBERTa.y.z"]
        assert figures.get("a.b.BERT.x") == PublishedFigure(
            1, "Doe 2020", table="Table 2", model="BERT", erratum="swapped"
        )
        last = PublishedFigure(-3, "Doe 2020", table="Table 2", model="RoBERTa", erratum="row", note="column")
        assert figures.get("a.b.RoBERTa.y.z") == last

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (("BERT = [1, 2.5]", "BERT = [1]"), "has 2 columns; BERT has 1 values"),
            (("BERT = [1, 2.5]", "BERT = [1, true]"), "rows"),
            (("2.5", "nan"), "rows"),
            (("source", "sorce"), "has sorce, and may have source, columns"),
        ],
    )
    def test_a_fault_of_a_grid_is_named_with_its_table(self, read, change, said):
        with pytest.raises(UsageError, match=rf"published.toml: \[a.b\].*{said}"):
            read(GRID.replace(*change))

    def test_listed_figures_are_named_by_what_follows_the_prefix(self, read):
        one, two, three = (f"[{name}]\nvalue = 1\nsource = 's'\n" for name in ("a.ELMo", "a.b.c", "ab.d"))
        assert [figure.name for figure in read(one + two + three).listed("a")] == ["ELMo", "b.c"]
        assert read(one).listed("b") == ()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("value = true\nsource = 's'", "value: expected a number, got bool"),
            ("value = '1'\nsource = 's'", "value: expected a number, got a text"),
            ("value = nan\nsource = 's'", "value: expected a number"),
            ("value = -inf\nsource = 's'", "value: expected a number"),
            ("value = 1\nsource = ''", "source: expected a text of length >= 1"),
            ("value = 1", "lacks source"),
            ("value = 1\nsource = 's'\nsorce = 't'", "has sorce, and may have value, source, name, table, model"),
            ("value = 1979-05-27\nsource = 's'", "value: expected a number, got date"),
        ],
    )
    def test_a_fault_is_named_with_its_table(self, read, text, said):
        with pytest.raises(UsageError, match=rf"published.toml: \[a.b\] {said}"):
            read(f"[a.b]\n{text}\n")


class TestWording:
    @pytest.mark.parametrize(
        ("figures", "text"),
        [
            (
                [PublishedFigure(-0.8864, "Doe 2020", table="Table 3", model="BERT")],
                "−0.8864 (Doe 2020, Table 3, BERT)",
            ),
            ([PublishedFigure(5e-05, "Doe 2020", erratum="printed 0")], "5e-05 (Doe 2020; erratum: printed 0)"),
            ([PublishedFigure(1, "Doe 2020", model="BERT", note="all rows")], "1 (Doe 2020, BERT: all rows)"),
            (
                [
                    PublishedFigure(0.86, "D", name="ELMo", model="x", erratum="e"),
                    PublishedFigure(0.9, "D", name="GloVe"),
                ],
                "ELMo 0.86, GloVe 0.9 (D; erratum: e)",
            ),
            ([PublishedFigure(1, "A", name="x"), PublishedFigure(2, "B", name="y")], "x 1 (A); y 2 (B)"),
            ([], ""),
        ],
    )
    def test_figures_are_written_with_their_sources(self, figures, text):
        assert published_text(figures) == text

    def test_every_figure_of_the_suites_can_be_written(self):
        read = PublishedFigures.read(SUITES / "published.toml")
        assert all(published_text([figure]) for figure in read.entries.values())
        assert str(read.get("kurita2019.white-black")).startswith("0.8864 (Kurita 2019, Table 3, BERT-base uncased")

    def test_a_small_figure_and_a_name_with_a_hyphen_reach_the_report_as_they_are(self):
        found = cited([PublishedFigure(-5e-05, "Doe 2020", "BERT-U", erratum="swapped")])
        assert (found.numbers, found.source, found.erratum) == ("BERT-U −5e-05", "Doe 2020", "swapped")
