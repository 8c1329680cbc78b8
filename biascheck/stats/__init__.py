"""Numbers in, numbers out: effects, intervals, rank tests, corrections, verdicts.

Everything here takes plain arrays and returns named frozen values; nothing knows what was measured.
Randomness arrives as a ``numpy.random.Generator``, never from a global state. Names resolve on first
use, so that ``Interval`` and ``verdict_of`` cost no import of scipy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biascheck.stats.agreement import fleiss_kappa
    from biascheck.stats.changes import Change, verdict_of_change, verdicts_of_changes
    from biascheck.stats.confusion import SideF1, side_f1
    from biascheck.stats.corrections import adjust, benjamini_hochberg, bonferroni, holm
    from biascheck.stats.correlations import Correlation, pearson, spearman
    from biascheck.stats.effects import (
        rank_biserial,
        rosenthal_r,
        standardised_difference,
        standardised_difference_interval,
    )
    from biascheck.stats.estimators import ESTIMATORS, Sample, estimate
    from biascheck.stats.geometry import (
        ChanceBaseline,
        Subspace,
        cosines,
        held_out_squares,
        label_baseline,
        nearest,
        principal_subspace,
        side_of_centres,
        two_centres,
        unit_rows,
    )
    from biascheck.stats.interval import Interval
    from biascheck.stats.intervals.clusters import MINIMUM_CLUSTERS
    from biascheck.stats.intervals.mean_changes import MeanChange, paired_means
    from biascheck.stats.intervals.mean_intervals import MEAN_LIKE, mean_interval
    from biascheck.stats.intervals.pairing import DistanceChange, paired_bootstrap
    from biascheck.stats.intervals.proportions import paired_share_interval, wilson_interval
    from biascheck.stats.intervals.ratio_intervals import balance_interval, cluster_mean_interval
    from biascheck.stats.intervals.resampling import bootstrap_distribution, cluster_bootstrap
    from biascheck.stats.permutation import PermutationTest, permute_signs, permute_two_samples
    from biascheck.stats.power import minimum_detectable_effect, power_at, standard_error_of
    from biascheck.stats.ranks import SignedRank, signed_rank_from_v, wilcoxon_signed_rank
    from biascheck.stats.squares import partner_means, rooted, squared_gaps
    from biascheck.stats.verdicts import Verdict, verdict_below, verdict_of

__all__ = [
    "ESTIMATORS",
    "MEAN_LIKE",
    "MINIMUM_CLUSTERS",
    "ChanceBaseline",
    "Change",
    "Correlation",
    "DistanceChange",
    "Interval",
    "MeanChange",
    "PermutationTest",
    "Sample",
    "SideF1",
    "SignedRank",
    "Subspace",
    "Verdict",
    "adjust",
    "balance_interval",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_distribution",
    "cluster_bootstrap",
    "cluster_mean_interval",
    "cosines",
    "estimate",
    "fleiss_kappa",
    "held_out_squares",
    "holm",
    "label_baseline",
    "mean_interval",
    "minimum_detectable_effect",
    "nearest",
    "paired_bootstrap",
    "paired_means",
    "paired_share_interval",
    "partner_means",
    "pearson",
    "permute_signs",
    "permute_two_samples",
    "power_at",
    "principal_subspace",
    "rank_biserial",
    "rooted",
    "rosenthal_r",
    "side_f1",
    "side_of_centres",
    "signed_rank_from_v",
    "spearman",
    "squared_gaps",
    "standard_error_of",
    "standardised_difference",
    "standardised_difference_interval",
    "two_centres",
    "unit_rows",
    "verdict_below",
    "verdict_of",
    "verdict_of_change",
    "verdicts_of_changes",
    "wilcoxon_signed_rank",
    "wilson_interval",
]

_NAMES_OF_MODULE = {
    "agreement": ("fleiss_kappa",),
    "changes": ("Change", "verdict_of_change", "verdicts_of_changes"),
    "confusion": ("SideF1", "side_f1"),
    "intervals.proportions": ("paired_share_interval", "wilson_interval"),
    "correlations": ("Correlation", "pearson", "spearman"),
    "corrections": ("adjust", "benjamini_hochberg", "bonferroni", "holm"),
    "effects": ("rank_biserial", "rosenthal_r", "standardised_difference", "standardised_difference_interval"),
    "estimators": ("ESTIMATORS", "Sample", "estimate"),
    "geometry": (
        "ChanceBaseline",
        "Subspace",
        "cosines",
        "held_out_squares",
        "label_baseline",
        "nearest",
        "principal_subspace",
        "side_of_centres",
        "two_centres",
        "unit_rows",
    ),
    "interval": ("Interval",),
    "intervals.mean_changes": ("MeanChange", "paired_means"),
    "intervals.mean_intervals": ("MEAN_LIKE", "mean_interval"),
    "intervals.pairing": ("DistanceChange", "paired_bootstrap"),
    "permutation": ("PermutationTest", "permute_signs", "permute_two_samples"),
    "power": ("minimum_detectable_effect", "power_at", "standard_error_of"),
    "ranks": ("SignedRank", "signed_rank_from_v", "wilcoxon_signed_rank"),
    "intervals.clusters": ("MINIMUM_CLUSTERS",),
    "intervals.ratio_intervals": ("balance_interval", "cluster_mean_interval"),
    "intervals.resampling": ("bootstrap_distribution", "cluster_bootstrap"),
    "squares": ("partner_means", "rooted", "squared_gaps"),
    "verdicts": ("Verdict", "verdict_of", "verdict_below"),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}


def __getattr__(name: str) -> object:
    """Import the module that defines ``name`` when it is first asked for."""
    if name not in _MODULE_OF_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF_NAME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
