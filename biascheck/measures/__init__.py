"""Measures, one topic per module. A measure is a call ``(model, corpus) -> Result`` that describes itself.

To add one, write its module and one line here: the reference page, ``biascheck measures`` and the tests read these
names.
"""

from types import ModuleType as _ModuleType

from biascheck.measures.answers import parsed_answer as parsed_answer, recorded_answers as recorded_answers
from biascheck.measures.association import (
    agreement_effect as agreement_effect,
    association as association,
    association_change as association_change,
    association_queries as association_queries,
    grammar_balanced as grammar_balanced,
    grammar_balanced_of as grammar_balanced_of,
    pairwise_associations as pairwise_associations,
)
from biascheck.measures.bbq import (
    ambiguous_bias as ambiguous_bias,
    answer_accuracy as answer_accuracy,
    disambiguated_bias as disambiguated_bias,
    question_answers as question_answers,
    unanswered_share as unanswered_share,
)
from biascheck.measures.competency import (
    competency_contrast as competency_contrast,
    competency_effect as competency_effect,
)
from biascheck.measures.coreference import (
    gap_resolution as gap_resolution,
    neither_gap as neither_gap,
    neither_gap_beyond_labels as neither_gap_beyond_labels,
    resolution_ratio as resolution_ratio,
)
from biascheck.measures.crows_pairs import preference_share as preference_share
from biascheck.measures.decisions import (
    age_slope as age_slope,
    decision_effect as decision_effect,
    decision_scores as decision_scores,
)
from biascheck.measures.effect_size import (
    attribute_contrast as attribute_contrast,
    attribute_contrast_of as attribute_contrast_of,
    effect_size as effect_size,
)
from biascheck.measures.gaps import (
    absolute_gap as absolute_gap,
    positive_share as positive_share,
    typical_gap as typical_gap,
)
from biascheck.measures.geometry import (
    classifier_accuracy as classifier_accuracy,
    cluster_accuracy as cluster_accuracy,
    neighbour_correlation as neighbour_correlation,
    with_projected_bias as with_projected_bias,
)
from biascheck.measures.harness_logs import inspect_answers as inspect_answers, lm_eval_answers as lm_eval_answers
from biascheck.measures.measure import derived_measure as derived_measure, measure as measure
from biascheck.measures.names import name_resolution as name_resolution
from biascheck.measures.pronouns import female_share as female_share, pronoun_gap as pronoun_gap
from biascheck.measures.referents import (
    referent_accuracy as referent_accuracy,
    referent_gap as referent_gap,
    referent_odds as referent_odds,
)
from biascheck.measures.sentiment import (
    DeltaRow as DeltaRow,
    DeltaSummary as DeltaSummary,
    absolute_delta as absolute_delta,
    delta_summary as delta_summary,
    delta_table as delta_table,
    sentiment_delta as sentiment_delta,
)
from biascheck.measures.skew import (
    GenderF1 as GenderF1,
    SkewAndStereotype as SkewAndStereotype,
    gender_f1 as gender_f1,
    name_f1 as name_f1,
    pronoun_f1 as pronoun_f1,
    skew as skew,
    skew_and_stereotype as skew_and_stereotype,
    skew_of as skew_of,
    stereotype as stereotype,
    stereotype_of as stereotype_of,
)
from biascheck.measures.stereoset import (
    icat_score as icat_score,
    language_modelling_score as language_modelling_score,
    stereotype_preference as stereotype_preference,
    stereotype_score as stereotype_score,
)
from biascheck.measures.subspace import direct_bias as direct_bias, gender_subspace as gender_subspace
from biascheck.measures.tables import (
    MitigationRow as MitigationRow,
    OccupationRow as OccupationRow,
    association_table as association_table,
    attached_table as attached_table,
    certainty_histogram as certainty_histogram,
    mitigation_table as mitigation_table,
    occupation_table as occupation_table,
    text_of as text_of,
)
from biascheck.measures.topics import topic_correlation as topic_correlation
from biascheck.measures.utility import (
    held_out_loss as held_out_loss,
    pronoun_error as pronoun_error,
    task_error as task_error,
)
from biascheck.measures.weat import weat as weat
from biascheck.measures.workforce import (
    ProfessionGroup as ProfessionGroup,
    profession_bars as profession_bars,
    profession_table as profession_table,
    workforce_correlation as workforce_correlation,
    workforce_slope as workforce_slope,
)
from biascheck.results.compare import ranking_table as ranking_table

__all__ = sorted(
    name for name, thing in globals().items() if not name.startswith("_") and not isinstance(thing, _ModuleType)
)
