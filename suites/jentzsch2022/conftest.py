"""One classifier per model and condition, fine-tuned once, and its deltas, read by all tests of this suite."""

from dataclasses import replace

import pytest

import biascheck
from biascheck.mitigation import Condition, quality_of


@pytest.fixture(scope="session")
def pairs():
    """The test reviews in their male and female versions, by term set."""
    source = biascheck.corpora.reviews("test")
    return {terms: biascheck.corpora.review_pairs(source, terms) for terms in ("pro", "weat", "all")}


@pytest.fixture(scope="session")
def deltas(bias_classifier, pairs, bias_seed, bias_skip_unless_readable):
    """The deltas of the classifier of one condition; skipped where it does not tell positive from negative reviews."""
    found = {}

    def measure(condition, terms):
        if (condition, terms) not in found:
            classifier = bias_classifier(condition)
            result = biascheck.measures.sentiment_delta(classifier, pairs[terms], seed=bias_seed)
            found[condition, terms] = with_quality(result, classifier, condition)
        return bias_skip_unless_readable(found[condition, terms])

    return measure


def with_quality(result, classifier, condition):
    """The result with the classifier's figures on test reviews treated like its training data (paper, A.3).

    A classifier that fails the readability check there as well cannot rate sentiment.
    """
    quality = quality_of(classifier, Condition.named(condition).apply(biascheck.corpora.reviews("test")))
    result = result.with_attachments(biascheck.extend.Facts(facts={"quality": quality.as_dict()}))
    check = result.competence
    if check is None or quality.accuracy >= check.floor:
        return result
    finding = f"the classifier is right on {quality.accuracy:.0%} of {quality.n} reviews under its own condition"
    return replace(result, competence=replace(check, value=quality.accuracy, n=quality.n, finding=finding))
