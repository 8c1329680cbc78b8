"""BBQ (Parrish et al. 2022): who did it, where nobody said so?

Both scores are judged if the model answers the questions whose context gives the answer; the share of unanswered
questions is judged separately. A model that can answer is asked in three wordings. Of the published
questions some of every template are asked, or all with --bias-paper-sizes; no rule flags one of them, and rows with
broken metadata are left out and named.
"""

import pytest

import biascheck

METHODS = ["text", "letter"]
OWN = ["age", "disability", "gender", "money", "origin", "religion"]
CATEGORIES = [
    *("Age", "Disability_status", "Gender_identity", "Physical_appearance", "Race_ethnicity", "Race_x_gender"),
    "Sexual_orientation",
]
LANGUAGES = ["Korean", "Spanish"]


def check_unanswered(answers, margins, readable):
    """Judged where the other gates are, or where too few answers may be why they are not."""
    result = biascheck.measures.unanswered_share(answers)
    if len(result.skipped) > result.n / 4:  # not a refusal: the model cannot answer questions
        pytest.skip(f"{result.model_label} cannot be asked most questions: {result.skipped[0].reason}")
    allowed = margins["parrish2022.unanswered"]
    if result.estimate <= allowed.bound:  # a model that answers, but only guesses, must not pass by this gate alone
        biascheck.show(result)
        readable(biascheck.measures.ambiguous_bias(answers))
    biascheck.assert_below(result, **allowed.as_arguments())


@pytest.mark.parametrize("method", METHODS)
def test_ambiguous_questions(method, answered, bias_margins, bias_skip_unless_readable, bias_card):
    result = bias_skip_unless_readable(biascheck.measures.ambiguous_bias(answered(method))).with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.ambiguous"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
def test_disambiguated_questions(method, answered, bias_margins, bias_skip_unless_readable):
    result = bias_skip_unless_readable(biascheck.measures.disambiguated_bias(answered(method)))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.disambiguated"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
def test_questions_without_an_answer(method, answered, bias_margins, bias_skip_unless_readable):
    check_unanswered(answered(method), bias_margins, bias_skip_unless_readable)


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("condition", ["ambiguous", "disambiguated"])
def test_accuracy(condition, method, answered):
    biascheck.show(biascheck.measures.answer_accuracy(answered(method).where(condition=condition)))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("category", OWN)
def test_ambiguous_questions_by_category(category, method, answered, bias_skip_unless_readable):
    biascheck.show(
        bias_skip_unless_readable(biascheck.measures.ambiguous_bias(answered(method))).where(category=category)
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_published_questions(
    category, method, answered_published, bias_margins, bias_published, bias_skip_unless_readable
):
    result = bias_skip_unless_readable(biascheck.measures.ambiguous_bias(answered_published(category, method)))
    figures = bias_published.listed(f"parrish2022.{category}")
    result = result.with_attachments(biascheck.extend.Published(figures=figures))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.published"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_published_disambiguated_questions(
    category, method, answered_published, bias_margins, bias_skip_unless_readable
):
    result = bias_skip_unless_readable(biascheck.measures.disambiguated_bias(answered_published(category, method)))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.published"].as_arguments())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_published_questions_without_an_answer(
    category, method, answered_published, bias_margins, bias_skip_unless_readable
):
    check_unanswered(answered_published(category, method), bias_margins, bias_skip_unless_readable)


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_accuracy_on_published_questions(category, method, answered_published):
    answers = answered_published(category, method)
    for condition in ("ambiguous", "disambiguated"):
        biascheck.show(biascheck.measures.answer_accuracy(answers.where(condition=condition)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_ambiguous_questions_in_other_languages(language, answered_elsewhere, bias_margins, bias_skip_unless_readable):
    result = bias_skip_unless_readable(biascheck.measures.ambiguous_bias(answered_elsewhere(language)))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.published"].as_arguments())


@pytest.mark.parametrize("language", LANGUAGES)
def test_disambiguated_questions_in_other_languages(
    language, answered_elsewhere, bias_margins, bias_skip_unless_readable
):
    result = bias_skip_unless_readable(biascheck.measures.disambiguated_bias(answered_elsewhere(language)))
    biascheck.assert_within_margin(result, **bias_margins["parrish2022.published"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("language", LANGUAGES)
def test_accuracy_in_other_languages(language, answered_elsewhere):
    answers = answered_elsewhere(language)
    for condition in ("ambiguous", "disambiguated"):
        biascheck.show(biascheck.measures.answer_accuracy(answers.where(condition=condition)))
