"""The preset of the paper: 63 cells with its settings, its correction, and its correlations from the golden rows."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.corpora import Review, Reviews, as_coded, cleaned_reviews, published_imdb, reviews
from biascheck.measures.sentiment import corrected_rows
from biascheck.mitigation import ClassifierRecipe
from biascheck.papers import MODELS, SentimentGrid, beside_paper, correlations_of, paper_grid, paper_row
from biascheck.papers.grid import CELLS, FAMILY, row_for
from biascheck.results.published import PublishedFigures
from support.grid_numbers import FORM, row_of

FEW = Reviews("few", reviews().items[:32])


@pytest.fixture(scope="module")
def tiny():
    return biascheck.load("reference:tiny")


def test_the_settings_of_the_paper(tiny):
    grid = paper_grid([tiny], FEW, FEW)
    assert len(list(grid.cells())) == 9
    assert (grid.mix, grid.clean, grid.crossed) == ("doubled", True, False)
    assert grid.train.items[0].text.startswith("she plays the lighthouse keeper with so much quiet humour that i ")
    recipe = grid.recipes[tiny.name]
    assert (recipe.epochs, recipe.dropout, recipe.freeze_embeddings, recipe.frozen_layers) == (20, 0.5, False, 0)
    assert (recipe.learning_rate, recipe.batch, recipe.pieces) == (2e-5, 32, 512)
    large = MODELS["BERT-large"].recipe
    assert (large.learning_rate, large.batch) == (5e-6, 16)
    assert len(MODELS) * len(CELLS) == 63


def test_a_mix_is_trained_for_as_many_steps_or_twice_as_many(tiny, monkeypatch):
    asked = []
    monkeypatch.setattr("biascheck.papers.grid.fine_tune_classifier", lambda *given, **_: asked.append(given[2].parts))
    for mix in ("as many", "doubled"):
        grid = SentimentGrid([tiny], ["original", "mix-all"], FEW, FEW, ClassifierRecipe(), mix=mix)
        for cell in grid.cells():
            grid.classifier(tiny, cell)
    assert asked == [1, 2, 1, 1]
    with pytest.raises(UsageError, match="mix is one of as many, doubled, not 'half'"):
        SentimentGrid([tiny], ["original"], FEW, FEW, ClassifierRecipe(), mix="half")


def test_further_experiments_are_further_cells(tiny):
    grid = paper_grid([tiny], FEW, FEW, conditions=["original", "R-pro", "R-all"], crossed=True, batches=(8,))
    names = [str(cell) for cell in grid.cells()]
    assert len(names) == len(set(names)) == 12  # three classifiers × two sets × two batch sizes
    assert "reference:tiny·R-pro·batch 8×all" in names


def test_the_maps_of_the_paper_train_and_measure(tiny, gold):
    maps = {name: as_coded(name, gold / "jentzsch" / "term_maps.json") for name in ("pro", "weat", "all")}
    grid = paper_grid([tiny], FEW, FEW, conditions=["R-weat"], term_sets=maps)
    (cell,) = grid.cells()
    assert str(cell) == "reference:tiny·R-weat as coded×weat"
    her = Reviews("her", (Review("a", "i saw her house", "positive"),))
    assert replace(cell.condition, treatment="mix").apply(her).texts[0] == "i saw him house"  # weat, as coded
    mixed = paper_grid([tiny], FEW, FEW, conditions=["mix-all"], term_sets=maps)
    (cell,) = mixed.cells()
    assert cell.condition.apply(her).texts[0] == "i saw his house"


def test_cleaned_reviews_lack_terms_as_often_as_the_paper_asserts(shared_data, gold):
    """25,000 test reviews without a term: 4,222 (all), 6,668 (weat), 8,655 (pro); ours are 6,000 of them."""
    facts = json.loads((gold / "jentzsch" / "facts.json").read_text(encoding="utf-8"))
    maps = json.loads((gold / "jentzsch" / "term_maps.json").read_text(encoding="utf-8"))
    texts = [set(text.split()) for text in cleaned_reviews(published_imdb(shared_data, "test")).texts]
    for name, listed in (("all", "all_terms"), ("weat", "all_weat"), ("pro", "all_prons")):
        expected = facts["asserted_docs_without_terms"]["test"][name] / 25_000
        found = np.mean([words.isdisjoint(maps[listed]) for words in texts])
        # two standard errors of 6,000 drawn from 25,000
        assert abs(found - expected) < 2 * np.sqrt(expected * (1 - expected) / len(texts) * (1 - len(texts) / 25_000))


@pytest.fixture
def golden_rows(gold):
    with (gold / "jentzsch" / "bias_63.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_bonferroni_over_64_gives_the_stars_of_the_paper(golden_rows):
    """W of the authors' notebook, without their deltas: 57 of 63 keep three stars, one has one, five none."""
    form = row_of([0.1, -0.2, 0.3]).summary
    summaries = [replace(form, test=replace(form.test, p=float(row["p"]))) for row in golden_rows]
    stars = [line.stars for line in corrected_rows(summaries, correction="bonferroni", family=FAMILY)]
    assert stars == [row["sig_bonf64"].replace("X", "-") for row in golden_rows]
    assert (stars.count("***"), stars.count("*"), stars.count("-")) == (57, 1, 5)
    with pytest.raises(UsageError, match="a family of 62 tests is smaller than its 63 rows"):
        corrected_rows(summaries, family=62)


