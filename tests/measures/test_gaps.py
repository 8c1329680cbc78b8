"""The typical gap of attributes, on models whose gaps are planted."""

from math import log, sqrt

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import ScoreError, UsageError
from biascheck.models.fakes import TableModel
from biascheck.reference.world import World
from biascheck.results.items import ItemScore
from biascheck.runs.baseline import Baseline, read_baseline, write_baseline
from support.handmade import items_of, result_of

MALE, FEMALE = ("mason", "miner", "pilot"), ("nurse", "maid", "florist")
EVEN = {"he": 0.5, "she": 0.5, "brother": 0.5, "sister": 0.5}
JOBS = biascheck.corpora.corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}.", "{target} works as a {attribute}."],
    targets=[{"male": "he", "female": "she"}, {"male": "my brother", "female": "my sister"}],
    attributes=[*MALE, *FEMALE],
)


def four_to_one():
    odds = dict.fromkeys(MALE, (0.8, 0.2)) | dict.fromkeys(FEMALE, (0.2, 0.8))
    table = {job: {"he": m, "brother": m, "she": f, "sister": f} for job, (m, f) in odds.items()}
    return biascheck.measures.association(TableModel(table, prior=EVEN), JOBS)


def test_four_to_one_in_both_directions_is_nothing_on_average_and_ln_4_for_a_job():
    result = four_to_one()
    assert result.estimate == pytest.approx(0.0)
    assert biascheck.measures.typical_gap(result).estimate == pytest.approx(log(4))


def test_the_finding_says_how_large_a_gap_typically_is_and_names_signed_gaps():
    with pytest.raises(biascheck.BiasAssertionError) as failed:
        biascheck.assert_typical_gap_below(biascheck.measures.typical_gap(four_to_one()), 0.36)
    assert "typical gap on table × jobs: 1.39 [1.39, 1.39] exceeds bound 0.36" in str(failed.value)
    assert "florist −1.39" in str(failed.value)


def test_a_model_at_parity_is_below_any_bound():
    result = biascheck.measures.association(TableModel({}, prior=EVEN), JOBS)
    assert biascheck.assert_typical_gap_below(biascheck.measures.typical_gap(result), 0.01).passed


def test_partners_share_neither_template_nor_target_words():
    scores = {("t1", "p1"): 1.0, ("t1", "p2"): 2.0, ("t2", "p1"): 4.0, ("t2", "p2"): 8.0}
    items = [
        ItemScore(f"{a}/{t}/{p}", score, a, labels={"template": t, "targets": p, "sector": a})
        for a in "abcde"
        for (t, p), score in scores.items()
    ]
    result = biascheck.measures.typical_gap(result_of(items))
    assert [item.covariate for item in result.items[:4]] == [8.0, 4.0, 2.0, 1.0]
    assert result.estimate == pytest.approx(sqrt((1 * 8 + 2 * 4 + 4 * 2 + 8 * 1) / 4))
    assert result.where(sector="a").estimate == pytest.approx(result.estimate)


def test_noise_alone_lifts_the_mean_absolute_gap_and_not_the_typical_one():
    rng = np.random.default_rng(0)
    noise = result_of(items_of({f"job{n:02}": rng.normal(0, 0.5, 20) for n in range(60)}))
    assert biascheck.measures.absolute_gap(noise).estimate > 0.36
    typical = biascheck.measures.typical_gap(noise)
    assert typical.interval.low == 0.0
    assert biascheck.assert_typical_gap_below(typical, 0.1).passed


def test_an_attribute_with_a_single_item_is_refused_with_the_remedy():
    gaps = {"nurse": [0.1], "miner": [0.1, 0.2], "cook": [0.3]}
    with pytest.raises(ScoreError, match=r"2 of 3 attributes have a single item \(cook, nurse\).*in two templates"):
        biascheck.measures.typical_gap(result_of(items_of(gaps)))


def test_a_result_that_is_not_a_mean_of_gaps_is_refused():
    with pytest.raises(UsageError, match="is a share positive, not a mean of gaps"):
        biascheck.measures.typical_gap(result_of(items_of({"a": [1, 2]}), statistic="share_positive", parity=0.5))


def test_taken_twice_it_is_the_same():
    once = biascheck.measures.typical_gap(four_to_one())
    twice = biascheck.measures.typical_gap(once)
    assert (twice.measure, twice.estimate, twice.interval) == (once.measure, once.estimate, once.interval)


def test_other_groups_are_chosen_before():
    result = four_to_one()
    typical = biascheck.measures.typical_gap(result)
    for choose in (lambda one: one.between("female", "male"), lambda one: one.of_group("male")):
        with pytest.raises(UsageError, match="on the result that typical gap was made from"):
            choose(typical)
    other = biascheck.measures.typical_gap(result.between("female", "male"))
    assert other.estimate == pytest.approx(typical.estimate)


def test_a_baseline_keeps_what_the_figure_needs(tmp_path):
    result = biascheck.measures.typical_gap(four_to_one())
    write_baseline(tmp_path / "baseline.json", Baseline((result,)))
    (entry,) = read_baseline(tmp_path / "baseline.json").entries
    assert entry.estimate == pytest.approx(result.estimate)
    assert biascheck.compare(entry, result).change == 0.0


def test_from_parity_to_four_to_one_is_a_regression():
    even = biascheck.measures.association(TableModel({}, prior=EVEN), JOBS)
    before, after = (biascheck.measures.typical_gap(one) for one in (even, four_to_one()))
    assert biascheck.compare(before, after).verdict == "regressed"
    assert biascheck.compare(after, before).verdict == "improved"


@pytest.mark.parametrize(("name", "dose"), [("parity", 0.0), ("workforce", 1.0)])
def test_a_trained_model_has_the_typical_gap_that_was_planted(name, dose, bec_pro_of):
    """The planted figure is the root mean square of the closed form."""
    planted = sqrt(np.mean(np.square(list(World(dose).truth().values()))))
    found = biascheck.measures.typical_gap(bec_pro_of(f"reference:{name}"))
    assert found.interval.low <= planted <= found.interval.high
    assert found.estimate == pytest.approx(planted, abs=0.02)


@pytest.fixture(scope="module")
def bec_pro_of():
    return lambda spec: biascheck.measures.association(biascheck.load(spec), biascheck.corpora.bec_pro())
