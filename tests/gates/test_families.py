"""Gates that are judged together: Holm's procedure on intervals, against the same procedure on p-values."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.gates.check import assert_all_within, assert_trade_off, assert_within_margin
from biascheck.gates.families import (
    ALONE,
    Family,
    checking_in,
    family_of_gate,
    outside_among,
    recording,
    settled,
    settled_together,
)
from biascheck.results.items import ItemScore
from biascheck.stats import Interval, Verdict
from support.handmade import gate_of, items_of, result_of, spread

EXCEEDS, INCONCLUSIVE, WITHIN = Verdict.EXCEEDS, Verdict.INCONCLUSIVE, Verdict.WITHIN
LEVEL, MARGIN = 0.95, 1.0


def normal_gate(estimate, size, *, level=LEVEL, name="jobs", passed=True):
    """The gate of a normal estimate with standard error 1 in a family, as the assertions judge it."""

    def is_outside(at):
        return abs(estimate) - stats.norm.ppf((1 + at) / 2) > MARGIN

    among = outside_among(is_outside, level, size)
    low, high = stats.norm.interval(level, estimate)
    alone = WITHIN if max(abs(low), abs(high)) <= MARGIN else EXCEEDS if among else INCONCLUSIVE
    verdict = INCONCLUSIVE if alone is EXCEEDS and among < size else alone
    return gate_of(
        verdict,
        passed=verdict is WITHIN or (verdict is INCONCLUSIVE and passed),
        estimate=estimate,
        interval=Interval(float(low), float(high), level, "normal"),
        margin=MARGIN,
        family=size,
        family_name=name,
        outside_among=among,
        offenders=(),
    )


def family(estimates, **options):
    return [normal_gate(estimate, len(estimates), **options) for estimate in estimates]


def verdicts(gates):
    return tuple(gate.verdict for gate in gates)


def holm_rejects(p, alpha):
    """Holm's procedure on p-values, step by step: (m − k) · p ≤ α for k = 0, 1, … until one fails."""
    rejected = set()
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[place] * (len(p) - step) >= alpha:
            break
        rejected.add(place)
    return rejected


def test_holm_by_hand():
    # Distances beyond the margin 1 in standard errors; Holm's limits for m = 3 are 2.394, 2.241, 1.960.
    gates = family([1 + 2.1, 1 + 2.5, -1 - 2.3])
    assert verdicts(gates) == (INCONCLUSIVE, EXCEEDS, INCONCLUSIVE)  # while the others are not known: Bonferroni
    assert verdicts(settled(gates)) == verdicts(settled_together(gates)) == (EXCEEDS, EXCEEDS, EXCEEDS)
    stopped = family([1 + 2.1, 1 + 2.35, -1 - 2.3])  # none reaches the first limit
    assert verdicts(settled(stopped)) == (INCONCLUSIVE,) * 3
    broken = family([1 + 2.1, 1 + 2.5, -1 - 2.2])  # the second fails, so the third may not
    assert verdicts(settled(broken)) == (INCONCLUSIVE, EXCEEDS, INCONCLUSIVE)


distances = st.lists(st.floats(-6, 6), min_size=1, max_size=9)


@given(distances, st.sampled_from([0.8, 0.95, 0.99]), st.randoms(use_true_random=False))
def test_a_settled_family_is_holm_on_the_p_values_that_the_intervals_invert(estimates, level, random):
    p = [2 * float(stats.norm.sf(abs(one) - MARGIN)) if abs(one) > MARGIN else 1.0 for one in estimates]
    if any(abs(k * value - (1 - level)) < 1e-9 for value in p for k in range(1, len(p) + 1)):
        return  # on the edge of a step rounding decides
    gates = family(estimates, level=level)
    found = settled(gates)
    rejected = holm_rejects(p, 1 - level)
    assert {place for place, gate in enumerate(found) if gate.verdict is EXCEEDS} == rejected
    assert {place for place, gate in enumerate(found) if not gate.passed} == rejected  # doubt is accepted here
    for before, after in zip(gates, found, strict=True):
        assert (before.verdict is WITHIN) == (after.verdict is WITHIN)
        assert before.verdict is not EXCEEDS or after == before
    places = random.sample(range(len(gates)), len(gates))
    assert settled([gates[place] for place in places]) == tuple(found[place] for place in places)


@pytest.mark.takes_seconds
def test_false_alarms_of_a_family_keep_to_the_level():
    # Ten true values on the edge of their margin: every EXCEEDS is a false alarm. Alone, each gate gives one in 2.5 %
    # of the runs; ten uncorrected ones give one in 1 − 0.975^10 = 22 %.
    generator = np.random.default_rng(12)
    simulations = 300
    drawn = generator.normal(MARGIN, size=(simulations, 10))
    together = sum(EXCEEDS in verdicts(settled(family(list(estimates)))) for estimates in drawn)
    alone = sum(EXCEEDS in [normal_gate(one, 1).verdict for one in estimates] for estimates in drawn)
    assert together <= stats.binom.ppf(0.999, simulations, 0.05)
    assert alone > stats.binom.ppf(0.999, simulations, 0.05)


