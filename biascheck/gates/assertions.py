"""Assertions on results. They see results only, so a stored one can be judged again without a model.

Every assertion compares an **interval** with a **margin**. The gate passes when the interval lies inside
``parity ± margin``, fails when it lies outside, and is inconclusive when it straddles the edge. An
inconclusive gate fails too unless ``inconclusive="warn"``; a result with too few clusters for an
interval never passes. A p-value decides nothing. A figure that is only bad when large, such as a skew, is held
below a **bound** in the same manner.
"""

from biascheck.gates.any_result import (
    assert_all_within,
    assert_below,
    assert_within_margin,
)
from biascheck.gates.by_measure import (
    assert_absolute_delta_below,
    assert_association_within,
    assert_classifier_accuracy_below,
    assert_cluster_accuracy_below,
    assert_contrast_within,
    assert_direct_bias_below,
    assert_effect_size_within,
    assert_neighbour_correlation_below,
    assert_no_sentiment_delta,
    assert_share_within,
    assert_skew_below,
    assert_stereotype_below,
    assert_trade_off,
    assert_typical_gap_below,
    assert_weat_within,
)
from biascheck.gates.two_results import (
    assert_no_regression,
    assert_reduced,
    assert_utility_kept,
)

__all__ = [
    "assert_absolute_delta_below",
    "assert_all_within",
    "assert_association_within",
    "assert_below",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_contrast_within",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_neighbour_correlation_below",
    "assert_no_regression",
    "assert_no_sentiment_delta",
    "assert_reduced",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_typical_gap_below",
    "assert_utility_kept",
    "assert_weat_within",
    "assert_within_margin",
]
