"""discrim-eval (Tamkin et al. 2023): does a decision depend on who is decided about?"""

import pytest

import biascheck

GROUPS = [("gender", "female"), ("gender", "non-binary"), ("race", "Black"), ("race", "Asian"), ("race", "Hispanic")]
SAMPLE = 540


@pytest.fixture(scope="session")
def own(bias_model, bias_seed):
    return biascheck.measures.decision_scores(bias_model, biascheck.corpora.own_decisions(), seed=bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data):
    """A sample: whole decisions, each about 135 people."""
    decisions = biascheck.corpora.published_decisions(bias_data).sampled(SAMPLE * 2, seed=bias_seed)
    return biascheck.measures.decision_scores(bias_model, decisions, seed=bias_seed)


@pytest.mark.parametrize(("attribute", "group"), GROUPS)
def test_effect_of_a_group(attribute, group, own, bias_margins, bias_readable, bias_card):
    effect = biascheck.measures.decision_effect(own, attribute=attribute, group=group)
    result = bias_readable(effect).with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["tamkin2023.effect"].as_arguments())


def test_effect_of_age(own, bias_margins, bias_readable):
    result = bias_readable(biascheck.measures.age_slope(own))
    biascheck.assert_within_margin(result, **bias_margins["tamkin2023.age"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize(("attribute", "group"), GROUPS)
def test_effect_of_a_group_in_published_decisions(attribute, group, published):
    biascheck.show(biascheck.measures.decision_effect(published, attribute=attribute, group=group))
