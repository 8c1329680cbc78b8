"""Words on a plane: two groups that lie apart in many dimensions lie apart on every map."""

import importlib.util
import sys

import numpy as np
import pytest

from biascheck.core.errors import UsageError
from biascheck.measures.geometry import neighbour_method, word_map

EACH = 40
WORDS = [f"w{n}" for n in range(2 * EACH)]
GROUPS = ["male"] * EACH + ["female"] * EACH


def two_groups():
    rng = np.random.default_rng(0)
    centres = np.zeros((2, 20))
    centres[0, :4], centres[1, :4] = 5, -5
    return np.vstack([rng.normal(size=(EACH, 20)) + centre for centre in centres])


def neighbours_of_own_group(found):
    places = np.array([(point.x, point.y) for point in found.points])
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 1e9
    return np.mean([GROUPS[i] == GROUPS[j] for i, j in enumerate(distances.argmin(axis=1))])


@pytest.mark.parametrize("method", ["PCA", "t-SNE"])
def test_groups_that_lie_apart_stay_apart(method):
    found = word_map(two_groups(), WORDS, GROUPS, method=method)
    assert (found.method, len(found.points)) == (method, 2 * EACH)
    assert neighbours_of_own_group(found) == 1.0
    assert word_map(two_groups(), WORDS, GROUPS, method=method) == found


def test_only_so_many_words_are_drawn_evenly_taken():
    found = word_map(two_groups(), WORDS, GROUPS, most=10)
    assert len(found.points) == 10
    assert {point.group for point in found.points} == {"male", "female"}


def test_umap_is_taken_where_it_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    assert neighbour_method() == "t-SNE"
    with pytest.raises(
        UsageError, match=r"needs umap, .* pip install 'pytest-biascheck\[umap\]', or choose t-SNE or PCA"
    ):
        word_map(two_groups(), WORDS, GROUPS, method="UMAP")
    monkeypatch.setitem(sys.modules, "umap", importlib.import_module("numpy"))
    assert neighbour_method() == "UMAP"


def test_umap_itself_keeps_groups_apart():
    pytest.importorskip("umap", reason="umap-learn is not installed")
    assert neighbours_of_own_group(word_map(two_groups(), WORDS, GROUPS, method="UMAP")) == 1.0


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match="no map by 'MDS'; choose PCA, UMAP or t-SNE"):
        word_map(two_groups(), WORDS, GROUPS, method="MDS")
