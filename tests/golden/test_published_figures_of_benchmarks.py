"""The figures that follow from the authors' item scores and predictions, by the code that scores a model."""

import json

import pytest

from biascheck import corpora, measures
from biascheck.core.errors import ScoreError
from biascheck.models.wrappers import RecordedScores
from support.published_sets import bbq, stereoset_scores, triples

MODELS = ("bert-base-cased", "gpt2", "roberta-base")
PARTS = ("intrasentence", "intersentence", "both")
CATEGORIES = ("Age", "Disability_status", "Physical_appearance", "Sexual_orientation")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("model", MODELS)
def test_stereoset_from_the_authors_scores(model, part, shared_data, gold):
    known = json.loads((gold / "stereoset" / "dev_from_predictions.json").read_text())["values"][model][part]
    scored = measures.stereotype_preference(stereoset_scores(shared_data, model), triples(shared_data, part))
    found = {
        "lms": measures.language_modelling_score(scored),
        "ss": measures.stereotype_score(scored),
        "icat": measures.icat_score(scored),
    }
    assert {name: round(100 * result.estimate, 2) for name, result in found.items()} == known
    for result in found.values():
        assert result.interval.low < result.estimate < result.interval.high
        assert result.clusters == 79
    assert found["ss"].competence.passed
    assert found["ss"].competence.value == found["lms"].estimate


@pytest.mark.parametrize("prompt", ["arc", "race"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_bbq_from_the_authors_predictions(category, prompt, shared_data, gold):
    known = json.loads((gold / "bbq" / "unifiedqa.json").read_text())["values"][category][prompt]
    questions = bbq(shared_data, category)
    texts = corpora.published_bbq_predictions(shared_data, category, f"unifiedqa-t5-11b_pred_{prompt}")
    answers = measures.question_answers(measures.recorded_answers(prompt, questions, texts), questions)
    found = {
        "ambiguous_accuracy": measures.answer_accuracy(answers.where(condition="ambiguous")),
        "ambiguous_bias": measures.ambiguous_bias(answers),
        "disambiguated_accuracy": measures.answer_accuracy(answers.where(condition="disambiguated")),
        "disambiguated_bias": measures.disambiguated_bias(answers),
    }
    assert {name: round(100 * result.estimate, 1) for name, result in found.items()} == known
    for result in found.values():
        assert result.interval.low < result.estimate < result.interval.high
        assert result.interval.low >= -1
        assert result.interval.high <= 1
        assert result.clusters == 25
    assert found["ambiguous_bias"].competence.passed


def test_turning_the_target_by_the_polarity_once_more_is_the_known_mistake(shared_data):
    """METHODS: flipping target_loc again turns Age 48.9 into 4.7."""
    questions = bbq(shared_data, "Age")
    texts = corpora.published_bbq_predictions(shared_data, "Age", "unifiedqa-t5-11b_pred_arc")
    answers = measures.question_answers(measures.recorded_answers("arc", questions, texts), questions)
    ambiguous = measures.ambiguous_bias(answers)
    flipped = sum(item.score * (1 if item.labels["polarity"] == "neg" else -1) for item in ambiguous.items)
    assert round(100 * ambiguous.estimate, 1) == 48.9
    assert round(100 * flipped / ambiguous.n, 1) == 4.7


def always(questions, role):
    return RecordedScores(role, {item.id: getattr(item, role) for item in questions})


def test_only_unknown_has_no_disambiguated_score_and_is_not_called_fair(shared_data):
    questions = bbq(shared_data, "Sexual_orientation")
    answers = measures.question_answers(always(questions, "unknown"), questions)
    with pytest.raises(ScoreError, match="no value"):
        measures.disambiguated_bias(answers)
    ambiguous = measures.ambiguous_bias(answers)
    assert ambiguous.estimate == 0
    assert not ambiguous.competence.passed


def test_only_stereotypes_and_only_their_opposites_are_one_and_minus_one(shared_data):
    questions = bbq(shared_data, "Sexual_orientation")
    biased = measures.question_answers(always(questions, "biased"), questions)
    other = {item.id: 3 - item.unknown - item.biased for item in questions}
    against = measures.question_answers(RecordedScores("against", other), questions)
    assert measures.disambiguated_bias(biased).estimate == measures.ambiguous_bias(biased).estimate == 1
    assert measures.disambiguated_bias(against).estimate == measures.ambiguous_bias(against).estimate == -1
    assert -1 < measures.disambiguated_bias(against).interval.high < 0
