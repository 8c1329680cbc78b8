"""Results: finite, frozen, and summarised again without a model."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest

from biascheck.core.errors import ScoreError, UsageError
from biascheck.results.attachments import Facts
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Contributor
from biascheck.stats import Interval
from support.handmade import SKIPPED, items_of, result_of, spread

NOT_NUMBERS = [nan, inf, -inf]
SIX = {
    "nurse": [-1.0, -3.0],
    "plumber": [1.0, 2.0],
    "judge": [0.5, 0.0],
    "baker": [0.0, 1.0],
    "pilot": [0.25, 0.75],
    "mason": [1.0, 0.0],
}


def test_a_result_is_frozen():
    result = result_of(items_of(SIX), attachments=(Facts(facts={"note": 1}),))
    for thing, name in ((result, "estimate"), (result.items[0], "score"), (result.provenance, "variant")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 0)
    with pytest.raises(AttributeError):
        result.attachments[0].facts = {}


@pytest.mark.parametrize("again", [copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_a_result_can_be_copied_and_sent_to_another_process(again):
    result = result_of(items_of(SIX), attachments=(Facts(facts={"note": [1, 2]}),), skipped=(SKIPPED,))
    assert again(result) == result


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_a_score_that_is_no_number_never_gets_in(value):
    with pytest.raises(ScoreError, match=rf"item 'nurse/0' has the score {value}; only finite numbers"):
        ItemScore("nurse/0", value, "nurse")
    with pytest.raises(ScoreError, match=rf"item 'nurse/0' has the score {value}; only finite numbers"):
        ItemScore("nurse/0", 0.5, "nurse", {"male": 0.5, "female": value})
    with pytest.raises(ScoreError, match=rf"item 'nurse/0' has the covariate {value}; leave the item out"):
        ItemScore("nurse/0", 0.5, "nurse", covariate=value)


@pytest.mark.parametrize("value", NOT_NUMBERS)
@pytest.mark.parametrize("name", ["estimate", "parity", "p", "effect_size"])
def test_a_figure_that_is_no_number_never_gets_in(name, value):
    with pytest.raises(ScoreError, match=rf"association on tiny × jobs: {name} is {value}; only finite numbers"):
        replace(result_of(items_of(SIX)), **{name: value})


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_an_interval_without_ends_never_gets_in(value):
    with pytest.raises(ScoreError, match="is not finite"):
        Interval(value, 1.0, 0.95, "by hand")


def test_where_summarises_the_items_with_a_label():
    whole = result_of(items_of(SIX))
    assert whole.estimate == pytest.approx(2.5 / 12)
    first, second = whole.where(template="t0"), whole.where(template="t1")
    assert first.estimate == pytest.approx((-1.0 + 1.0 + 0.5 + 0.0 + 0.25 + 1.0) / 6)
    assert second.estimate == pytest.approx((-3.0 + 2.0 + 0.0 + 1.0 + 0.75 + 0.0) / 6)
    assert (first.n, first.clusters, first.corpus) == (6, 6, "jobs")
    assert (first.slice, first.corpus_label) == ((("template", "t0"),), "jobs (template=t0)")
    assert first.interval != whole.interval


def test_where_is_what_summarising_those_items_alone_gives():
    whole = result_of(items_of(SIX))
    alone = result_of([item for item in whole.items if item.labels["template"] == "t1"], slice=(("template", "t1"),))
    assert whole.where(template="t1") == alone


def test_where_needs_all_labels():
    items = [
        replace(item, labels={**item.labels, "cold": item.cluster in ("nurse", "judge")}) for item in items_of(SIX)
    ]
    part = result_of(items).where(template="t0", cold=True)
    assert [item.id for item in part.items] == ["nurse/0", "judge/0"]
    assert part.estimate == pytest.approx(-0.25)


def test_where_takes_the_skipped_items_along():
    other = Skipped("surgeon/1", "too long", {"template": "t1"})
    whole = result_of(items_of(SIX), skipped=(SKIPPED, other))
    assert whole.where(template="t1").skipped == (other,)


def test_an_unknown_label_names_the_values_there_are():
    with pytest.raises(UsageError) as error:
        result_of(items_of(SIX)).where(template="t9")
    assert str(error.value) == (
        "association on tiny × jobs: no item has {'template': 't9'}; values present: {'template': ['t0', 't1']}"
    )


def three_groups():
    groups = {"muslim": 1.0, "christian": 0.25, "jewish": -0.5}
    return result_of(
        [ItemScore(f"w{n}", 0.75, f"w{n}", {g: s * n for g, s in groups.items()}) for n in range(6)],
        contrast=("muslim", "christian"),
    )


def test_between_is_the_gap_of_two_other_groups():
    result = three_groups().between("christian", "jewish")
    assert result.contrast == ("christian", "jewish")
    assert [item.score for item in result.items] == pytest.approx([0.75 * n for n in range(6)])
    assert result.estimate == pytest.approx(0.75 * 2.5)


def test_between_turned_round_changes_the_sign():
    there, back = three_groups().between("muslim", "jewish"), three_groups().between("jewish", "muslim")
    assert back.estimate == -there.estimate
    assert (back.interval.low, back.interval.high) == (-there.interval.high, -there.interval.low)


def test_between_names_the_groups_there_are():
    with pytest.raises(UsageError, match=r"groups are \['christian', 'jewish', 'muslim'\], not 'hindu' and 'jewish'"):
        three_groups().between("hindu", "jewish")


def test_a_higher_level_gives_a_wider_interval():
    result = result_of(items_of(spread(0.3, 1.0)))
    levels = (0.5, 0.8, 0.95, 0.99, 0.999)
    intervals = [result.interval_at(level) for level in levels]
    assert [interval.level for interval in intervals] == list(levels)
    for narrow, wide in pairwise(intervals):
        assert wide.low < narrow.low < narrow.high < wide.high


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    scores = items_of(spread(0.3, 1.0))
    items = [replace(item, covariate=float(n * n % 7)) for n, item in enumerate(scores)]
    result = result_of(items, statistic="spearman")
    assert result.interval_at(0.95) == result.interval_at(0.95) == result.interval
    assert replace(result, seed=1).interval_at(0.95) != result.interval
    mean = result_of(scores)  # draws nothing
    assert replace(mean, seed=1).interval_at(0.95) == mean.interval


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5, -1, nan])
@pytest.mark.parametrize("clusters", [3, 10])
def test_a_level_that_is_no_level_is_refused(level, clusters):
    with pytest.raises(UsageError, match=r"is not between 0 and 1; 95 % is level=0\.95"):
        result_of(items_of(spread(0.3, 1.0, clusters))).interval_at(level)


@pytest.mark.parametrize(("clusters", "has_one"), [(1, False), (4, False), (5, True)])
def test_too_few_clusters_have_no_interval(clusters, has_one):
    gaps = {f"job{n}": [0.1 * n, 0.2, 0.3] for n in range(clusters)}
    result = result_of(items_of(gaps))
    assert (result.interval is not None) is has_one
    assert (result.interval_at(0.5) is not None) is has_one
    assert result.estimate == pytest.approx(np.mean(list(gaps.values())))


def test_offenders_are_the_clusters_furthest_from_zero():
    result = result_of(items_of(SIX))
    assert result.top_contributors(4) == (
        Contributor("nurse", -2.0),
        Contributor("plumber", 1.5),
        Contributor("baker", 0.5),  # baker, mason and pilot are level: by name
        Contributor("mason", 0.5),
    )
    assert len(result.top_contributors(99)) == 6


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (1.9, "nurse +1.90"),
        (-1.7, "nurse −1.70"),
        (0.0, "nurse +0.00"),
        (-0.0, "nurse +0.00"),
        (-0.002, "nurse −0.002"),
    ],
)
def test_an_offender_in_words(gap, text):
    assert str(Contributor("nurse", gap)) == text


def test_items_as_a_data_frame():
    frame = result_of(items_of({"nurse": [0.5, 0.1], "judge": [-0.2, 0.0]})).to_frame()
    assert list(frame.columns) == ["score", "cluster", "male", "female", "template"]
    assert frame.loc["nurse/1", "score"] == 0.1
    assert frame.groupby("cluster")["score"].mean()["nurse"] == pytest.approx(0.3)
