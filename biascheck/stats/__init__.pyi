"""The names of the statistics, declared once: type checkers read this file, and so does the package itself."""

from .agreement import fleiss_kappa as fleiss_kappa
from .changes import (
    Change as Change,
    verdict_of_change as verdict_of_change,
    verdicts_of_changes as verdicts_of_changes,
)
from .confusion import SideF1 as SideF1, side_f1 as side_f1
from .corrections import (
    adjust as adjust,
    benjamini_hochberg as benjamini_hochberg,
    bonferroni as bonferroni,
    holm as holm,
)
from .correlations import Correlation as Correlation, pearson as pearson, spearman as spearman
from .effects import (
    rank_biserial as rank_biserial,
    rosenthal_r as rosenthal_r,
    standardised_difference as standardised_difference,
    standardised_difference_interval as standardised_difference_interval,
)
from .estimators import ESTIMATORS as ESTIMATORS, Sample as Sample, estimate as estimate
from .geometry import (
    ChanceBaseline as ChanceBaseline,
    Subspace as Subspace,
    cosines as cosines,
    held_out_squares as held_out_squares,
    label_baseline as label_baseline,
    nearest as nearest,
    principal_subspace as principal_subspace,
    side_of_centres as side_of_centres,
    two_centres as two_centres,
    unit_rows as unit_rows,
)
from .interval import Interval as Interval
from .intervals.clusters import MINIMUM_CLUSTERS as MINIMUM_CLUSTERS
from .intervals.mean_changes import MeanChange as MeanChange, paired_means as paired_means
from .intervals.mean_intervals import MEAN_LIKE as MEAN_LIKE, mean_interval as mean_interval
from .intervals.pairing import DistanceChange as DistanceChange, paired_bootstrap as paired_bootstrap
from .intervals.proportions import paired_share_interval as paired_share_interval, wilson_interval as wilson_interval
from .intervals.ratio_intervals import (
    balance_interval as balance_interval,
    cluster_mean_interval as cluster_mean_interval,
)
from .intervals.resampling import (
    bootstrap_distribution as bootstrap_distribution,
    cluster_bootstrap as cluster_bootstrap,
)
from .permutation import (
    PermutationTest as PermutationTest,
    permute_signs as permute_signs,
    permute_two_samples as permute_two_samples,
)
from .power import (
    minimum_detectable_effect as minimum_detectable_effect,
    power_at as power_at,
    standard_error_of as standard_error_of,
)
from .ranks import (
    SignedRank as SignedRank,
    signed_rank_from_v as signed_rank_from_v,
    wilcoxon_signed_rank as wilcoxon_signed_rank,
)
from .squares import partner_means as partner_means, rooted as rooted, squared_gaps as squared_gaps
from .verdicts import Verdict as Verdict, verdict_below as verdict_below, verdict_of as verdict_of
