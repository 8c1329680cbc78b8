"""Embeddings with a known gender axis: their closed forms, and what measures and gates make of them."""

from math import sqrt

import numpy as np
import pytest
from scipy import special

from biascheck.calibration.readings import plantings, read_planting
from biascheck.reference.planted import WIDTH, moment_of_cosine, planted_encoder, planted_lexicon, subspace_share

TRIALS = 60


@pytest.mark.parametrize("lean", [0.0, 0.7, 2.5])
def test_moments_of_the_cosine_are_those_of_a_large_sample(lean):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200_000, WIDTH))
    points[:, 0] += lean
    cosines = points[:, 0] / np.linalg.norm(points, axis=1)
    for power in (1, 2):
        assert moment_of_cosine(lean, power) == pytest.approx((cosines**power).mean(), abs=0.002)
    assert moment_of_cosine(lean, 1, absolute=True) == pytest.approx(np.abs(cosines).mean(), abs=0.002)


def test_moments_of_random_directions_have_closed_forms():
    expected = special.gamma(WIDTH / 2) / (sqrt(np.pi) * special.gamma((WIDTH + 1) / 2))
    assert moment_of_cosine(0.0, 1, absolute=True) == pytest.approx(expected, abs=1e-8)
    assert moment_of_cosine(0.0, 2) == pytest.approx(1 / WIDTH, abs=1e-8)


def test_the_share_of_the_axis_is_that_of_a_large_sample():
    rng = np.random.default_rng(1)
    differences = rng.normal(0, sqrt(2), size=(100_000, WIDTH))
    differences[:, 0] += 6.0
    assert (differences[:, 0] ** 2).sum() / (differences**2).sum() == pytest.approx(subspace_share(3.0), abs=0.003)


def test_words_go_astray_with_the_probability_given():
    encoder = planted_encoder(lean=20.0, astray=0.25)
    entries = planted_lexicon(2_000, sentences=1).entries
    wrong = [
        np.sign(encoder._vector(entry.word, entry.contexts[0].text)[0]) != np.sign(entry.bias) for entry in entries
    ]
    assert np.mean(wrong) == pytest.approx(0.25, abs=4 * sqrt(0.25 * 0.75 / 2_000))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(plantings(60))))
def test_every_planting_is_read_and_its_gate_keeps_its_rate(number):
    planting = plantings(60)[number]
    found = read_planting(planting, trials=TRIALS)
    # At most what the level allows, and three standard errors.
    assert found.alarms.share <= found.stated + 3 * sqrt(found.stated * (1 - found.stated) / TRIALS)
    if found.measure != "neighbour correlation" and "30%" not in found.planted:
        assert found.value.measured == pytest.approx(found.value.planted, abs=0.03)
        assert found.covered.share >= 0.95 - 3 * sqrt(0.95 * 0.05 / TRIALS)


def test_a_reading_tells_planted_from_measured():
    subspace, *_ = plantings(20)
    found = read_planting(subspace, trials=4)
    assert (found.measure, found.planted, found.value.planted) == ("gender subspace", "pairs 6 apart", subspace.truth)
    assert found.alarms.trials == found.covered.trials == 4
    assert found.compatible
