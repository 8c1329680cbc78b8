"""A planted sentiment delta is read back, review by review."""

import pytest

import biascheck
from biascheck.calibration.readings import read_sentiment
from biascheck.reference.planted import planted_classifier, planted_deltas


@pytest.fixture(scope="module")
def pairs():
    return biascheck.corpora.review_pairs(biascheck.corpora.reviews("test"), "all")


@pytest.mark.parametrize("shift", [-0.8, 0.0, 0.5])
def test_every_review_has_its_planted_delta(pairs, shift):
    planted = planted_deltas(pairs, shift)
    result = biascheck.measures.sentiment_delta(planted_classifier(shift), pairs)
    assert {item.id: item.score for item in result.items} == pytest.approx(planted, abs=1e-12)
    assert (result.estimate > 0) == (shift > 0)


def test_the_shift_is_what_the_log_odds_fall_by():
    classifier = planted_classifier(1.0)
    male, female, neither = classifier.rate(["He was kind.", "She was kind.", "It was kind."])
    assert male / (1 - male) / (female / (1 - female)) == pytest.approx(2.718281828)
    assert neither in planted_classifier(0.0).rate(["It was kind."])


def test_a_reading_has_both_figures():
    reading = read_sentiment(0.5)
    assert reading.total.measured == pytest.approx(reading.total.planted)
    assert reading.absolute.measured == pytest.approx(reading.absolute.planted)
    assert reading.total.planted == pytest.approx(reading.absolute.planted)  # all deltas have one sign
    assert 0.02 < reading.total.planted < 0.12
