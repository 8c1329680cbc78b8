"""Default tolerances of measures: the smallest change that matters in the unit of each."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

import biascheck
from biascheck import compare
from biascheck.core.errors import ResultError, UsageError
from biascheck.gates.changes import assert_no_regression, assert_reduced
from biascheck.measures.measure import catalogue
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.compare import compare_all
from biascheck.results.definition import Description
from biascheck.results.items import ItemScore
from biascheck.runs.baseline import Baseline, compare_with_baseline, read_baseline, write_baseline
from biascheck.stats import Change
from support.handmade import items_of, result_of, spread

DESCRIPTIONS = {entry.description.name: entry.description for entry in catalogue()}
OF_DEFAULT_MODEL = Path(__file__).resolve().parents[2] / "baselines" / "minilm-mlm.json"


def stated(change, **fields):
    return result_of(items_of(spread(1.0, 0.5, 20)), description=Description("mine", smallest_change=change), **fields)


def moved(before, by):
    return replace(before, items=tuple(replace(item, score=item.score + by) for item in before.items), model="later")


def noisy(before, size, rng):
    """The same answers but for noise of this many units: standard deviations where the figure has no unit of scores."""
    scores = np.array([item.score for item in before.items])
    unit = scores.std() if before.statistic in ("standardised_difference", "spearman", "pearson") else 1.0
    found = scores + rng.normal(0, size * unit, scores.size)
    items = (replace(item, score=float(score)) for item, score in zip(before.items, found, strict=True))
    return replace(before, items=tuple(items))


@pytest.fixture(scope="module")
def baseline():
    return read_baseline(OF_DEFAULT_MODEL)


def described(entries):
    """Entries of a baseline as a run measures them: with the words of their measures."""
    words = {**DESCRIPTIONS, "absolute gap": DESCRIPTIONS["association"]}  # of which it is made in the suites
    return [replace(entry, description=words[entry.measure]) for entry in entries]


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_every_shipped_measure_states_its_smallest_change_and_why(name):
    what = DESCRIPTIONS[name]
    inherited = not what.unit  # counted in the unit of its source
    assert (what.smallest_change is None) == inherited
    assert bool(what.smallest_change_reason) != inherited
    assert inherited or 0 < what.smallest_change <= 0.2


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("association", round(log(1.1), 3)),  # the odds change by a tenth
        ("held-out loss", round(log(1.02), 2)),  # the perplexity grows by two per cent
        ("WEAT", 0.2),
        ("workforce correlation", 0.1),
        ("positive share", 1 / 20),
    ],
)
def test_the_stated_change_is_what_its_reason_says(name, change):
    assert DESCRIPTIONS[name].smallest_change == pytest.approx(change)


def test_a_tenth_of_the_odds_is_what_association_tolerates():
    assert exp(DESCRIPTIONS["association"].smallest_change) == pytest.approx(1.1, abs=0.001)


@pytest.mark.parametrize(
    ("change", "by", "verdict"),
    [
        (0.1, 0.09, Change.NO_WORSE),
        (0.1, 0.11, Change.REGRESSED),
        (None, 0.001, Change.REGRESSED),
        (0.0, 0.001, Change.REGRESSED),
        (0.1, -0.001, Change.IMPROVED),
    ],
)
def test_a_comparison_tolerates_what_its_measure_states(change, by, verdict):
    before = stated(change)
    found = compare(before, moved(before, by))
    assert (found.verdict, found.tolerance) == (verdict, change or 0.0)


def test_a_tolerance_that_is_given_applies_to_all():
    small, large = stated(0.1), stated(0.5, corpus="traits")
    pairs = [(small, moved(small, 0.3)), (large, moved(large, 0.3))]
    assert [(one.verdict, one.tolerance) for one in compare_all(pairs)] == [
        (Change.REGRESSED, 0.1),
        (Change.NO_WORSE, 0.5),
    ]
    assert {(one.verdict, one.tolerance) for one in compare_all(pairs, tolerance=0.4)} == {(Change.NO_WORSE, 0.4)}
    assert {(one.verdict, one.tolerance) for one in compare_all(pairs, tolerance=0)} == {(Change.REGRESSED, 0)}


def test_the_words_name_the_tolerance_of_each_row():
    before = stated(0.1)
    within, beyond = (compare(before, moved(before, by)) for by in (0.05, 0.2))
    assert "+0.05 [0.05, 0.05]: no worse within tolerance 0.10" in within.finding
    assert "beyond tolerance 0.10: regressed" in beyond.finding
    assert within.moved_and_tolerated == "+0.05 [0.05, 0.05], tolerance 0.10"
    assert compare(before, moved(before, 0.05), tolerance=0).moved_and_tolerated == "+0.05 [0.05, 0.05]"


def test_a_description_of_either_result_is_enough():
    before, after = stated(0.1), moved(stated(None), 0.05)
    assert compare(before, after).tolerance == 0.1
    assert compare(moved(stated(None), 0.0), moved(before, 0.05)).tolerance == 0.1


def test_assertions_tolerate_what_the_measure_states():
    before = stated(0.1)
    assert assert_no_regression(moved(before, 0.09), before).tolerance == 0.1
    with pytest.raises(AssertionError, match=r"beyond no change: regressed"):
        assert_no_regression(moved(before, 0.09), before, 0.0)
    assert assert_reduced(before, moved(before, -0.01)).tolerance == 0.0


@pytest.mark.parametrize("change", [-0.1, float("nan"), float("inf")])
def test_a_change_that_cannot_be_tolerated_is_refused(change):
    with pytest.raises(UsageError, match=r"smallest_change=.* of 'mine' is not allowed; give 0 or a positive number"):
        Description("mine", smallest_change=change)


def test_a_stored_result_keeps_it_and_one_without_it_tolerates_nothing():
    document = result_to_dict(stated(0.1))
    assert result_from_dict(document).description.smallest_change == 0.1
    for field in ("smallest_change", "smallest_change_reason"):
        del document["description"][field]  # as releases before wrote it
    earlier = result_from_dict(document)
    assert (earlier.description.smallest_change, earlier.description.smallest_change_reason) == (None, "")
    assert compare(earlier, moved(earlier, 0.001)).verdict is Change.REGRESSED
    document["description"]["smallest_change"] = -1.0
    with pytest.raises(ResultError, match=r"smallest_change=-1\.0 .* is not allowed"):
        result_from_dict(document)


def test_an_entry_of_a_baseline_has_no_words_and_its_result_has(tmp_path):
    before = stated(0.1)
    write_baseline(tmp_path / "baseline.json", Baseline((before,)))
    read = read_baseline(tmp_path / "baseline.json")
    assert read.entries[0].description.smallest_change is None
    (found,) = compare_with_baseline(read, [moved(before, 0.09)]).comparisons
    assert (found.verdict, found.tolerance) == (Change.NO_WORSE, 0.1)


@pytest.mark.takes_seconds
@pytest.mark.parametrize("noise", [0.0, 1e-6])
def test_the_default_model_is_no_worse_than_itself(baseline, noise):
    rng = np.random.default_rng(0)
    found = compare_with_baseline(baseline, [noisy(one, noise, rng) for one in described(baseline.entries)]).comparisons
    assert len(found) == len(baseline.entries)
    assert {one.verdict for one in found} == {Change.NO_WORSE}


@pytest.mark.takes_seconds
def test_noise_of_a_thousandth_is_no_worse_for_almost_every_measure(baseline):
    one_of_each = {entry.measure: entry for entry in baseline.entries}
    before = Baseline(tuple(one_of_each.values()))
    rng = np.random.default_rng(0)
    found = compare_with_baseline(before, [noisy(one, 1e-3, rng) for one in described(before.entries)]).comparisons
    assert len(found) >= 15
    assert sum(one.verdict is Change.NO_WORSE for one in found) >= 0.95 * len(found)


def shares(by, _rng):
    """400 items, three in five of them positive, then more by a share of ``by``."""
    order = np.arange(400)
    return [np.where(order < 400 * share, 1.0, -1.0) for share in (0.6, 0.6 + by)]


def effects(by, rng):
    """100 items per side that differ by d = 0.5, then by 0.5 + ``by``.

    With the variance s² within both sides, d = shift / √(k (s² + shift² / 4)), where k = 200 / 199.
    """
    within, k = rng.permutation(np.linspace(-1, 1, 100)), 200 / 199
    shifts = [d * within.std() * np.sqrt(k / (1 - k * d * d / 4)) for d in (0.5, 0.5 + by)]
    return [np.concatenate([within + shift, within]) for shift in shifts]


def means(by, rng):
    """60 items around 1, then each of them further by about ``by``."""
    before = 1 + rng.normal(0, 0.2, 60)
    return [before, before + by * rng.normal(1, 0.2, 60)]


SIMULATED = {"mean": means, "mean_absolute": means, "share_positive": shares, "standardised_difference": effects}
"""Of the other statistics a known shift has no closed form."""


@pytest.mark.takes_seconds
@pytest.mark.parametrize(
    "name", [one for one, what in DESCRIPTIONS.items() if what.statistic in SIMULATED and what.unit]
)
def test_a_change_of_twice_the_smallest_regresses(name):
    what = DESCRIPTIONS[name]
    form = {"measure": name, "statistic": what.statistic, "parity": what.parity, "description": what}
    twice = SIMULATED[what.statistic](2 * what.smallest_change, np.random.default_rng(3))
    if what.parity == 1:  # a share that should be whole is worse where it falls
        twice.reverse()
    found = compare(*(result_of(each_alone(scores), **form) for scores in twice))
    assert found.change == pytest.approx(2 * what.smallest_change, rel=0.05)
    assert (found.verdict, found.tolerance) == (Change.REGRESSED, what.smallest_change)


def each_alone(scores):
    """Items in clusters of their own; the first half is on one side, the second on the other."""
    halves = ["A"] * (len(scores) // 2) + ["B"] * (len(scores) // 2)
    return [
        ItemScore(f"i{n}", float(score), f"c{n}", side=side)
        for n, (score, side) in enumerate(zip(scores, halves, strict=True))
    ]


@pytest.mark.takes_seconds
def test_a_model_that_follows_the_workforce_regresses_from_one_at_parity():
    """Gaps of both signs cancel in a mean over all jobs: by group, and in size, they do not."""
    jobs = biascheck.corpora.bec_pro().where(template="is-a")
    parity, workforce = (figures(biascheck.load(f"reference:{name}"), jobs) for name in ("parity", "workforce"))
    found = compare_with_baseline(Baseline(parity), workforce).comparisons
    assert [(one.verdict, one.tolerance) for one in found] == [(Change.REGRESSED, 0.095)] * 3
    again = compare_with_baseline(Baseline(parity), parity).comparisons
    assert [one.verdict for one in again] == [Change.NO_WORSE] * 3


def figures(model, jobs):
    gaps = biascheck.measures.association(model, jobs)
    groups = (gaps.where(profession_group=group) for group in ("female", "male"))
    return (biascheck.measures.absolute_gap(gaps), *groups)
