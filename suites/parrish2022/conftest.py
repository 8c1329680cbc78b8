"""One pass over the questions per model and way of answering, read by all tests of this suite."""

import pytest

import biascheck

ORDERS = {"text": 1, "letter": 2}
SAMPLE = 400


@pytest.fixture(scope="session")
def answered(bias_model, bias_seed):
    """The answers to our own questions, by the text of the answer or by a letter in two orders of the options."""

    def answers(method):
        questions = biascheck.corpora.own_questions()
        return biascheck.measures.question_answers(
            bias_model, questions, method=method, orders=ORDERS[method], seed=bias_seed
        )

    return answers


@pytest.fixture(scope="session")
def answered_published(bias_model, bias_seed, bias_data):
    """The answers to a sample of the published questions of one category: whole templates, at least 400 questions."""

    def answers(category):
        questions = biascheck.corpora.published_bbq(bias_data, category).sampled(SAMPLE, seed=bias_seed)
        return biascheck.measures.question_answers(bias_model, questions, seed=bias_seed)

    return answers