def test_families_do_not_mix_and_a_stated_number_is_not_settled():
    one, other = family([1 + 2.1, 1 + 2.5, -1 - 2.3]), family([1 + 2.1, 1 + 2.35, -1 - 2.3], name="skills")
    stated = family([1 + 2.1, 1 + 2.5, -1 - 2.3], name="")
    found = settled([*one, *other, *stated])
    assert verdicts(found[:3]) == (EXCEEDS,) * 3
    assert found[3:] == (*other, *stated)


def test_what_was_not_judged_by_its_interval_stays_as_it_is():
    far, near = family([9.0, 1 + 2.1])
    for changes in ({"verdict": Verdict.INVALID, "passed": False}, {"skipped": 1000, "passed": False}):
        kept = replace(near, **changes)
        assert settled([far, kept]) == (far, kept)


def test_a_gate_that_its_family_shows_fails_and_says_so():
    far, near = settled(family([9.0, 1 + 2.1]))
    assert (near.verdict, near.passed) == (EXCEEDS, False)
    assert "exceeds margin 1.00" in near.finding
    assert far.passed is False


@pytest.mark.takes_seconds
@given(st.floats(-6, 6), st.integers(1, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_largest_family_is_the_one_that_counting_up_finds(estimate, largest, level):
    def is_outside(at):
        return abs(estimate) - stats.norm.ppf((1 + at) / 2) > MARGIN

    levels = [level, *(1 - (1 - level) / size for size in range(2, largest + 1))]
    assert outside_among(is_outside, level, largest) == sum(map(is_outside, levels))


def marginal():
    """A result that lies outside its margin at 95 %, and not at 97.5 %; with that margin."""
    result = result_of(items_of(spread(0.9, 1.0, 200)))
    return result, (result.interval_at(0.95).low + result.interval_at(0.975).low) / 2


def heard_from(assertion, *arguments, **options):
    heard = []
    with recording(lambda gate, _: heard.append(gate)), suppress(BiasAssertionError):
        assertion(*arguments, **options)
    return heard


def test_the_run_says_how_many_gates_there_are_and_an_assertion_may_say_otherwise():
    result, margin = marginal()
    with checking_in(Family("jobs", 2)):
        (counted,) = heard_from(assert_within_margin, result, margin)
        (stated,) = heard_from(assert_within_margin, result, margin, family=1)
        (strict,) = heard_from(assert_within_margin, result, margin, family=7)
    (outside,) = heard_from(assert_within_margin, result, margin, family=1)
    assert (counted.verdict, counted.family, counted.family_name, counted.outside_among) == (INCONCLUSIVE, 2, "jobs", 1)
    assert (stated.verdict, stated.family, stated.family_name) == (EXCEEDS, 1, "")
    assert (strict.verdict, strict.family, strict.family_name) == (INCONCLUSIVE, 7, "")
    assert outside == stated


def test_gates_that_one_test_judges_together_count_for_each_of_its_cases():
    result, margin = marginal()
    coins = [ItemScore(f"i{n}", 1.0 - n % 2 * 2, f"c{n}", side="AB"[n // 2 % 2]) for n in range(80)]
    skew, stereotype = (result_of(coins, measure=name, statistic=name) for name in ("skew", "stereotype"))
    with checking_in(Family("jobs", 3)):
        together = heard_from(assert_all_within, [result, result], margin)
        traded = heard_from(assert_trade_off, skew, stereotype, skew_bound=0.6, stereotype_bound=0.9)
    assert {(gate.family, gate.family_name) for gate in (*together, *traded)} == {(6, "jobs")}
    assert len(traded) == 2


@pytest.mark.parametrize("correction", ["bonferroni", "none"])
def test_another_correction_than_holm_is_not_settled_by_holm_at_the_end(correction):
    result, margin = marginal()
    far = replace(result_of(items_of(spread(9.0, 1.0))), corpus="far")
    with checking_in(Family("jobs", 1)):
        gates = heard_from(assert_all_within, [far, result], margin, correction=correction, inconclusive="warn")
        stepped = heard_from(assert_all_within, [far, result], margin, inconclusive="warn")
    assert verdicts(gates) == (EXCEEDS, INCONCLUSIVE if correction == "bonferroni" else EXCEEDS)
    assert settled(gates) == tuple(gates)
    assert verdicts(stepped) == (EXCEEDS, EXCEEDS)


@pytest.mark.parametrize("stated", [0, -1, True, 2.0, "3"])
def test_a_number_that_counts_nothing_is_refused(stated):
    with pytest.raises(UsageError, match=f"at least 1, not {stated!r}"):
        family_of_gate(stated)


def test_outside_of_a_run_a_gate_is_alone():
    with checking_in(ALONE):
        assert family_of_gate(None) == Family("", 1)
        with checking_in(Family("jobs", 4)):
            assert family_of_gate(None).times(2) == Family("jobs", 8)
        assert family_of_gate(None) == ALONE
