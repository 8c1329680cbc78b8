"""Two results compared: matching, errors, and the wording of the change."""

from dataclasses import replace

import numpy as np
import pytest

from biascheck import compare
from biascheck.core.errors import UsageError
from biascheck.results.compare import compare_all
from biascheck.stats import Change
from support.handmade import PROVENANCE, items_of, result_of

JOBS = [f"job{n:02d}" for n in range(20)]


def gaps(centre, seed=0, noise=0.5):
    """Twenty jobs with three gaps each; the same seed leans the same way."""
    return {
        job: list(row)
        for job, row in zip(JOBS, centre + np.random.default_rng(seed).normal(0, noise, (20, 3)), strict=True)
    }


def result(centre, draw=0, noise=0.5, **fields):
    return result_of(items_of(gaps(centre, draw, noise)), **fields)


def shifted(before, by, **fields):
    """The same answers, each moved by the same amount."""
    items = [replace(item, score=item.score + by) for item in before.items]
    return result_of(items, **{"model": "later", **fields})


def test_a_result_moved_by_a_known_amount_has_regressed_by_it():
    before = result(1.0)
    found = compare(before, shifted(before, 0.25))
    assert found.verdict is Change.REGRESSED
    assert found.change == pytest.approx(0.25)
    assert (found.interval.low, found.interval.high) == (pytest.approx(0.25), pytest.approx(0.25))
    assert (found.before, found.after) == (pytest.approx(before.estimate), pytest.approx(before.estimate + 0.25))


@pytest.mark.parametrize(
    ("centre", "by", "verdict"),
    [
        (1.0, -0.25, Change.IMPROVED),
        (-1.0, 0.25, Change.IMPROVED),
        (-1.0, -0.25, Change.REGRESSED),
        (2.0, -4.2, Change.REGRESSED),  # past parity and out on the other side, if the mean gap is below 2.1
    ],
)
def test_what_counts_is_the_distance_from_parity(centre, by, verdict):
    before = result(centre, noise=0.1)
    assert compare(before, shifted(before, by)).verdict is verdict


@pytest.mark.parametrize(
    ("before", "after", "parity", "verdict"),
    [
        (240, 320, 0.5, Change.REGRESSED),
        (320, 240, 0.5, Change.IMPROVED),
        (160, 80, 0.5, Change.REGRESSED),  # a share below parity that falls is further away
        (80, 160, 0.5, Change.IMPROVED),
        (320, 240, 1.0, Change.REGRESSED),  # an accuracy that falls
        (240, 320, 1.0, Change.IMPROVED),
        (40, 160, 0.0, Change.REGRESSED),  # a share that should be zero, and comes closer to one half
        (190, 320, 0.5, Change.REGRESSED),  # from just below parity to far above it
    ],
)
def test_a_share_is_judged_by_its_distance_from_parity_on_either_side(before, after, parity, verdict):
    """Of 400 items in clusters of their own so many are positive, first and then."""
    share = {"statistic": "share_positive", "parity": parity, "measure": "share"}
    earlier, later = (
        result_of(items_of({f"i{n}": [1.0 if n < count else -1.0] for n in range(400)}), **share)
        for count in (before, after)
    )
    found = compare(earlier, replace(later, model="later"))
    assert found.change == pytest.approx(abs(after / 400 - parity) - abs(before / 400 - parity))
    assert found.interval.contains(found.change)
    assert found.verdict is verdict


def test_parity_need_not_be_zero():
    items = items_of({job: [1.0 if n < 18 else -1.0] for n, job in enumerate(JOBS)})
    flipped = [replace(item, score=-1.0) if n < 8 else item for n, item in enumerate(items)]
    before, after = (result_of(one, statistic="share_positive", parity=0.5) for one in (items, flipped))
    found = compare(before, after)
    assert (found.before, found.after, found.change) == (0.9, 0.5, pytest.approx(-0.4))
    assert found.verdict is Change.IMPROVED
    assert found.interval.method == "paired shares, Agresti and Min"


