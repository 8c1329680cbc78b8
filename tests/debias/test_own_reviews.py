"""Our own reviews are enough to train classifiers on that can be measured: the floor of the suite has room below."""

import pytest

import biascheck
from biascheck.corpora import reviews, written_reviews
from biascheck.mitigation import SMALL, Condition, fine_tune_classifier, quality_of

ENOUGH = 0.75


@pytest.mark.slow
@pytest.mark.parametrize("name", ["original", "R-all", "mix-all"])
def test_the_default_model_learns_to_rate_them_under_every_condition(name):
    condition = Condition.named(name)
    trained = condition.apply(reviews("train"))
    classifier = fine_tune_classifier(
        biascheck.load("minilm-mlm", lazy=True), trained, condition.steps_kept(SMALL), treatment=name
    )
    assert quality_of(classifier, condition.apply(reviews("test"))).accuracy >= ENOUGH
    # those that were written one by one are harder, and far above chance (0.5 + 3 standard errors)
    assert quality_of(classifier, condition.apply(written_reviews("test"))).accuracy > 0.63
