"""One published measure per file. A measure is a call ``(model, corpus) -> Result`` that describes itself.

To add one, write its file and one line here: the reference page, ``biascheck measures`` and the tests read these names.
"""

from types import ModuleType as _ModuleType

from biascheck.measures.absolute_delta import absolute_delta as absolute_delta
from biascheck.measures.absolute_gap import absolute_gap as absolute_gap
from biascheck.measures.agreement_effect import agreement_effect as agreement_effect
from biascheck.measures.association import (
    association as association,
    association_queries as association_queries,
    pairwise_associations as pairwise_associations,
)
from biascheck.measures.association_change import association_change as association_change
from biascheck.measures.attribute_contrast import (
    attribute_contrast as attribute_contrast,
    attribute_contrast_of as attribute_contrast_of,
)
from biascheck.measures.benchmarks.age_slope import age_slope as age_slope
from biascheck.measures.benchmarks.ambiguous_bias import ambiguous_bias as ambiguous_bias
from biascheck.measures.benchmarks.answer_accuracy import answer_accuracy as answer_accuracy
from biascheck.measures.benchmarks.answer_parsing import (
    parsed_answer as parsed_answer,
    recorded_answers as recorded_answers,
)
from biascheck.measures.benchmarks.decision_effect import decision_effect as decision_effect
from biascheck.measures.benchmarks.decision_scores import decision_scores as decision_scores
from biascheck.measures.benchmarks.disambiguated_bias import disambiguated_bias as disambiguated_bias
from biascheck.measures.benchmarks.harness_logs import lm_eval_answers as lm_eval_answers
from biascheck.measures.benchmarks.icat_score import icat_score as icat_score
from biascheck.measures.benchmarks.inspect_logs import inspect_answers as inspect_answers
from biascheck.measures.benchmarks.language_modelling_score import language_modelling_score as language_modelling_score
from biascheck.measures.benchmarks.preference_share import preference_share as preference_share
from biascheck.measures.benchmarks.question_answers import question_answers as question_answers
from biascheck.measures.benchmarks.stereotype_preference import stereotype_preference as stereotype_preference
from biascheck.measures.benchmarks.stereotype_score import stereotype_score as stereotype_score
from biascheck.measures.benchmarks.unanswered_share import unanswered_share as unanswered_share
from biascheck.measures.coreference.gap_resolution import gap_resolution as gap_resolution
from biascheck.measures.coreference.neither_gap import neither_gap as neither_gap
from biascheck.measures.coreference.neither_gap_beyond_labels import (
    neither_gap_beyond_labels as neither_gap_beyond_labels,
)
from biascheck.measures.coreference.resolution_ratio import resolution_ratio as resolution_ratio
from biascheck.measures.coreference.topic_correlation import topic_correlation as topic_correlation
from biascheck.measures.declaration import measure as measure
from biascheck.measures.derivation import derived_measure as derived_measure
from biascheck.measures.effect_size import effect_size as effect_size
from biascheck.measures.embeddings.classifier_accuracy import classifier_accuracy as classifier_accuracy
from biascheck.measures.embeddings.cluster_accuracy import cluster_accuracy as cluster_accuracy
from biascheck.measures.embeddings.direct_bias import direct_bias as direct_bias
from biascheck.measures.embeddings.gender_subspace import gender_subspace as gender_subspace
from biascheck.measures.embeddings.neighbour_correlation import neighbour_correlation as neighbour_correlation
from biascheck.measures.embeddings.projected_bias import with_projected_bias as with_projected_bias
from biascheck.measures.embeddings.weat import weat as weat
from biascheck.measures.grammar_balanced import (
    grammar_balanced as grammar_balanced,
    grammar_balanced_of as grammar_balanced_of,
)
from biascheck.measures.positive_share import positive_share as positive_share
from biascheck.measures.pronouns.competency_contrast import competency_contrast as competency_contrast
from biascheck.measures.pronouns.competency_effect import competency_effect as competency_effect
from biascheck.measures.pronouns.female_share import female_share as female_share
from biascheck.measures.pronouns.gender_f1 import (
    GenderF1 as GenderF1,
    SkewAndStereotype as SkewAndStereotype,
    gender_f1 as gender_f1,
    skew_and_stereotype as skew_and_stereotype,
)
from biascheck.measures.pronouns.name_f1 import name_f1 as name_f1
from biascheck.measures.pronouns.name_resolution import name_resolution as name_resolution
from biascheck.measures.pronouns.pronoun_f1 import pronoun_f1 as pronoun_f1
from biascheck.measures.pronouns.pronoun_gap import pronoun_gap as pronoun_gap
from biascheck.measures.pronouns.referent_accuracy import referent_accuracy as referent_accuracy
from biascheck.measures.pronouns.referent_gap import referent_gap as referent_gap
from biascheck.measures.pronouns.referent_odds import referent_odds as referent_odds
from biascheck.measures.pronouns.skew import skew as skew, skew_of as skew_of
from biascheck.measures.pronouns.stereotype import stereotype as stereotype, stereotype_of as stereotype_of
from biascheck.measures.sentiment_delta import sentiment_delta as sentiment_delta
from biascheck.measures.tables.association_table import association_table as association_table
from biascheck.measures.tables.certainty_histogram import certainty_histogram as certainty_histogram
from biascheck.measures.tables.delta_table import (
    DeltaRow as DeltaRow,
    DeltaSummary as DeltaSummary,
    delta_summary as delta_summary,
    delta_table as delta_table,
)
from biascheck.measures.tables.mitigation_table import (
    MitigationRow as MitigationRow,
    attached_table as attached_table,
    mitigation_table as mitigation_table,
    text_of as text_of,
)
from biascheck.measures.tables.occupation_table import (
    OccupationRow as OccupationRow,
    occupation_table as occupation_table,
)
from biascheck.measures.tables.profession_bars import profession_bars as profession_bars
from biascheck.measures.tables.profession_table import (
    ProfessionGroup as ProfessionGroup,
    profession_table as profession_table,
)
from biascheck.measures.typical_gap import typical_gap as typical_gap
from biascheck.measures.utility.held_out_loss import held_out_loss as held_out_loss
from biascheck.measures.utility.pronoun_error import pronoun_error as pronoun_error
from biascheck.measures.utility.task_error import task_error as task_error
from biascheck.measures.workforce_correlation import workforce_correlation as workforce_correlation
from biascheck.measures.workforce_slope import workforce_slope as workforce_slope
from biascheck.results.comparing.rankings import ranking_table as ranking_table

__all__ = sorted(
    name for name, thing in globals().items() if not name.startswith("_") and not isinstance(thing, _ModuleType)
)
