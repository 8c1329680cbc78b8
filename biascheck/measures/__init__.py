"""One published measure a file. A measure is a call ``(model, corpus) -> Result``."""

from biascheck.measures.absolute import absolute_gap
from biascheck.measures.association_test import weat
from biascheck.measures.attribute_share import positive_share
from biascheck.measures.change_table import MitigationRow, mitigation_table
from biascheck.measures.classification import classifier_accuracy
from biascheck.measures.clustering import cluster_accuracy
from biascheck.measures.competence import competency_effect, female_share
from biascheck.measures.coreference import neither_gap, pronoun_resolution, resolution_ratio
from biascheck.measures.decorator import measure
from biascheck.measures.gender_direction import direct_bias
from biascheck.measures.log_probability import association, association_queries, pairwise_associations
from biascheck.measures.neighbours import neighbour_correlation
from biascheck.measures.occupations import OccupationRow, occupation_table
from biascheck.measures.professions import ProfessionGroup, profession_table, workforce_correlation
from biascheck.measures.projected_bias import with_projected_bias
from biascheck.measures.pronouns import pronoun_gap
from biascheck.measures.sentiment import (
    DeltaRow,
    DeltaSummary,
    absolute_delta,
    delta_summary,
    delta_table,
    sentiment_delta,
)
from biascheck.measures.skewness import (
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
from biascheck.measures.subspace import gender_subspace
from biascheck.measures.topics import topic_correlation
from biascheck.measures.utility import held_out_loss, pronoun_error, task_error
from biascheck.measures.weat_effect import effect_size

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
