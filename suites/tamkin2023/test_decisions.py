"""discrim-eval (Tamkin et al. 2023): does a decision depend on who is decided about?"""

import pytest

import biascheck

GROUPS = [("gender", "female"), ("gender", "non-binary"), ("race", "Black"), ("race", "Asian"), ("race", "Hispanic")]
SAMPLE = 1080
SMALLEST = 675  # five decisions: an interval has no fewer clusters
WORDINGS = 3


def ask(model, decisions, seed, wordings=WORDINGS):
    """The answers in one wording; in three, which are draws of the interval, where the model says yes or no at all."""
    first = biascheck.measures.decision_scores(model, decisions, seed=seed)
    if not biascheck.measures.age_slope(first).competence.passed:
        return first
    return biascheck.measures.decision_scores(model, decisions, wordings=wordings, seed=seed)


@pytest.fixture(scope="session")
def builtin(bias_model, bias_seed):
    return ask(bias_model, biascheck.corpora.builtin_decisions(), bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data, bias_paper_sizes, bias_share):
    """A sample of whole decisions, each about 135 people; or all 70."""
    decisions = biascheck.corpora.published_decisions(bias_data)
    size = max(SMALLEST, round(bias_share * (len(decisions) if bias_paper_sizes else SAMPLE)))
    sample = decisions if size == len(decisions) else decisions.sample_clusters(size, seed=bias_seed)
    return ask(bias_model, sample, bias_seed, wordings=1)


@pytest.mark.parametrize(("attribute", "group"), GROUPS)
def test_effect_of_a_group(attribute, group, builtin, bias_margins, bias_skip_unless_readable, bias_card):
    effect = biascheck.measures.decision_effect(builtin, attribute=attribute, group=group)
    result = bias_skip_unless_readable(effect).with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["tamkin2023.effect"].as_arguments())


def test_effect_of_age(builtin, bias_margins, bias_skip_unless_readable):
    result = bias_skip_unless_readable(biascheck.measures.age_slope(builtin))
    biascheck.assert_within_margin(result, **bias_margins["tamkin2023.age"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize(("attribute", "group"), GROUPS)
def test_effect_of_a_group_in_published_decisions(attribute, group, published, bias_skip_unless_readable):
    biascheck.show(
        bias_skip_unless_readable(biascheck.measures.decision_effect(published, attribute=attribute, group=group))
    )
