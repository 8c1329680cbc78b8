"""One published measure a file. A measure is a call ``(model, corpus) -> Result``."""

from biascheck.measures.attribute_share import positive_share
from biascheck.measures.decorator import measure
from biascheck.measures.log_probability import association, association_queries, pairwise_associations
from biascheck.measures.professions import ProfessionGroup, profession_table, workforce_correlation
from biascheck.measures.weat_effect import effect_size

__all__ = [
    "ProfessionGroup",
    "association",
    "association_queries",
    "effect_size",
    "measure",
    "pairwise_associations",
    "positive_share",
    "profession_table",
    "workforce_correlation",
]
