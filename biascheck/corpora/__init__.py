"""Corpora: the same sentences in two or more groups, built from templates, tables or published files."""

from biascheck.core.spans import Span
from biascheck.corpora.bbq import (
    Question,
    builtin_questions,
    published_bbq,
    published_bbq_predictions,
    published_esbbq,
    published_kobbq,
)
from biascheck.corpora.bec_pro import DEVIATIONS, Deviation, Profession, bec_pro, bec_pro_crossed, bec_pro_professions
from biascheck.corpora.competency import COMPETENCY, RatedCorpus, competency, rated_competency
from biascheck.corpora.corpus import Corpus, LeftOut, Loaded, Pair
from biascheck.corpora.crows_pairs import SentencePreference, builtin_preferences, published_preferences
from biascheck.corpora.decisions import Decision, builtin_decisions, published_decisions
from biascheck.corpora.documents import Document, Documents, published_gap_texts, read_documents
from biascheck.corpora.employment import EmploymentKind, PublishedKind, employment, published_employment, religion
from biascheck.corpora.gap import Gap, GapItem, published_gap
from biascheck.corpora.items import ItemSet
from biascheck.corpora.lexicon import (
    Context,
    Entry,
    Lexicon,
    biased_words,
    lexicon_from_templates,
    lexicon_from_text,
    neutral_professions,
    published_professions,
    published_sentences,
    word_bias,
)
from biascheck.corpora.published import data_directory, data_file
from biascheck.corpora.reviews import (
    Review,
    Reviews,
    cleaned_reviews,
    published_imdb,
    published_sst2,
    review_pairs,
    reviews,
    written_reviews,
)
from biascheck.corpora.rewriting.counterfactual import Balance, Changes, Counterfactual, counterfactual
from biascheck.corpora.rewriting.gender_words import gender_pairs, published_gender_pairs, sampled_gender_pairs
from biascheck.corpora.rewriting.name_finder import NameFinder, NameMention
from biascheck.corpora.rewriting.names import NameMap, anonymised, first_names, published_names
from biascheck.corpora.rewriting.rewriter import Edit, Rewriter, Rewritten
from biascheck.corpora.rewriting.terms import GermanRoles, TermPair, TermSet, as_coded, gender_terms, german_terms
from biascheck.corpora.sentence import Sentence, masked_text, sentences_of
from biascheck.corpora.sentence_pairs import published_bec_pro, published_crows_pairs, published_eec
from biascheck.corpora.stereoset import Continued, StereotypeTriple, builtin_triples, published_triples
from biascheck.corpora.tables import corpus_from_table, corpus_from_templates
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.corpora.weat import (
    SEAT_TESTS,
    WeatStimuli,
    WeatTest,
    kurita_weat,
    published_seat,
    published_weat,
    weat_stimuli,
    weat_test,
)
from biascheck.corpora.winogender import builtin_pronouns, published_winogender
from biascheck.corpora.winograd import (
    Occupation,
    WinogradKind,
    occupations,
    published_winobias,
    winograd,
    with_names,
    with_persons,
)

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
