"""The grid of models × conditions × term sets: which cells there are, and that a second run costs nothing."""

import json

import pytest

import biascheck
from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.store import DocumentCache, caching
from biascheck.corpora import Reviews, reviews
from biascheck.mitigation import ClassifierRecipe, classifier as training
from biascheck.papers import SentimentGrid, correlations_of, overview
from biascheck.results.attachments import Table, TwoSided
from biascheck.results.codec import result_to_dict
from support.handmade import attached

PAPER = ["original", "R-pro", "R-weat", "R-all", "mix-pro", "mix-weat", "mix-all"]
RECIPE = ClassifierRecipe(epochs=2, batch=8, learning_rate=2e-3, pieces=16, patience=2)
FEW = Reviews("few", reviews().items[:32])


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def tiny():
    return biascheck.load("reference:tiny")


def grid_of(models, conditions):
    return SentimentGrid(models, conditions, train=FEW, test=FEW, recipe=RECIPE)


def test_the_paper_has_nine_cells_for_each_model(tiny):
    cells = list(grid_of([tiny], PAPER).cells())
    assert len(cells) == 9
    assert [str(cell.condition) for cell in cells[:3]] == ["original"] * 3
    assert [cell.terms for cell in cells[:3]] == ["pro", "weat", "all"]
    assert str(cells[-1]) == "reference:tiny·mix-all×all"


def test_the_original_alone_is_measured_with_all_terms(tiny):
    (cell,) = grid_of([tiny], ["original"]).cells()
    assert cell.terms == "all"


def test_a_grid_that_cannot_be(tiny):
    with pytest.raises(UsageError, match="a grid needs at least one model and one condition"):
        grid_of([], ["original"])
    with pytest.raises(UsageError, match="no condition 'R-some'"):
        grid_of([tiny], ["R-some"])


def test_running_and_running_again(tiny, own_cache, monkeypatch):
    grid = grid_of([tiny], ["original", "R-all", "mix-all"])
    with caching(DocumentCache(own_cache / "results")):
        rows = list(grid.run())
    assert [str(row.cell.condition) for row in rows] == ["original", "R-all", "mix-all"]
    assert rows[2].quality.n == 2 * rows[0].quality.n  # the test reviews are treated like the training data
    whole = overview(rows)
    assert (whole.measure, whole.unit, whole.n) == ("sentiment grid", "classifiers", 3)
    assert whole.estimate == pytest.approx(sum(row.result.estimate for row in rows) / 3)
    assert [side.name for side in attached(whole, TwoSided).sides] == [str(row.cell) for row in rows]
    biases, quality = (one for one in whole.attachments if isinstance(one, Table))
    assert [row[0] for row in biases.rows] == [row[0] for row in quality.rows] == [str(row.cell) for row in rows]
    assert [row[1:] for row in quality.rows] == [
        (q.accuracy, q.recall, q.precision, q.f1, q.n) for q in (row.quality for row in rows)
    ]
    json.dumps(result_to_dict(whole), allow_nan=False)

    monkeypatch.setattr(training, "train", lambda *_a, **_k: pytest.fail("trained again"))
    monkeypatch.setattr(
        "biascheck.models.local.classifier.TransformersClassifier.rate",
        lambda *_a: pytest.fail("rated again"),
    )
    with caching(DocumentCache(own_cache / "results")):
        again = list(grid.run())
    assert [row.result.estimate for row in again] == [row.result.estimate for row in rows]
    assert [row.quality for row in again] == [row.quality for row in rows]


def test_a_grid_without_rows():
    with pytest.raises(ScoreError, match="a grid without rows; run it first"):
        overview([])


def test_correlations_in_closed_form():
    """The second column is the first, the third its mirror image, the fourth has no linear relation to them."""
    rows = [(1.0, 1.0, -1.0, 1.0), (2.0, 2.0, -2.0, -2.0), (3.0, 3.0, -3.0, 1.0)]
    found = correlations_of(rows, ("a", "b", "c", "d"))
    expected = [[1, 1, -1, 0], [1, 1, -1, 0], [-1, -1, 1, 0], [0, 0, 0, 1]]
    for ours, theirs in zip(found["matrix"], expected, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert list(found["p"]) == ["b, a", "c, a", "c, b", "d, a", "d, b", "d, c"]
