"""What would decide an inconclusive gate, and which profiles a result meets."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from biascheck.core.errors import BiasAssertionError
from biascheck.gates.check import assert_within_margin
from biascheck.gates.families import recording
from biascheck.gates.gate import ProfileVerdict, beside, profiles_text, to_decide
from biascheck.stats import Interval, Verdict
from support.handmade import gate_of, items_of, result_of

DOUBT = gate_of(Verdict.INCONCLUSIVE, estimate=0.1, interval=Interval(-0.1, 0.3, 0.95, ""), margin=0.2, clusters=50)
EDGE = "the figure lies at the edge of the margin, where more data would hardly help"


def wants(**changes):
    """The number of clusters that would decide, and the verdict they would give."""
    words = to_decide(replace(DOUBT, **changes)).split()
    return int(words[0].replace(",", "")), " ".join(words[words.index("would") + 1 :]).partition(",")[0]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, (220, "be within")),  # 0.2 wide towards an edge 0.1 away: (0.2 / 0.1)² · 1.1 times 50
        ({"estimate": -0.1, "interval": Interval(-0.3, 0.1, 0.95, "")}, (220, "be within")),
        ({"estimate": 0.3, "interval": Interval(0.1, 0.5, 0.95, "")}, (220, "exceed")),
        ({"estimate": -0.3, "interval": Interval(-0.5, -0.1, 0.95, "")}, (220, "exceed")),
        # no end crosses the nearest edge, and the other one does: 0.3 wide, 0.2 away, (3 / 2)² · 1.1 times 50
        ({"estimate": 0.0, "interval": Interval(-0.3, 0.15, 0.95, "")}, (124, "be within")),
        ({"bound": "below", "estimate": 0.1}, (220, "be within")),
        # far below the bound of what is only bad when large, with an end above it
        ({"bound": "below", "estimate": -0.2, "interval": Interval(-9.0, 0.6, 0.95, "")}, (220, "be within")),
        ({"bound": "below", "estimate": 0.3, "interval": Interval(0.1, 0.5, 0.95, "")}, (220, "exceed")),
        ({"parity": 0.5, "estimate": 0.6, "interval": Interval(0.4, 0.8, 0.95, "")}, (220, "be within")),
        # of a family of two what exceeds does so at 97.5 %: 2.2414 / 1.9600 times as wide; (2.2872)² · 1.1 times 50
        ({"estimate": 0.3, "interval": Interval(0.1, 0.5, 0.95, ""), "family": 2}, (288, "exceed")),
        ({"family": 2}, (220, "be within")),
        # outside if judged alone, by so much that the rule would ask for fewer than there are
        ({"estimate": 0.4, "interval": Interval(0.21, 0.59, 0.95, ""), "family": 1}, (51, "exceed")),
    ],
)
def test_the_number_of_clusters_by_hand(changes, wanted):
    assert wants(**changes) == wanted


@pytest.mark.parametrize("estimate", [0.2, -0.2, 0.2001, 0.1999])
def test_at_the_edge_more_data_hardly_decide(estimate):
    gate = replace(DOUBT, estimate=estimate, interval=Interval(estimate - 0.2, estimate + 0.2, 0.95, ""))
    assert to_decide(gate) == EDGE


def test_what_else_may_be_missing():
    assert to_decide(replace(DOUBT, interval=None, clusters=3)) == "at least 5 clusters; there are 3"
    shy = replace(DOUBT, skipped=900, most_skipped=0.2)
    assert to_decide(shy) == "score more of the pairs: at most 20% may be skipped"
    for verdict in (Verdict.WITHIN, Verdict.EXCEEDS, Verdict.INVALID):
        assert to_decide(replace(DOUBT, verdict=verdict)) == ""
    assert to_decide(DOUBT) == "220 clusters instead of 50 would be within, if the figure stays at 0.10"


def judged(scores, margin):
    """The gate of clusters with these scores."""
    heard = []
    result = result_of(items_of({f"job{n}": [float(score)] for n, score in enumerate(scores)}))
    with recording(lambda gate, _: heard.append(gate)), suppress(BiasAssertionError):
        assert_within_margin(result, margin, family=1)
    return heard[0]


def drawn(rng, clusters, centre):
    """Normal clusters with this mean and deviation 1: the figure stays where it is, and so does the spread."""
    scores = rng.normal(size=clusters)
    return (scores - scores.mean()) / scores.std(ddof=1) + centre


@pytest.mark.takes_seconds
@pytest.mark.parametrize(("centre", "verdict"), [(0.1, Verdict.WITHIN), (0.35, Verdict.EXCEEDS)])
def test_so_many_clusters_decide_and_two_thirds_of_them_do_not(centre, verdict):
    rng = np.random.default_rng(4)
    decided = {1.0: 0, 2 / 3: 0}
    for _ in range(50):
        gate = judged(drawn(rng, 30, centre), 0.2)
        assert gate.verdict is Verdict.INCONCLUSIVE
        wanted = int(to_decide(gate).split()[0].replace(",", ""))
        for share in decided:
            decided[share] += judged(drawn(rng, round(share * wanted), centre), 0.2).verdict is verdict
    assert decided[1.0] >= 40
    assert decided[2 / 3] <= 10


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((), ""),
        (("within", "within"), "meets all profiles"),
        (("inconclusive", "within"), "meets watch, not strict"),
        (("exceeds", "inconclusive"), "meets no profile (strict, watch)"),
    ],
)
def test_the_profiles_in_words(verdicts, words):
    pairs = zip(("strict", "watch"), verdicts, strict=False)
    profiles = tuple(ProfileVerdict(name, 0.2, Verdict(verdict)) for name, verdict in pairs)
    gate = replace(DOUBT, verdict=Verdict.EXCEEDS, profiles=profiles)
    assert profiles_text(gate) == beside(gate) == words
    assert profiles_text(replace(gate, verdict=Verdict.INVALID)) == ""
    assert gate.met_profiles == tuple(one.profile for one in profiles if one.verdict is Verdict.WITHIN)


def test_beside_a_doubt_are_its_profiles_its_power_and_what_would_decide():
    # the standard error is 0.2 / 1.96 = 0.102; 0.2 lies 1.96 errors away: a power of one half
    gate = replace(DOUBT, profiles=(ProfileVerdict("watch", 0.4, Verdict.WITHIN),))
    assert beside(gate) == (
        "meets all profiles; power at the margin 0.50; "
        "to decide: 220 clusters instead of 50 would be within, if the figure stays at 0.10"
    )
    assert beside(replace(gate, profiles=(), interval=None)) == "to decide: at least 5 clusters; there are 50"


def test_each_profile_is_judged_by_its_own_margin():
    scores = drawn(np.random.default_rng(0), 400, 0.25)
    result = result_of(items_of({f"job{n}": [float(score)] for n, score in enumerate(scores)}))
    low, high = result.interval.low, result.interval.high
    profiles = {"strict": low - 0.01, "standard": 0.25, "watch": high + 0.01}
    gate = assert_within_margin(result, profiles["watch"], profile="watch", profiles=profiles, family=1)
    assert [(one.profile, one.margin, str(one.verdict)) for one in gate.profiles] == [
        ("strict", low - 0.01, "exceeds"),
        ("standard", 0.25, "inconclusive"),
        ("watch", high + 0.01, "within"),
    ]
    assert (gate.profile, gate.margin, gate.met_profiles) == ("watch", high + 0.01, ("watch",))
    assert profiles_text(gate) == "meets watch, not strict, standard"
