"""One published measure a file. A measure is a call ``(model, corpus) -> Result``."""

from biascheck.measures.absolute_gap import absolute_gap
from biascheck.measures.association import association, association_queries, pairwise_associations
from biascheck.measures.competency_effect import competency_effect, female_share
from biascheck.measures.declaration import measure
from biascheck.measures.effect_size import effect_size
from biascheck.measures.embeddings.classifier_accuracy import classifier_accuracy
from biascheck.measures.embeddings.cluster_accuracy import cluster_accuracy
from biascheck.measures.embeddings.direct_bias import direct_bias
from biascheck.measures.embeddings.gender_subspace import gender_subspace
from biascheck.measures.embeddings.neighbour_correlation import neighbour_correlation
from biascheck.measures.embeddings.projected_bias import with_projected_bias
from biascheck.measures.embeddings.weat import weat
from biascheck.measures.gap_resolution import neither_gap, pronoun_resolution, resolution_ratio
from biascheck.measures.positive_share import positive_share
from biascheck.measures.pronoun_gap import pronoun_gap
from biascheck.measures.sentiment_delta import (
    DeltaRow,
    DeltaSummary,
    absolute_delta,
    delta_summary,
    delta_table,
    sentiment_delta,
)
from biascheck.measures.skew_and_stereotype import (
    GenderF1,
    SkewAndStereotype,
    gender_f1,
    resolution,
    skew,
    skew_and_stereotype,
    skew_of,
    stereotype,
    stereotype_of,
)
from biascheck.measures.tables.mitigation_table import MitigationRow, mitigation_table
from biascheck.measures.tables.occupation_table import OccupationRow, occupation_table
from biascheck.measures.tables.profession_table import ProfessionGroup, profession_table, workforce_correlation
from biascheck.measures.topic_correlation import topic_correlation
from biascheck.measures.utility import held_out_loss, pronoun_error, task_error

__all__ = [
    "DeltaRow",
    "DeltaSummary",
    "GenderF1",
    "MitigationRow",
    "OccupationRow",
    "ProfessionGroup",
    "SkewAndStereotype",
    "absolute_delta",
    "absolute_gap",
    "association",
    "association_queries",
    "classifier_accuracy",
    "cluster_accuracy",
    "competency_effect",
    "delta_summary",
    "delta_table",
    "direct_bias",
    "effect_size",
    "female_share",
    "gender_f1",
    "gender_subspace",
    "held_out_loss",
    "measure",
    "mitigation_table",
    "neighbour_correlation",
    "neither_gap",
    "occupation_table",
    "pairwise_associations",
    "positive_share",
    "profession_table",
    "pronoun_error",
    "pronoun_gap",
    "pronoun_resolution",
    "resolution",
    "resolution_ratio",
    "sentiment_delta",
    "skew",
    "skew_and_stereotype",
    "skew_of",
    "stereotype",
    "stereotype_of",
    "task_error",
    "topic_correlation",
    "weat",
    "with_projected_bias",
    "workforce_correlation",
]
