"""The shipped standards show what was planted in them, and gates say so."""

import numpy as np
import pytest

import biascheck
from biascheck.calibration.readings import PlantedEstimate, fit, gate_outcomes, read_pronouns, sided_bec_pro
from biascheck.cli.calibrate import run_of_suites
from biascheck.core.errors import BiasAssertionError
from biascheck.core.release import suites_home
from biascheck.measures.gaps import means_of_attributes
from biascheck.reference.planted import planted_gaps
from biascheck.reference.specs import SERVED_SUITES
from biascheck.reference.world import World


@pytest.fixture(scope="module")
def parity():
    return biascheck.load("reference:parity")


@pytest.fixture(scope="module")
def workforce():
    return biascheck.load("reference:workforce")


@pytest.fixture(scope="module")
def workforce_gaps(workforce):
    return biascheck.measures.association(workforce, biascheck.corpora.bec_pro())


def test_the_workforce_standard_shows_the_planted_gaps(workforce_gaps):
    truth = World(1.0).truth()
    line = fit(PlantedEstimate(truth[item.id], item.score) for item in means_of_attributes(workforce_gaps.items))
    assert line.points == 60
    assert line.r_squared > 0.99
    assert 0.95 < line.slope < 1.05
    assert abs(line.intercept) < 0.05


def test_every_item_of_the_workforce_standard_is_near_its_planted_gap(workforce_gaps):
    truth = World(1.0).truth()
    errors = np.array([item.score - truth[item.cluster] for item in workforce_gaps.items])
    assert len(errors) == 2_700
    assert np.sqrt(np.mean(errors**2)) < 0.2


def test_templates_of_the_world_that_are_not_bec_pro_show_the_same(workforce):
    world = World(1.0)
    result = biascheck.measures.association(workforce, world.corpus().where(template="is-the-new"))
    line = fit(PlantedEstimate(world.truth()[item.id], item.score) for item in means_of_attributes(result.items))
    assert line.r_squared > 0.98


def test_the_parity_standard_shows_no_gap(parity):
    gaps = means_of_attributes(biascheck.measures.association(parity, biascheck.corpora.bec_pro()).items)
    assert max(abs(item.score) for item in gaps) < 0.1


def test_parity_passes_every_gate_of_the_suites_under_standard():
    outcomes = gate_outcomes(run_of_suites("reference:parity", SERVED_SUITES, suites_home()))
    assert len(outcomes) >= 25
    doubtful = [o.gate for o in outcomes if o.verdict == "inconclusive"]
    assert len(doubtful) <= 0.05 * len(outcomes), doubtful
    assert {o.verdict for o in outcomes} <= {"within", "inconclusive"}


@pytest.mark.parametrize(("name", "dose"), [("parity", 0.0), ("workforce", 1.0)])
def test_skew_and_stereotype_are_the_planted_ones(name, dose, request):
    for reading in read_pronouns(request.getfixturevalue(name), World(dose)):
        assert reading.skew.measured == pytest.approx(reading.skew.planted, abs=0.03)
        assert reading.stereotype.measured == pytest.approx(reading.stereotype.planted, abs=0.03)
        assert reading.f1 > 0.95  # it can tell whom a pronoun means


def test_every_sentence_of_the_workforce_standard_has_its_planted_pronoun(workforce):
    planted = planted_gaps(World(1.0), "T1")
    gaps = biascheck.measures.pronoun_gap(workforce, biascheck.corpora.winograd("T1"))
    errors = np.array([item.score - planted[item.id] for item in gaps.items])
    assert len(errors) == 480
    assert np.sqrt(np.mean(errors**2)) < 0.05


def test_a_gate_fails_on_the_workforce_with_a_readable_finding(workforce_gaps):
    women = workforce_gaps.where(profession_group="female")
    with pytest.raises(BiasAssertionError) as caught:
        biascheck.assert_association_within(women, margin=0.5)
    finding = str(caught.value)
    assert finding.startswith("association on reference:workforce × bec-pro-en (profession_group=female): −2.")
    assert "exceeds margin 0.50; largest: " in finding
    assert "(900 pairs, seed 0)" in finding


def test_the_other_measures_see_the_workforce(workforce, workforce_gaps):
    assert biascheck.measures.workforce_correlation(workforce_gaps).estimate < -0.9
    assert biascheck.measures.effect_size(workforce, sided_bec_pro()).estimate > 1.8


OCCUPATIONS = ("bec-pro-en", "winograd", "titles")
"""Corpora whose attributes are occupations."""
UNPLANTED = (": skew", "balanced")
"""Not planted at dose 1: one pronoun for everyone, and a gap in jobs that women and men hold alike."""


def test_the_suites_fault_the_workforce_for_its_professions_only_under_standard():
    outcomes = gate_outcomes(run_of_suites("reference:workforce", SERVED_SUITES, suites_home()))
    concerned = [
        o for o in outcomes if any(w in o.gate for w in OCCUPATIONS) and not any(w in o.gate for w in UNPLANTED)
    ]
    exceeding = [o for o in concerned if o.verdict == "exceeds"]
    assert len(concerned) >= 14
    assert len(exceeding) >= 0.8 * len(concerned), [o for o in concerned if o.verdict != "exceeds"]
    assert {o.gate for o in outcomes if o.verdict == "exceeds"} <= {o.gate for o in concerned}
