"""One published measure a file. A measure is a call ``(model, corpus) -> Result``."""

from biascheck.measures.attribute_share import positive_share
from biascheck.measures.competence import competency_effect, female_share
from biascheck.measures.decorator import measure
from biascheck.measures.log_probability import association, association_queries, pairwise_associations
from biascheck.measures.occupations import OccupationRow, occupation_table
from biascheck.measures.professions import ProfessionGroup, profession_table, workforce_correlation
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
from biascheck.measures.weat_effect import effect_size

__all__ = [
    "DeltaRow",
    "DeltaSummary",
    "GenderF1",
    "OccupationRow",
    "ProfessionGroup",
    "SkewAndStereotype",
    "absolute_delta",
    "association",
    "association_queries",
    "competency_effect",
    "delta_summary",
    "delta_table",
    "effect_size",
    "female_share",
    "gender_f1",
    "measure",
    "occupation_table",
    "pairwise_associations",
    "positive_share",
    "profession_table",
    "pronoun_gap",
    "resolution",
    "sentiment_delta",
    "skew",
    "skew_and_stereotype",
    "skew_of",
    "stereotype",
    "stereotype_of",
    "workforce_correlation",
]
