"""Basta et al. 2019 as it is reproduced: the sizes of the paper, and vectors in the row they belong to."""

import json

import numpy as np
import pytest

import biascheck
from biascheck.corpora import biased_words
from biascheck.loading import load_any
from biascheck.papers import Setting, paper_named, reproduce

JOBS = [f"job{n}" for n in range(60)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Vectors in which gender is the first dimension, as a text file: jobs and biased words lean by their list."""
    rng = np.random.default_rng(0)
    leaning = biased_words(2_500)
    rows = {entry.word: np.r_[2.0 * np.sign(entry.bias), rng.normal(size=9)] for entry in leaning}
    rows |= {job: np.r_[2.0 if n % 2 else -2.0, rng.normal(size=9)] for n, job in enumerate(JOBS)}
    for male, female in (("he", "she"), ("man", "woman"), ("boy", "girl"), ("his", "her"), ("king", "queen")):
        rows[male], rows[female] = np.r_[3.0, rng.normal(size=9) / 4], np.r_[-3.0, rng.normal(size=9) / 4]
    path = tmp_path_factory.mktemp("vectors") / "planted.txt"
    lines = (f"{word} {' '.join(f'{number:.4f}' for number in row)}" for word, row in rows.items() if " " not in word)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data" / "debiaswe"
    folder.mkdir(parents=True)
    rows = [[job, 0.0, 0.5 if n % 2 else -0.5] for n, job in enumerate(JOBS)]
    (folder / "professions.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder.parent


def cells_of(model, tmp_path, data, *tables, scale=1.0):
    place = tmp_path / "page.html"
    found = reproduce(paper_named("basta2019"), Setting(model, data, scale), place, tables=tables, say=str)
    return {(one.name, cell.row, cell.column): cell for one in found.tables for cell in one.cells}


CLUSTERING, DIRECT, NEIGHBOURS = "section 5 clustering", "section 5 direct bias", "section 5 neighbours"


def test_static_vectors_are_in_the_row_of_word2vec_at_the_papers_size(table, tmp_path, data):
    cells = cells_of(load_any(f"vectors:{table}"), tmp_path, data, CLUSTERING, DIRECT, NEIGHBOURS)
    plain = cells[CLUSTERING, "word2vec", "mean"]
    assert (plain.published.value, plain.ours.n) == (0.999, 1_000)
    assert plain.ours.estimate > 0.95
    other = cells[CLUSTERING, "debiased word2vec", "mean"].ours
    assert (other.why, "#hard-debiased" in other.reason) == ("not applicable", True)
    assert "no maintained loader" in cells[CLUSTERING, "ELMo", "mean"].ours.reason
    assert cells[CLUSTERING, "ELMo", "minimum"].published.value == 0.691
    # half of the length of a job lies along gender, and its neighbours lean as it does
    assert cells[DIRECT, "word2vec", "mean"].ours.estimate > 0.4
    assert cells[NEIGHBOURS, "word2vec", "mean"].ours.estimate > 0.8


def test_hard_debiased_vectors_are_in_their_own_row(table, tmp_path, data):
    model = load_any(f"vectors:{table}#hard-debiased")
    assert (model.name, model.treatment) == ("planted", ("hard-debiased",))
    cells = cells_of(model, tmp_path, data, CLUSTERING, DIRECT, NEIGHBOURS)
    assert cells[CLUSTERING, "debiased word2vec", "mean"].ours.estimate < 0.7
    assert cells[CLUSTERING, "word2vec", "mean"].ours.why == "not applicable"
    # the paper prints no direct bias of debiased vectors
    assert cells[DIRECT, "planted·hard-debiased", "mean"].ours.estimate < 0.01
    assert "before debiasing" in cells[NEIGHBOURS, "debiased word2vec", "mean"].as_published.reason


def test_results_on_debiased_vectors_say_so(table):
    result = biascheck.measures.weat(load_any(f"vectors:{table}#hard-debiased"), _two_pairs())
    assert result.model_label == "planted·hard-debiased"


def _two_pairs():
    words = [entry.word for entry in biased_words(4)]
    x, y = tuple(words[:4]), tuple(words[4:])
    stimuli = biascheck.corpora.WeatStimuli(0, "x", x, "y", y, "a", ("he",), "b", ("she",))
    return biascheck.corpora.weat_test(stimuli=stimuli)


def test_both_maps_are_drawn(table, tmp_path, data):
    place = tmp_path / "page.html"
    setting = Setting(load_any(f"vectors:{table}"), data, scale=0.1)
    found = reproduce(paper_named("basta2019"), setting, place, tables=["figure 2"], say=str)
    methods = [drawn.content.method for drawn in found.tables[0].drawings]
    assert (len(methods), methods[-1]) == (2, "PCA")
    assert "Figure 2: words by the gender they lean to, PCA · scale 0.1" in place.read_text("utf-8")


def test_a_contextual_model_has_a_row_with_its_draws(tmp_path, data):
    cells = cells_of(biascheck.load("reference:tiny"), tmp_path, data, DIRECT, scale=0.5)
    columns = ("mean", "minimum", "maximum")
    mean, low, high = (cells[DIRECT, "reference:tiny", column].ours.estimate for column in columns)
    assert low <= mean <= high
    assert "wmt18" in cells[DIRECT, "reference:tiny", "mean"].as_published.reason
    assert cells[DIRECT, "word2vec", "mean"].ours.why == "not applicable"
