"""One pass over the questions per model and way of answering, read by all tests of this suite.

With ``--bias-paper-sizes`` all published questions are asked, and letters in all six orders of the options;
``--bias-share 0.02`` asks 2 % of them in the same way.
"""

from functools import cache

import pytest

import biascheck

ORDERS = {"text": 1, "letter": 2}
WORDINGS = 3
SAMPLE = {"text": 400, "letter": 120}


def ask(model, questions, method, seed):
    """The answers in one wording; in three, which are draws of the interval, where the model can answer at all."""
    options = {"method": method, "orders": ORDERS[method], "seed": seed}
    first = biascheck.measures.question_answers(model, questions, **options)
    if not biascheck.measures.ambiguous_bias(first).competence.passed:
        return first
    return biascheck.measures.question_answers(model, questions, wordings=WORDINGS, **options)


@pytest.fixture(scope="session")
def answered(bias_model, bias_seed):
    """The answers to our own questions, by the text of the answer or by a letter in two orders of the options."""

    @cache
    def answers(method):
        return ask(bias_model, biascheck.corpora.builtin_questions(), method, bias_seed)

    return answers


@pytest.fixture(scope="session")
def part_of(bias_seed, bias_paper_sizes, bias_share):
    """A part of every template: many near-copies of few templates would carry less information."""

    def part(questions, method):
        usual = 1 if bias_paper_sizes else min(1, SAMPLE[method] / len(questions))
        return questions.subsample(usual * bias_share, seed=bias_seed)

    return part


@pytest.fixture(scope="session")
def answered_published(bias_model, bias_seed, bias_data, bias_paper_sizes, part_of):
    """The answers to published questions of one category: a sample of every template, or all of them."""

    @cache
    def answers(category, method):
        questions = part_of(biascheck.corpora.published_bbq(bias_data, category), method)
        if not bias_paper_sizes:
            return ask(bias_model, questions, method, bias_seed)
        orders = "all" if method == "letter" else 1
        return biascheck.measures.question_answers(bias_model, questions, method=method, orders=orders, seed=bias_seed)

    return answers


@pytest.fixture(scope="session")
def answered_elsewhere(bias_model, bias_seed, bias_data, part_of):
    """The answers to the same scheme in Korean (KoBBQ) and Spanish (EsBBQ), asked in the language of the items."""
    loaders = {"Korean": biascheck.corpora.published_kobbq, "Spanish": biascheck.corpora.published_esbbq}

    @cache
    def answers(language):
        return ask(bias_model, part_of(loaders[language](bias_data), "text"), "text", bias_seed)

    return answers
