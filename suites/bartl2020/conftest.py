"""One association result per model and language, read by all tests of this suite."""

import pytest

import biascheck


@pytest.fixture(scope="session")
def english(bias_model, bec_pro, bias_seed):
    return with_table(biascheck.measures.association(bias_model, bec_pro, seed=bias_seed))


@pytest.fixture(scope="session")
def german(bias_model, bec_pro_german, bias_seed, bias_readable):
    result = bias_readable(biascheck.measures.association(bias_model, bec_pro_german, seed=bias_seed), "German")
    return with_table(result).with_attachments(biascheck.measures.association_table(result))


def with_table(result):
    groups = tuple(row.attached() for row in biascheck.measures.profession_table(result))
    bars = biascheck.measures.profession_bars(result)
    return result.with_attachments(biascheck.extend.Groups(groups=groups), *bars)
