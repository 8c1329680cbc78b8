"""Manela's procedure: which row is whose, and its figures on models whose answers are known."""

import pytest

import biascheck
from biascheck.models.fakes import SentenceTable, TableModel
from biascheck.papers import Setting, Value, paper_named, reproduce
from biascheck.papers.manela2021 import rows

HE = {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1}
MODELS = ("RoBERTa", "BERT", "BERT-O", "BERT-U", "BERT-UO", "BERT-A", "BERT-AO", "BERT-large")


class Named:
    """A model with a name and nothing else."""

    fingerprint = "0" * 64

    def __init__(self, name):
        self.name = name


def of_model(table, model, data, **more):
    """The cells of one table that are about the tested model, by row and column; and the table itself."""
    setting = Setting(model, data, **more)
    shown = list(paper_named("manela2021").table(table).run(setting))
    return {(one.row, one.column): one for one in shown if hasattr(one, "row")}, shown


@pytest.mark.parametrize("name", ["bert-base-uncased", "google/bert-base-uncased", "Bert-Base-Uncased"])
def test_a_model_of_the_paper_has_its_own_row(name):
    found = list(rows(Setting(Named(name)), MODELS))
    assert [row.label for row in found[:6]] == [row.printed for row in found[:6]]
    assert [row.label for row in found] == [
        "BERT",
        "BERT-O",
        "BERT-U",
        "BERT-UO",
        "BERT-A",
        "BERT-AO",
        *("RoBERTa", "BERT-large"),
    ]
    assert [row.treatment for row in found] == ["", "O", "U", "UO", "A", "AO", None, None]


def test_another_model_gets_rows_of_its_own_and_all_of_the_paper_stay():
    found = list(rows(Setting(Named("minilm-mlm")), MODELS))
    assert [row.label for row in found[:3]] == ["minilm-mlm", "minilm-mlm-O", "minilm-mlm-U"]
    assert [row.printed for row in found] == [""] * 6 + list(MODELS)
    versioned = list(rows(Setting(Named("albert-xxlarge-v2")), ["ALBERT-xxlarge"], ("",)))
    assert [(row.label, row.printed) for row in versioned] == [("ALBERT-xxlarge", "ALBERT-xxlarge")]


def test_always_he_has_the_skew_of_the_authors_391_lines(shared_data):
    """196 expect "he"; of these, two have "him" in both versions: a tie, which counts one half for either gender.

    Pro: 195 of 196 men found, 195 women taken for men. Anti: 195 men found, 195 women taken for men, one found.
    """
    cells, shown = of_model("figure 4", TableModel({}, HE), shared_data)
    male_pro, male_anti = 2 * 195 / (2 * 195 + 195 + 1), 2 * 195 / (2 * 195 + 195)
    female_pro, female_anti = 0, 2 * 1 / (2 * 1 + 195)
    skew, stereotype = (cells["table", name].as_published.estimate for name in ("skew", "stereotype"))
    assert skew == pytest.approx((male_pro - female_pro + male_anti - female_anti) / 2)
    assert stereotype == pytest.approx((male_anti - male_pro + female_anti - female_pro) / 2)
    assert (cells["table", "skew"].as_published.n, cells["table", "skew"].ours.n) == (391, 386)
    assert cells["BERT", "skew"].published.value == 0.438
    drawn = shown[-1].content
    assert drawn.places == (
        "table, measured here",
        "RoBERTa",
        "RoBERTa-large",
        "ALBERT-xxlarge",
        "DistilBERT",
        "BERT",
        "BERT-large",
    )
    assert [one.name for one in drawn.series] == ["stereotype", "skew"]


def test_all_sentences_are_certain_of_a_model_that_is(shared_data):
    cells, shown = of_model("figure 3", TableModel({}, HE), shared_data)
    (cell,) = cells.values()
    assert (cell.ours.estimate, cell.as_published.estimate) == (1, 389 / 391)  # two lines have "him" twice
    assert [max(range(20), key=one.content.counts.__getitem__) for one in shown[1:]] == [16, 16]  # 0.9 − 0.1
    assert [sum(one.content.counts) for one in shown[1:]] == [386, 391]


@pytest.mark.parametrize(("figure", "lines"), [("figure 1", (367, 374)), ("figure 2", (386, 391))])
def test_both_rules_keep_the_lines_they_should(figure, lines, shared_data):
    cells, _ = of_model(figure, Named("any"), shared_data)
    (cell,) = cells.values()
    assert (cell.ours.estimate, cell.as_published.estimate) == lines


def test_a_model_without_a_mask_is_measured_and_not_trained(shared_data):
    """It compares whole sentences; masked pronouns, and the mask at which the authors read, it does not have."""
    model = SentenceTable(lambda text: -(sum(map(ord, text)) % 97) / 10, name="causal")
    cells, _ = of_model("table 2", model, shared_data, scale=0.01)
    assert isinstance(cells["causal", "skew"].ours, Value)
    assert isinstance(cells["causal-O", "skew"].ours, Value)
    for row in ("causal-U", "causal-AO"):
        assert cells[row, "skew"].ours.why == "not applicable"
        assert "training on masked pronouns" in cells[row, "skew"].ours.reason
    assert cells["causal-O", "skew"].as_published.why == "not applicable"
    swapped = cells["BERT-A", "skew"].published
    assert (swapped.value, swapped.erratum.split(":")[0]) == (0.498, "printed 0.001")


@pytest.mark.slow
def test_every_table_is_reproduced_on_a_model_that_fills_masks(tmp_path, shared_data, monkeypatch):
    """With raters who agree on everything: κ is 1. All of it at a small scale, training included."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    data = tmp_path / "data"
    (data / "manela").mkdir(parents=True)
    for name in ("winobias", "gap", "cds"):
        (data / name).symlink_to(shared_data / name)
    classes = ["incompetent", "neutral", "competent"]
    pairs = biascheck.corpora.published_winobias(data, "test", "T2", rule="authors").corpus
    votes = "\n".join(f"{pair.id},{','.join([classes[n % 3]] * 4)}" for n, pair in enumerate(pairs))
    (data / "manela" / "competency.csv").write_text(f"id,a,b,c,d\n{votes}\n", encoding="utf-8")
    setting = Setting(biascheck.load("reference:tiny"), data, scale=0.02)
    found = reproduce(paper_named("manela2021"), setting, tmp_path / "page.html", say=str)
    assert {table.name: table.state for table in found.tables} == dict.fromkeys(
        (table.name for table in paper_named("manela2021").tables), "reproduced"
    )
    cells = {(table.name, cell.row, cell.column): cell for table in found.tables for cell in table.cells}
    assert cells["table 3", "agreement of the raters", "Fleiss' κ"].as_published == Value(1.0)
    assert 0 <= cells["section 4.3.2", "reference:tiny-A", "accuracy"].ours.estimate < 1
    # without a cut-off: random weights are certain of nothing, and ours may have no sentence left
    trained = [cells["table 2", f"reference:tiny-{end}", "F1♂ pro"].as_published for end in ("U", "UO", "A", "AO")]
    assert all(isinstance(value, Value) for value in trained)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "cannot tell whom a pronoun means" in page or "Readability check failed" in page
