"""Corpora: the same sentences in two or more groups, built from templates, tables or published files."""

from biascheck.corpora.contexts import lexicon_from_templates, lexicon_from_text, published_sentences
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.datasets.bec_pro import DEVIATIONS, Deviation, Profession, bec_pro, bec_pro_professions
from biascheck.corpora.datasets.bec_pro_crossed import bec_pro_crossed
from biascheck.corpora.datasets.benchmarks.association_sets import SEAT_TESTS, published_seat, published_weat
from biascheck.corpora.datasets.benchmarks.bbq import published_bbq, published_bbq_predictions
from biascheck.corpora.datasets.benchmarks.bbq_languages import published_esbbq, published_kobbq
from biascheck.corpora.datasets.benchmarks.decisions import Decision, published_decisions
from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.own_items import (
    builtin_decisions,
    builtin_preferences,
    builtin_pronouns,
    builtin_questions,
    builtin_triples,
)
from biascheck.corpora.datasets.benchmarks.questions import Question
from biascheck.corpora.datasets.benchmarks.sentence_preferences import SentencePreference, published_preferences
from biascheck.corpora.datasets.benchmarks.stereotype_triples import Continued, StereotypeTriple, published_triples
from biascheck.corpora.datasets.benchmarks.winogender import published_winogender
from biascheck.corpora.datasets.biased_words import biased_words, neutral_professions, published_professions, word_bias
from biascheck.corpora.datasets.competency import COMPETENCY, RatedCorpus, competency, rated_competency
from biascheck.corpora.datasets.data_directory import data_directory, data_file
from biascheck.corpora.datasets.employment import EmploymentKind, PublishedKind, employment, published_employment
from biascheck.corpora.datasets.gap import Gap, GapItem, published_gap
from biascheck.corpora.datasets.religion import religion
from biascheck.corpora.datasets.reviews import (
    Review,
    Reviews,
    cleaned_reviews,
    published_imdb,
    published_sst2,
    review_pairs,
    reviews,
    written_reviews,
)
from biascheck.corpora.datasets.sentence_pairs import published_bec_pro, published_crows_pairs, published_eec
from biascheck.corpora.datasets.weat_stimuli import WeatStimuli, kurita_weat, weat_stimuli
from biascheck.corpora.datasets.weat_tests import WeatTest, weat_test
from biascheck.corpora.datasets.winobias import published_winobias
from biascheck.corpora.datasets.winograd import Occupation, WinogradKind, occupations, winograd
from biascheck.corpora.documents import Document, Documents, published_gap_texts, read_documents
from biascheck.corpora.lexicon import Context, Entry, Lexicon
from biascheck.corpora.loaded import LeftOut, Loaded
from biascheck.corpora.masking import masked_text
from biascheck.corpora.rewriting.counterfactual import Balance, Changes, Counterfactual, counterfactual
from biascheck.corpora.rewriting.entities import with_names, with_persons
from biascheck.corpora.rewriting.gender_words import gender_pairs, published_gender_pairs, sampled_gender_pairs
from biascheck.corpora.rewriting.german_terms import GermanRoles, german_terms
from biascheck.corpora.rewriting.name_finder import NameFinder, NameMention
from biascheck.corpora.rewriting.names import NameMap, anonymised, first_names, published_names
from biascheck.corpora.rewriting.rewriter import Edit, Rewriter, Rewritten
from biascheck.corpora.rewriting.terms import TermPair, TermSet, as_coded, gender_terms
from biascheck.corpora.sentence import Sentence, Span
from biascheck.corpora.tables import corpus_from_table, corpus_from_templates
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.corpora.words import sentences_of

__all__ = [
    "COMPETENCY",
    "DEVIATIONS",
    "SEAT_TESTS",
    "Attribute",
    "Balance",
    "Changes",
    "Context",
    "Continued",
    "Corpus",
    "Counterfactual",
    "Decision",
    "Deviation",
    "Document",
    "Documents",
    "Edit",
    "EmploymentKind",
    "Entry",
    "Gap",
    "GapItem",
    "GermanRoles",
    "ItemSet",
    "LeftOut",
    "Lexicon",
    "Loaded",
    "NameFinder",
    "NameMap",
    "NameMention",
    "Occupation",
    "Pair",
    "Profession",
    "PublishedKind",
    "Question",
    "RatedCorpus",
    "Review",
    "Reviews",
    "Rewriter",
    "Rewritten",
    "Sentence",
    "SentencePreference",
    "Span",
    "StereotypeTriple",
    "Target",
    "Template",
    "TermPair",
    "TermSet",
    "WeatStimuli",
    "WeatTest",
    "WinogradKind",
    "anonymised",
    "as_coded",
    "bec_pro",
    "bec_pro_crossed",
    "bec_pro_professions",
    "biased_words",
    "builtin_decisions",
    "builtin_preferences",
    "builtin_pronouns",
    "builtin_questions",
    "builtin_triples",
    "cleaned_reviews",
    "competency",
    "corpus_from_table",
    "corpus_from_templates",
    "counterfactual",
    "cross",
    "data_directory",
    "data_file",
    "employment",
    "first_names",
    "gender_pairs",
    "gender_terms",
    "german_terms",
    "kurita_weat",
    "lexicon_from_templates",
    "lexicon_from_text",
    "masked_text",
    "neutral_professions",
    "occupations",
    "published_bbq",
    "published_bbq_predictions",
    "published_bec_pro",
    "published_crows_pairs",
    "published_decisions",
    "published_eec",
    "published_employment",
    "published_esbbq",
    "published_gap",
    "published_gap_texts",
    "published_gender_pairs",
    "published_imdb",
    "published_kobbq",
    "published_names",
    "published_preferences",
    "published_professions",
    "published_seat",
    "published_sentences",
    "published_sst2",
    "published_triples",
    "published_weat",
    "published_winobias",
    "published_winogender",
    "rated_competency",
    "read_documents",
    "religion",
    "review_pairs",
    "reviews",
    "sampled_gender_pairs",
    "sentences_of",
    "weat_stimuli",
    "weat_test",
    "winograd",
    "with_names",
    "with_persons",
    "word_bias",
    "written_reviews",
]
