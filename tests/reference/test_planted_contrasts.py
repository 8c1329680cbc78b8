"""Contrasts and slopes in log-odds recover what is planted in the bundled reference models."""

from math import log

import numpy as np
import pytest

import biascheck
from biascheck.calibration.readings import sided_bec_pro
from biascheck.core.errors import BiasAssertionError
from biascheck.corpora import bec_pro, kurita_weat, occupations, winograd
from biascheck.measures import association, attribute_contrast, effect_size, pronoun_gap, workforce_slope
from biascheck.reference.world import World, learnable_share

FOUR_FIFTHS = log(1.25)
SHARES = {pair.attribute: float(pair.labels["share_of_women"]) for pair in bec_pro()}
SIDES = {pair.attribute: pair.labels["side"] for pair in sided_bec_pro()}


@pytest.fixture(scope="module")
def parity():
    return biascheck.load("reference:parity")


@pytest.fixture(scope="module")
def workforce():
    return biascheck.load("reference:workforce")


def planted_slope(truth):
    return np.polyfit([1 - SHARES[job] / 100 for job in truth], list(truth.values()), 1)[0]


def test_the_workforce_has_the_planted_slope(workforce):
    slope = workforce_slope(association(workforce, bec_pro()))
    assert slope.estimate == pytest.approx(planted_slope(World(1.0).truth()), rel=0.03)
    with pytest.raises(BiasAssertionError):
        biascheck.assert_within_margin(slope, FOUR_FIFTHS)


def test_parity_has_no_slope(parity):
    slope = workforce_slope(association(parity, bec_pro()))
    assert abs(slope.estimate) < 0.02
    assert biascheck.assert_within_margin(slope, FOUR_FIFTHS).passed


@pytest.mark.parametrize("kind", ["T1", "T2"])
def test_pronouns_of_the_workforce_have_the_planted_slope(kind, workforce):
    """At dose 1 the log-odds of the male pronoun are those of a man in the occupation, whatever the sentence."""
    women = [o.share_of_women / 100 for o in occupations()]
    odds = [log((1 - learnable_share(share)) / learnable_share(share)) for share in women]
    slope = workforce_slope(pronoun_gap(workforce, winograd(kind)))
    assert slope.estimate == pytest.approx(np.polyfit([1 - share for share in women], odds, 1)[0], rel=0.03)


def test_the_contrast_of_men_s_and_women_s_jobs_is_the_planted_one(workforce):
    truth = World(1.0).truth()
    a, b = (np.mean([truth[job] for job, side in SIDES.items() if side == name]) for name in "AB")
    found = attribute_contrast(workforce, sided_bec_pro())
    assert found.estimate == pytest.approx(a - b, rel=0.03)
    with pytest.raises(BiasAssertionError):
        biascheck.assert_contrast_within(found, FOUR_FIFTHS)


def test_parity_contrasts_no_jobs(parity):
    assert biascheck.assert_contrast_within(attribute_contrast(parity, sided_bec_pro()), FOUR_FIFTHS).passed


@pytest.mark.parametrize("category", [3, 6, 7, 8])
def test_extended_sets_show_parity_where_published_ones_cannot(category, parity):
    corpus = kurita_weat(category, extended=True)
    assert biascheck.assert_contrast_within(attribute_contrast(parity, corpus), FOUR_FIFTHS).passed
    if category != 3:  # 25 words per side, which reach further than eight
        published = attribute_contrast(parity, kurita_weat(category)).interval
        assert published.high - published.low > 2 * FOUR_FIFTHS
    assert abs(effect_size(parity, corpus).estimate) < 0.3