def test_the_same_scores_are_no_worse_without_tolerance():
    before = result(1.0)
    found = compare(before, replace(before, model="copy"))
    assert (found.verdict, found.change) == (Change.NO_WORSE, 0.0)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_the_same_scores_of_too_few_clusters_show_nothing():
    few = result_of(items_of({job: [1.0] for job in JOBS[:4]}))
    found = compare(few, replace(few, model="copy"))
    assert (found.interval, found.passed, found.change) == (None, False, 0.0)


def test_rounding_of_another_machine_is_no_change():
    before = result(1.0)
    assert compare(before, shifted(before, 9e-6)).verdict is Change.NO_WORSE
    assert compare(before, shifted(before, 9e-5)).verdict is Change.REGRESSED


def test_a_score_that_moved_by_exactly_the_rounding_is_no_change():
    before = result_of(items_of({job: [0.0] for job in JOBS}))
    found = compare(before, shifted(before, 1e-5))
    assert (found.verdict, found.change) == (Change.NO_WORSE, 0.0)
    assert found.interval.method == "no score differs by more than 1e-05"
    moved = compare(before, shifted(before, 1.1e-5))
    assert (moved.verdict, moved.change) == (Change.REGRESSED, pytest.approx(1.1e-5))


def test_a_ratio_moves_with_its_denominators_alone():
    items = [replace(item, covariate=2.0) for item in result(1.0, noise=0.1).items]
    before = result_of(items, statistic="ratio")
    after = result_of([replace(item, covariate=1.0) for item in items], statistic="ratio", model="later")
    found = compare(before, after)
    assert found.verdict is Change.REGRESSED
    assert found.after == pytest.approx(2 * found.before)


def test_a_tolerated_change_is_no_worse():
    before = result(1.0)
    assert compare(before, shifted(before, 0.25), tolerance=0.3).verdict is Change.NO_WORSE
    assert compare(before, shifted(before, 0.25), tolerance=0.2).verdict is Change.REGRESSED


def test_items_are_matched_by_id_in_any_order():
    before, after = result(1.0), shifted(result(1.0), 0.25)
    mixed = result_of(after.items[::-1], model="later")
    assert compare(before, mixed) == compare(before, after)


def test_only_items_of_both_results_count_and_the_others_are_named():
    before = result(1.0)
    after = result_of([*shifted(before, 0.25).items[3:], replace(before.items[0], id="new/0", score=9.0)])
    found = compare(before, after)
    assert found.unmatched == ("job00/0", "job00/1", "job00/2", "new/0")
    assert (found.n, found.clusters) == (57, 19)
    assert found.change == pytest.approx(0.25)
    assert "57 pairs, 4 in one result only" in found.finding
    assert found.warnings == ()


def test_many_unmatched_items_are_a_caution():
    before = result(1.0)
    found = compare(before, result_of(before.items[:30]))
    assert found.warnings == ("30 of 60 pairs are in one of the two results only",)


def test_results_without_a_shared_item_are_refused():
    before = result(1.0)
    after = result_of([replace(item, id=f"other {item.id}") for item in before.items])
    with pytest.raises(UsageError, match="share no item"):
        compare(before, after)


def test_few_clusters_are_inconclusive_without_an_interval():
    before = result_of(items_of({"nurse": [1.0, 1.1], "judge": [1.2]}))
    found = compare(before, shifted(before, 0.5))
    assert (found.verdict, found.interval) == (Change.INCONCLUSIVE, None)
    assert "cannot be judged: too few clusters for an interval" in found.finding


def test_five_clusters_have_an_interval_and_four_have_none():
    before = result(1.0)
    five, four = (result_of([item for item in before.items if item.cluster in JOBS[:n]]) for n in (5, 4))
    assert compare(five, shifted(five, 0.5)).interval is not None
    assert compare(four, shifted(four, 0.5)).interval is None


def test_shares_of_clusters_with_several_items_are_means_of_clusters():
    before = result(0.2, statistic="share_positive", parity=0.5)
    found = compare(before, shifted(before, 0.3, statistic="share_positive", parity=0.5))
    assert found.interval.method == "paired Student's t over 20 clusters, corrected for skewness"


