"""The names of the statistics, declared once: type checkers read this file, and so does the package itself."""

from .bootstrap import bootstrap_distribution as bootstrap_distribution, cluster_bootstrap as cluster_bootstrap
from .changes import (
    DistanceChange as DistanceChange,
    MeanChange as MeanChange,
    paired_bootstrap as paired_bootstrap,
    paired_means as paired_means,
)
from .covariates import Correlation as Correlation, pearson as pearson, spearman as spearman
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
from .intervals import (
    MEAN_LIKE as MEAN_LIKE,
    balance_interval as balance_interval,
    cluster_mean_interval as cluster_mean_interval,
    mean_interval as mean_interval,
    paired_share_interval as paired_share_interval,
    wilson_interval as wilson_interval,
)
from .sample import MINIMUM_CLUSTERS as MINIMUM_CLUSTERS
from .sides import (
    SideF1 as SideF1,
    rank_biserial as rank_biserial,
    rosenthal_r as rosenthal_r,
    side_f1 as side_f1,
    standardised_difference as standardised_difference,
    standardised_difference_interval as standardised_difference_interval,
)
from .statistic import (
    ESTIMATORS as ESTIMATORS,
    Sample as Sample,
    estimate as estimate,
    partner_means as partner_means,
    rooted as rooted,
    squared_gaps as squared_gaps,
)
from .tests import (
    PermutationTest as PermutationTest,
    SignedRank as SignedRank,
    adjust as adjust,
    benjamini_hochberg as benjamini_hochberg,
    bonferroni as bonferroni,
    fleiss_kappa as fleiss_kappa,
    holm as holm,
    minimum_detectable_effect as minimum_detectable_effect,
    permute_signs as permute_signs,
    permute_two_samples as permute_two_samples,
    power_at as power_at,
    signed_rank_from_v as signed_rank_from_v,
    standard_error_of as standard_error_of,
    wilcoxon_signed_rank as wilcoxon_signed_rank,
)
from .verdicts import (
    Change as Change,
    Interval as Interval,
    Verdict as Verdict,
    verdict_below as verdict_below,
    verdict_of as verdict_of,
    verdict_of_change as verdict_of_change,
    verdicts_of_changes as verdicts_of_changes,
)
