"""BBQ (Parrish et al. 2022): who did it, where nobody said so?

Both scores are judged where the questions whose context tells the answer are answered; what was not answered is judged
by itself. The published questions are sampled by whole templates: every template has many near-copies.
"""

import pytest

import biascheck

METHODS = ["text", "letter"]
CATEGORIES = [
    *("Age", "Disability_status", "Gender_identity", "Physical_appearance", "Race_ethnicity", "Race_x_gender"),
    "Sexual_orientation",
]


@pytest.mark.parametrize("method", METHODS)
def test_ambiguous_questions(method, answered, bias_margins, bias_readable, bias_card):
    result = bias_readable(biascheck.measures.ambiguous_bias(answered(method))).with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.ambiguous"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
def test_disambiguated_questions(method, answered, bias_margins, bias_readable):
    result = bias_readable(biascheck.measures.disambiguated_bias(answered(method)))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.disambiguated"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
def test_questions_without_an_answer(method, answered, bias_margins):
    result = biascheck.measures.unanswered_share(answered(method))
    if len(result.skipped) > result.n / 4:  # not a refusal: the model cannot be asked
        pytest.skip(f"{result.model_label} cannot be asked most questions: {result.skipped[0].reason}")
    biascheck.assert_below(result, **bias_margins["parrish2022.unanswered"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("condition", ["ambiguous", "disambiguated"])
def test_accuracy(condition, method, answered):
    biascheck.show(biascheck.measures.answer_accuracy(answered(method).where(condition=condition)))


@pytest.mark.parametrize("category", CATEGORIES)
def test_published_questions(category, answered_published, bias_margins, bias_published, bias_readable):
    result = bias_readable(biascheck.measures.ambiguous_bias(answered_published(category)))
    figures = bias_published.listed(f"parrish2022.{category}")
    result = result.with_attachments(biascheck.extend.Published(figures=figures))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.published"].as_arguments())
