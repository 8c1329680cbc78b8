"""Fleiss' κ against tables worked by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import ScoreError
from biascheck.stats import fleiss_kappa

TEXTBOOK = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
"""Fourteen raters, ten subjects, five categories: the usual worked example, P̄ = 0.378, P̄e = 0.213, κ = 0.210."""


def test_the_textbook_table():
    assert fleiss_kappa(TEXTBOOK) == pytest.approx(0.2099, abs=5e-5)


def test_a_small_table_by_hand():
    # two raters: agreement on 2 of 4 subjects, P̄ = ½; shares ½ and ½, P̄e = ½
    assert fleiss_kappa([[2, 0], [0, 2], [1, 1], [1, 1]]) == pytest.approx(0)
    # three raters: P = 1, 1/3, 1; shares 4/9 and 5/9, P̄e = 41/81
    assert fleiss_kappa([[3, 0], [1, 2], [0, 3]]) == pytest.approx((7 / 9 - 41 / 81) / (1 - 41 / 81))


def test_full_agreement_is_one_and_full_disagreement_negative():
    assert fleiss_kappa([[4, 0, 0], [0, 4, 0], [0, 0, 4]]) == 1
    assert fleiss_kappa([[1, 1], [1, 1], [1, 1]]) == -1


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_subjects_and_categories_does_not_matter(votes, random):
    table = [[v, 5 - v] for v in votes]
    if sum(votes) in (0, 5 * len(votes)):
        return
    shuffled = [row[::-1] for row in table]
    random.shuffle(shuffled)
    assert fleiss_kappa(shuffled) == pytest.approx(fleiss_kappa(table))


@pytest.mark.parametrize(
    ("table", "remedy"),
    [
        ([], "one row for each subject"),
        ([1, 2], "one row for each subject"),
        ([[1, -1]], "one row for each subject"),
        ([[np.nan, 1.0]], "one row for each subject"),
        ([[2, 0], [1, 2]], "same number of raters"),
        ([[1, 0], [0, 1]], "at least 2"),
        ([[3, 0], [3, 0]], "undefined"),
    ],
)
def test_tables_without_an_agreement(table, remedy):
    with pytest.raises(ScoreError, match=remedy):
        fleiss_kappa(table)