def test_a_side_with_one_cluster_has_no_interval():
    items = [replace(item, side="B" if item.cluster == "job00" else "A") for item in result(1.0).items]
    before = replace(result(1.0), items=tuple(items), statistic="standardised_difference")
    after = replace(before, items=tuple(replace(item, score=item.score**2) for item in items))
    found = compare(before, after)
    assert (found.verdict, found.interval) == (Change.INCONCLUSIVE, None)


def test_who_moved_most_comes_first():
    before = result(1.0)
    after = result_of(
        [
            replace(item, score=item.score + {"job07": 2.0, "job03": -1.0}.get(item.cluster, 0.1))
            for item in before.items
        ]
    )
    moves = compare(before, after).moves
    assert [move.name for move in moves[:2]] == ["job07", "job03"]
    assert [move.change for move in moves[:3]] == pytest.approx([2.0, -1.0, 0.1])
    assert len(moves) == 20


def test_a_finding_is_one_sentence():
    before = result_of(items_of({f"job{n}": [1.0] for n in range(8)}), model="base")
    finding = compare(before, shifted(before, 0.5)).finding
    assert finding == (
        "association on base → later × jobs: 1.00 → 1.50, further from parity by +0.50 [0.50, 0.50], beyond no change: "
        "regressed; moved most: job0 +1.00 → +1.50, job1 +1.00 → +1.50, job2 +1.00 → +1.50 (8 pairs, seed 0)"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"measure": "pronoun gap"}, "'association' and the other 'pronoun gap'; compare results of one measure"),
        ({"corpus": "traits"}, "on 'jobs' and the other on 'traits'; compare results on one corpus"),
        ({"slice": (("home", "north"),)}, "on 'jobs' and the other on 'jobs (home=north)'; compare the same part"),
        ({"seed": 3}, "seed 0 and seed 3; run again with --bias-seed 0"),
        ({"parity": 0.5}, "parity is 0.0 in one and 0.5 in the other"),
        ({"statistic": "mean_absolute"}, "statistic is 'mean' in one and 'mean_absolute' in the other"),
        ({"contrast": ("female", "male")}, "contrast is"),
        (
            {"provenance": replace(PROVENANCE, corpus_fingerprint="d" * 64)},
            "the corpus of that name has changed between them; measure both on the same corpus",
        ),
        (
            {"provenance": replace(PROVENANCE, measure_version=2)},
            "version 1 of the measure gave one and version 2 the other; measure both again with one release",
        ),
        (
            {"provenance": replace(PROVENANCE, options={"multi_token": "first", "contrast": ("male", "female")})},
            "option multi_token is 'joint' in one and 'first' in the other; use the same",
        ),
    ],
)
def test_other_questions_are_refused_with_the_reason(changes, reason):
    before = result(1.0)
    with pytest.raises(UsageError, match="cannot be compared") as refused:
        compare(before, result(1.2, **changes))
    assert reason in str(refused.value)


def test_another_cluster_of_the_same_item_is_refused():
    before = result(1.0)
    after = result_of(
        [replace(item, cluster="one") if n == 0 else item for n, item in enumerate(shifted(before, 1).items)]
    )
    with pytest.raises(UsageError, match="group the same items differently; measure both again"):
        compare(before, after)


def test_libraries_and_models_may_differ():
    other = replace(PROVENANCE, model_fingerprint="n" * 64, versions={"python": "3.13"}, created="2025")
    assert compare(result(1.0), result(1.0, model="other", provenance=other)).verdict is Change.NO_WORSE


@pytest.mark.takes_seconds
def test_a_family_is_corrected_together():
    noisy = [(result(1.0, draw), result(1.0, draw + 100)) for draw in range(40)]
    alone = [compare(*pair).verdict for pair in noisy]
    together = [comparison.verdict for comparison in compare_all(noisy)]
    assert Change.REGRESSED in alone
    assert Change.REGRESSED not in together
    before = result(1.0)
    *_, last = compare_all([*noisy, (before, shifted(before, 0.3))])
    assert last.verdict is Change.REGRESSED
    assert last.family == 41
    assert "one of 41 comparisons" in last.finding


def test_no_pairs_are_no_comparisons():
    assert compare_all([]) == ()


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_that_is_no_share_is_refused(level):
    with pytest.raises(UsageError, match=r"95 % is level=0\.95"):
        compare(result(1.0), result(1.1), level=level)
