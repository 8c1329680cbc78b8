from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import adjust, benjamini_hochberg, bonferroni, holm

families = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04 times 4 3 2 1 gives .04 .06 .06 .04; the running maximum is .04 .06 .06 .06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_bonferroni_by_hand():
    assert bonferroni([0.01, 0.4, 0.03]) == pytest.approx([0.03, 1.0, 0.09])


def test_benjamini_hochberg_by_hand():
    # .01·4/1 .02·4/2 .03·4/3 .5·4/4 are .04 .04 .04 .5.
    assert benjamini_hochberg([0.5, 0.03, 0.01, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])


@given(families)
def test_benjamini_hochberg_agrees_with_scipy(p: list[float]):
    np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p), rtol=1e-12, atol=0)


@given(families, st.floats(0.001, 0.999))
def test_holm_rejects_what_its_step_down_rejects(p: list[float], alpha: float):
    rejected = set()
    for step, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[index] * (len(p) - step) > alpha:
            break
        rejected.add(index)
    assert set(np.flatnonzero(holm(p) <= alpha).tolist()) == rejected


@given(families)
def test_corrections_are_ordered_monotone_and_never_lower_a_p(p: list[float]):
    values = np.array(p)
    order = np.argsort(values, kind="stable")
    for correct in (holm, bonferroni, benjamini_hochberg):
        adjusted = correct(values)
        assert np.all(adjusted >= values * (1 - 1e-15))
        assert np.all(adjusted <= 1)
        assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(benjamini_hochberg(values) <= holm(values) * (1 + 1e-12))
    assert np.all(holm(values) <= bonferroni(values))


@given(families, st.randoms(use_true_random=False))
def test_the_order_of_the_family_does_not_matter(p: list[float], random):
    places = list(range(len(p)))
    random.shuffle(places)
    for correct in (holm, bonferroni, benjamini_hochberg):
        np.testing.assert_array_equal(correct(np.array(p)[places]), correct(p)[places])


def test_one_test_needs_no_correction():
    for method in ("holm", "bonferroni", "benjamini_hochberg", "none"):
        assert adjust([0.03], method) == pytest.approx([0.03])


def test_adjust_uses_holm_by_default():
    p = [0.01, 0.02, 0.04]
    np.testing.assert_array_equal(adjust(p), holm(p))
    np.testing.assert_array_equal(adjust(p, "bonferroni"), bonferroni(p))
    np.testing.assert_array_equal(adjust(p, "benjamini_hochberg"), benjamini_hochberg(p))
    np.testing.assert_array_equal(adjust(p, "none"), p)


def test_an_unknown_correction_lists_the_known_ones():
    with pytest.raises(UsageError, match="benjamini_hochberg, bonferroni, holm, none"):
        adjust([0.1], "sidak")


@pytest.mark.parametrize("bad", [[], [1.1], [-0.1], [math.nan], [[0.1]]])
@pytest.mark.parametrize("method", ["holm", "bonferroni", "benjamini_hochberg", "none"])
def test_what_is_not_a_probability_is_refused(bad, method):
    with pytest.raises(ScoreError):
        adjust(bad, method)
