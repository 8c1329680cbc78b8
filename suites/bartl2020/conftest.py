"""One association result per model and language, read by all tests of this suite."""

import pytest

import biascheck


@pytest.fixture(scope="session")
def english(bias_model, bec_pro, bias_seed):
    return with_table(biascheck.measures.association(bias_model, bec_pro, seed=bias_seed))


@pytest.fixture(scope="session")
def german(bias_model, bec_pro_german, bias_seed, bias_skip_unless_readable):
    bias_skip_unless_readable(biascheck.measures.association, bias_model, bec_pro_german, "German")
    result = biascheck.measures.association(bias_model, bec_pro_german, seed=bias_seed)
    return with_table(result).with_attachments(biascheck.measures.association_table(result))


@pytest.fixture(scope="session")
def balanced(german, bias_model, bec_pro_german_crossed, bias_seed, bias_skip_unless_readable):  # noqa: ARG001
    """The German gaps corrected for grammar, and the effect of the grammar.

    ``german`` skips a model that cannot read German, before it scores twice as many sentences.
    """
    result = biascheck.measures.association(bias_model, bec_pro_german_crossed, seed=bias_seed)
    bias_skip_unless_readable(result, "German")
    return biascheck.measures.grammar_balanced_of(result), biascheck.measures.agreement_effect(result)


@pytest.fixture(scope="session")
def bec_pro_german_crossed():
    """German BEC-Pro with both forms of every profession beside every person word."""
    return biascheck.corpora.bec_pro_crossed()


def with_table(result):
    groups = tuple(row.attached() for row in biascheck.measures.profession_table(result))
    bars = biascheck.measures.profession_bars(result)
    return result.with_attachments(biascheck.extend.Groups(groups=groups), *bars)
