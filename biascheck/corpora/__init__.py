"""Corpora: the same sentences in two or more groups, built from templates, tables or published files."""

from biascheck.corpora.bec_pro import DEVIATIONS, Deviation, Profession, bec_pro, bec_pro_professions
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.data_directory import data_directory, data_file
from biascheck.corpora.employment import EmploymentKind, employment, published_employment
from biascheck.corpora.loaded import LeftOut, Loaded
from biascheck.corpora.masking import masked_text
from biascheck.corpora.published import published_bec_pro, published_crows_pairs, published_eec
from biascheck.corpora.religion import religion
from biascheck.corpora.sentence import Sentence, Span
from biascheck.corpora.tables import corpus_from_table, corpus_from_templates
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.corpora.weat import WeatStimuli, kurita_weat, weat_stimuli

__all__ = [
    "DEVIATIONS",
    "Attribute",
    "Corpus",
    "Deviation",
    "EmploymentKind",
    "LeftOut",
    "Loaded",
    "Pair",
    "Profession",
    "Sentence",
    "Span",
    "Target",
    "Template",
    "WeatStimuli",
    "bec_pro",
    "bec_pro_professions",
    "corpus_from_table",
    "corpus_from_templates",
    "cross",
    "data_directory",
    "data_file",
    "employment",
    "kurita_weat",
    "masked_text",
    "published_bec_pro",
    "published_crows_pairs",
    "published_eec",
    "published_employment",
    "religion",
    "weat_stimuli",
]