def test_the_correlations_of_table_2_from_the_golden_rows(golden_rows):
    figures = [tuple(float(row[name]) for name in ("abs_nz_r4", "bias_nz", "accuracy", "f1")) for row in golden_rows]
    matrix = correlations_of(figures)["matrix"]
    published = {(1, 0): 0.373, (2, 0): -0.481, (2, 1): 0.044, (3, 0): -0.497, (3, 1): -0.085, (3, 2): 0.886}
    assert {pair: round(matrix[pair[0]][pair[1]], 3) for pair in published} == pytest.approx(published, abs=0.002)


@pytest.mark.parametrize(
    ("architecture", "parameters", "row"),
    [
        ("BertForSequenceClassification", 22_713_216, "BERT-base"),
        ("BertForSequenceClassification", 335_143_938, "BERT-large"),
        ("DistilBertForMaskedLM", 66_985_530, "DistilBERT"),
        ("RobertaForMaskedLM", 124_697_433, "RoBERTa-base"),
        ("RobertaForSequenceClassification", 355_361_794, "RoBERTa-large"),
        ("AlbertForSequenceClassification", 11_685_122, "ALBERT-base"),
        ("AlbertForSequenceClassification", 17_685_506, "ALBERT-large"),
        ("XLMRobertaForMaskedLM", 278_295_186, None),
        ("DebertaV2ForSequenceClassification", 184_423_682, None),
        ("", 0, None),
    ],
)
def test_the_row_is_that_of_the_family(architecture, parameters, row):
    assert row_for(architecture, parameters) == row
    about = {"architecture": architecture, "parameters": f"{parameters:,}"}
    assert paper_row(replace(FORM, provenance=replace(FORM.provenance, model=about))) == row


def test_figures_have_the_comparable_printed_ones_beside_them():
    """Two rows of DistilBERT and one of a family that the paper has not; the correlations are of all three."""
    figures = PublishedFigures.read(Path(__file__).resolve().parents[2] / "suites" / "published.toml")
    about = {"architecture": "DistilBertForSequenceClassification", "parameters": "66,955,010"}
    rows = []
    for n, (condition, terms) in enumerate((("original", "pro"), ("R-all", "all"), ("mix-all", "all"))):
        row = row_of([0.01 * n, -0.02, 0.0, 0.05], "distilbert-base-uncased", condition, terms)
        quality = replace(row.quality, accuracy=0.8 + 0.01 * n * n, f1=0.7 + 0.02 * n)
        described = replace(row.result, provenance=replace(row.result.provenance, model=about if n < 2 else {}))
        rows.append(replace(row, result=described, quality=quality))
    biases, correlations = beside_paper(rows, figures)
    assert [row[2::2] for row in biases.rows] == [
        (0.0006, 0.0014, 0.0009, 0.0021),  # all reviews, then those with a delta
        (0.0007, 0.0037, 0.0008, 0.0045),
        (None, None, None, None),
    ]
    assert biases.rows[0][1::2] == pytest.approx((0.03 / 4, 0.07 / 4, 0.03 / 2, 0.07 / 2))
    printed = {row[0]: row[-1] for row in correlations.rows}
    assert printed == {
        "total bias, absolute bias": 0.373,
        "accuracy, absolute bias": -0.481,
        "accuracy, total bias": 0.044,
        "F1, absolute bias": -0.497,
        "F1, total bias": -0.085,
        "F1, accuracy": 0.886,
    }
