"""Directions, clusters and neighbours against golden figures and cases that can be worked out by hand."""

import json

import numpy as np
import pytest

import biascheck
from biascheck import stats
from biascheck.core.errors import ScoreError


@pytest.fixture
def golden(gold):
    return json.loads((gold / "basta" / "pca_directbias_golden.json").read_text(encoding="utf-8"))


def differences(golden):
    return np.array(golden["male"]) - np.array(golden["female"])


def test_the_golden_subspace_is_reproduced(golden):
    subspace = stats.principal_subspace(differences(golden))
    assert subspace.shares == pytest.approx(golden["evr_uncentred_svd_of_differences"], abs=1e-12)
    assert subspace.shares == pytest.approx(golden["evr_debiaswe_doPCA"], abs=1e-12)


def test_the_measures_reproduce_the_golden_case_too(golden):
    male, female, words = (golden[key] for key in ("male", "female", "words"))
    names = [*(f"m{n}" for n in range(len(male))), *(f"f{n}" for n in range(len(female))), *map(str, range(len(words)))]
    vectors = biascheck.load_vectors((names, [*male, *female, *words]))
    pairs = biascheck.corpora.corpus_from_templates(
        "golden",
        templates=["{target} here."],
        targets=[{"male": f"m{n}", "female": f"f{n}"} for n in range(len(male))],
    )
    lexicon = biascheck.corpora.lexicon_from_templates("golden", list(map(str, range(len(words)))), pairs=pairs)
    share = biascheck.measures.gender_subspace(vectors, lexicon)
    assert share.estimate == pytest.approx(golden["evr_debiaswe_doPCA"][0], abs=1e-6)
    assert biascheck.measures.direct_bias(vectors, lexicon).estimate == pytest.approx(
        golden["direct_bias_c1"], abs=1e-6
    )


def test_centring_the_differences_would_fail_the_golden_case(golden):
    rows = differences(golden)
    centred = stats.principal_subspace(rows - rows.mean(axis=0))
    assert centred.shares[0] == pytest.approx(golden["evr_sklearn_PCA_on_raw_differences_WRONG"][0], abs=1e-9)
    assert centred.shares[0] < 0.32 < 0.84 < stats.principal_subspace(rows).shares[0]
    # the axis that centring leaves is another one altogether
    assert abs(centred.axes[0] @ stats.principal_subspace(rows).axes[0]) < 0.3


def test_centring_each_pair_is_the_same_as_not_centring_the_differences(golden):
    male, female = np.array(golden["male"]), np.array(golden["female"])
    middle = (male + female) / 2
    both = np.concatenate([male - middle, female - middle])
    singular = np.linalg.svd(both - both.mean(axis=0), compute_uv=False)
    assert singular**2 / (singular**2).sum() == pytest.approx(stats.principal_subspace(male - female).shares)


def test_the_golden_direct_bias_is_reproduced(golden):
    axis = stats.principal_subspace(differences(golden)).axes[0]
    cosines = np.abs(stats.cosines(golden["words"], axis))
    assert cosines == pytest.approx(golden["per_word_abs_cos"], abs=1e-9)
    assert cosines.mean() == pytest.approx(golden["direct_bias_c1"], abs=1e-9)
    assert np.sqrt(cosines).mean() == pytest.approx(golden["direct_bias_c05"], abs=1e-9)


def test_the_first_axis_points_where_the_differences_point():
    rows = np.array([[2.0, 0.1], [1.0, -0.1], [3.0, 0.0]])
    for sign in (1, -1):
        assert stats.principal_subspace(sign * rows).axes[0] @ rows[0] * sign > 0


def test_equal_words_span_no_direction():
    with pytest.raises(ScoreError, match="the pairs do not differ"):
        stats.principal_subspace(np.zeros((3, 4)))


def test_a_vector_without_direction_is_named():
    with pytest.raises(ScoreError, match="vector 1 is zero and has no direction; leave out its word"):
        stats.unit_rows([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ScoreError, match="not finite"):
        stats.unit_rows([[1.0, float("nan")]])


def test_two_centres_part_two_heaps():
    rows = np.array([[0.0, 0.0], [0.2, 0.0], [10.0, 0.0], [10.2, 0.0]])
    sides = stats.side_of_centres(rows, stats.two_centres(rows, seed=0))
    assert (np.sign(sides) == np.sign(sides[0]) * np.array([1, 1, -1, -1])).all()
    assert np.abs(sides) == pytest.approx([9.8 + 0.2, 10.0, 10.0, 10.0], abs=0.3)


def test_nearest_are_by_angle_and_never_oneself():
    rows = [[1.0, 0.0], [5.0, 0.5], [0.0, 1.0], [0.1, 3.0]]
    assert stats.nearest(rows, 1).ravel().tolist() == [1, 0, 3, 2]
    with pytest.raises(ScoreError, match="ask for 1 to 3"):
        stats.nearest(rows, 4)


def test_a_tie_goes_to_the_earlier_row():
    assert stats.nearest([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], 2)[0].tolist() == [1, 2]


def test_a_baseline_counts_the_observed_figure_among_its_own():
    baseline = stats.label_baseline(0.6, [0.5, 0.6, 0.7, 0.4])
    assert (baseline.p, baseline.mean, baseline.permutations) == (3 / 5, 0.55, 4)
    assert stats.label_baseline(0.9, [0.5] * 99).p == 0.01


def test_differences_are_projected_on_the_axis_of_the_others():
    rows = np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 5.0]])
    # Without "a" the axis is (0, 1); without "b" it is that of the first row alone, (3, 4) / 5.
    assert stats.held_out_squares(rows, ["a", "b", "b"]) == pytest.approx([16.0, (2 * 4 / 5) ** 2, (5 * 4 / 5) ** 2])
    with pytest.raises(ScoreError, match="give two pairs or more"):
        stats.held_out_squares(rows, ["a", "a", "a"])
