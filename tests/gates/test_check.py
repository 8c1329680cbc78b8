"""Assertions: an interval against a margin, and what is said about it."""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from biascheck.core.errors import BiasAssertionError, BiascheckWarning, InconclusiveWarning, UsageError
from biascheck.core.wording import level_text
from biascheck.gates.changes import assert_no_regression, assert_reduced, assert_utility_kept
from biascheck.gates.check import (
    assert_all_within,
    assert_association_within,
    assert_below,
    assert_effect_size_within,
    assert_share_within,
    assert_typical_gap_below,
    assert_within_margin,
)
from biascheck.gates.families import recording
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.items import ItemScore
from biascheck.results.published import PublishedFigure
from biascheck.runs.file import read_results, write_results
from biascheck.stats import Verdict, verdict_of
from support.handmade import SKIPPED, items_of, result_of, spread

PUBLISHED = PublishedFigure(0.83, "Bartl 2020", table="Table 5", model="BERT")
WIDE = result_of(items_of(spread(0.3, 1.0)))
CONSTANT = result_of(items_of({name: [0.41] for name in ("baker", "judge", "mason", "nurse", "pilot")}))
FEW = result_of(items_of(spread(0.0, 0.001, 3)))
SEVENTY = result_of(
    [ItemScore(f"w{n}", 1.0 if n < 70 else -1.0, f"w{n}") for n in range(100)],
    measure="positive share",
    statistic="share_positive",
    parity=0.5,
    unit="attributes",
)
SIDES = result_of(
    [ItemScore(f"w{n}", 0.2 * n, f"w{n}", side="AB"[n % 2]) for n in range(8)],
    measure="effect size",
    statistic="standardised_difference",
)


def failure(assertion, *args, **kwargs):
    with pytest.raises(BiasAssertionError) as error:
        assertion(*args, **kwargs)
    return str(error.value).splitlines()


def test_a_gate_that_holds_returns_its_finding():
    gate = assert_within_margin(CONSTANT, 0.5)
    assert gate.passed
    assert gate.finding == (
        "association on tiny × jobs: 0.41 [0.41, 0.41] is within margin 0.50; "
        "largest: baker +0.41, judge +0.41, mason +0.41 (5 pairs, seed 0)"
    )


def test_a_gate_that_is_exceeded_fails_with_its_finding_alone():
    assert failure(assert_within_margin, CONSTANT, 0.2) == [
        "association on tiny × jobs: 0.41 [0.41, 0.41] exceeds margin 0.20; "
        "largest: baker +0.41, judge +0.41, mason +0.41 (5 pairs, seed 0)"
    ]


def test_an_inconclusive_gate_fails_and_says_what_the_sample_could_have_found():
    # Wilson for 70 of 100: [0.60415, 0.78107]; its width is 2 · 1.96 · 0.04513, and (1.96 + 0.8416) · 0.04513 = 0.126.
    # The edge is 0.05 away, the end of the interval 0.09585: 1.1 · (0.09585 / 0.05)² = 4.042 times.
    assert failure(assert_share_within, SEVENTY, 0.15) == [
        "positive share on tiny × jobs: 0.70 [0.60, 0.78] is inconclusive: the interval crosses the margin 0.15 around "
        "0.50; largest: w0 +1.00, w1 +1.00, w10 +1.00 (100 attributes, seed 0)",
        "  to decide: 405 clusters instead of 100 would exceed, if the figure stays at 0.70; this sample detects 0.13 "
        "or more (power 0.8); or let an inconclusive gate pass with inconclusive='warn'",
    ]


def test_too_few_clusters_fail_and_say_how_many_are_needed():
    assert failure(assert_within_margin, FEW, 0.5) == [
        "association on tiny × jobs: 0.00 [no interval] is inconclusive: too few clusters for an interval; "
        "largest: job0 −0.001, job2 +0.001, job1 +0.00 (3 pairs, seed 0)",
        "  to decide: at least 5 clusters; there are 3",
    ]


def test_a_reason_and_cautions_follow_the_finding():
    shy = replace(CONSTANT, skipped=(SKIPPED,), warnings=("German marks gender",))
    assert failure(assert_within_margin, shy, 0.2, reason="agreed in May", published=PUBLISHED, family=3) == [
        "association on tiny × jobs: 0.41 [0.41, 0.41] exceeds margin 0.20; largest: baker +0.41, judge +0.41, "
        "mason +0.41; published: 0.83 (Bartl 2020, Table 5, BERT) (5 pairs, 1 skipped, one of 3 gates, seed 0)",
        "  margin: agreed in May",
        "  caution: German marks gender",
    ]


def test_more_skipped_items_than_allowed_fail_whatever_the_interval_says():
    shy = replace(CONSTANT, skipped=(SKIPPED,) * 2)
    assert failure(assert_within_margin, shy, 0.5, inconclusive="warn") == [
        "association on tiny × jobs: 0.41 [0.41, 0.41] cannot be judged: 2 of 7 pairs were skipped, e.g. 'she' is no "
        "word of this model; largest: baker +0.41, judge +0.41, mason +0.41 (5 pairs, 2 skipped, seed 0)",
        "  to decide: score more of the pairs: at most 20% may be skipped, or allow a larger share with skipped=",
    ]
    assert assert_within_margin(shy, 0.5, skipped=0.3).passed
    assert "cannot be judged" in failure(assert_all_within, [CONSTANT, shy], 0.5)[0]


def test_items_left_out_by_choice_are_not_missing():
    chosen = replace(CONSTANT, skipped=(replace(SKIPPED, by_choice=True),) * 20)
    assert assert_within_margin(chosen, 0.5).passed


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("place", "shift", "verdict"),
    [
        ("near", -1e-6, Verdict.EXCEEDS),
        ("near", 0.0, Verdict.INCONCLUSIVE),
        ("far", -1e-6, Verdict.INCONCLUSIVE),
        ("far", 0.0, Verdict.WITHIN),
    ],
)
def test_the_verdict_changes_where_the_margin_meets_an_end_of_the_interval(sign, place, shift, verdict):
    result = result_of(items_of(spread(0.6 * sign, 0.3)))
    near, far = sorted((abs(result.interval.low), abs(result.interval.high)))
    assert 0.3 < near < 0.6 < far < 0.9
    assert verdicts_of([result], {"near": near, "far": far}[place] + shift) == [verdict]


def test_a_share_is_judged_around_one_half():
    assert assert_share_within(SEVENTY, 0.4).verdict is Verdict.WITHIN
    all_of_them = result_of(
        [replace(item, score=1.0) for item in SEVENTY.items],
        measure="positive share",
        statistic="share_positive",
        parity=0.5,
    )
    # Wilson's lower limit for 100 of 100 is 1 / (1 + 1.96² / 100) = 0.96301
    assert "1.000 [0.963, 1.000] exceeds margin 0.460 around 0.50" in failure(assert_share_within, all_of_them, 0.46)[0]
    with pytest.raises(UsageError, match=r"margin 0\.47 cannot fail on 100 clusters"):
        assert_share_within(all_of_them, 0.47)


def test_significance_decides_nothing():
    tiny_but_sure = result_of(items_of(spread(0.01, 0.002, 30)))
    assert tiny_but_sure.p < 0.001
    assert assert_within_margin(tiny_but_sure, 0.1).passed


@pytest.mark.parametrize(
    "judged",
    [
        lambda: assert_within_margin(WIDE, 0.2, inconclusive="warn"),
        lambda: assert_association_within(WIDE, 0.2, inconclusive="warn"),
        lambda: assert_all_within([WIDE], 0.2, inconclusive="warn")[0],
    ],
    ids=["plain", "specialised", "all"],
)
def test_an_accepted_doubt_warns_at_the_line_of_the_caller(judged):
    with pytest.warns(BiascheckWarning) as said:
        gate = judged()
    assert gate.passed
    assert gate.verdict is Verdict.INCONCLUSIVE
    assert [str(warning.message) for warning in said] == [gate.finding]
    assert said[0].category is InconclusiveWarning
    assert (said[0].filename, said[0].lineno) == (__file__, judged.__code__.co_firstlineno)


def test_a_gate_that_holds_does_not_warn(recwarn):
    assert_within_margin(CONSTANT, 0.5, inconclusive="warn")
    assert not recwarn.list


@pytest.mark.parametrize("assertion", [assert_within_margin, lambda r, *a, **k: assert_all_within([r], *a, **k)])
def test_no_interval_never_passes(assertion):
    assert "too few clusters" in failure(assertion, FEW, 100.0, inconclusive="warn")[0]


def test_an_exceeded_margin_fails_even_where_doubt_is_accepted():
    assert "exceeds" in failure(assert_within_margin, CONSTANT, 0.2, inconclusive="warn")[0]


@pytest.mark.parametrize(
    ("assertion", "result", "message"),
    [
        (
            assert_association_within,
            SEVENTY,
            "assert_association_within judges a result of association; this one is of positive share. "
            "Use assert_within_margin for any measure of your own",
        ),
        (
            assert_effect_size_within,
            WIDE,
            "assert_effect_size_within judges a result of effect size or competency effect; this one is of "
            "association. Use assert_within_margin for any measure of your own",
        ),
        (
            assert_share_within,
            SIDES,
            "assert_share_within judges a result of positive share or female share or preference share or stereotype "
            "score; this one is of effect size. "
            "Use assert_within_margin for any measure of your own",
        ),
    ],
)
def test_an_assertion_of_another_figure_is_refused(assertion, result, message):
    with pytest.raises(UsageError) as error:
        assertion(result, 10.0)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("assertion", "result", "margin"),
    [
        (assert_association_within, WIDE, 10.0),
        (assert_effect_size_within, SIDES, 1.5),
        (assert_share_within, SEVENTY, 0.4),
    ],
)
def test_specialised_assertions_judge_like_the_plain_one(assertion, result, margin):
    options = {"family": 2, "level": 0.9, "inconclusive": "warn", "published": PUBLISHED, "reason": "agreed"}
    assert assertion(result, margin, **options) == assert_within_margin(result, margin, **options)


@pytest.mark.parametrize("family", [1, 2, 3, 7, 20])
def test_a_family_leaves_the_interval_and_what_is_within_as_they_are(family):
    """A family passes only if all of its gates do, so that being within needs no correction."""
    assert assert_within_margin(WIDE, WIDE.interval.high, family=family).verdict is Verdict.WITHIN
    gate = assert_within_margin(WIDE, 5.0, family=family)
    assert (gate.interval, gate.family) == (WIDE.interval, family)


@pytest.mark.parametrize("family", [2, 3, 7, 20])
def test_a_gate_of_a_family_exceeds_at_its_strictest_level(family):
    result = result_of(items_of(spread(0.9, 1.0, 200)))
    edge = result.interval_at(1 - 0.05 / family).low
    assert "exceeds" in failure(assert_within_margin, result, edge - 1e-6, family=family)[0]
    finding, deciding = failure(assert_within_margin, result, edge + 1e-6, family=family)
    assert (
        f"on its own; inconclusive after correcting for {family} gates ({level_text(1 - 0.05 / family)} interval)"
        in finding
    )
    assert "would exceed, if the figure stays at 0.90" in deciding
    assert "exceeds" in failure(assert_within_margin, result, edge + 1e-6, family=1)[0]


def shifted(name, centre, width=1.0):
    return result_of(items_of(spread(centre, width)), corpus=name)


def test_a_family_fails_with_all_its_findings_at_once():
    far, near = replace(CONSTANT, corpus="far"), replace(CONSTANT, corpus="near")
    lines = failure(assert_all_within, [far, shifted("fine", 0.0, 0.01), near], 0.2)
    assert [line.split(":")[0] for line in lines] == ["association on tiny × far", "association on tiny × near"]
    assert all("(5 pairs, one of 3 gates, seed 0)" in line for line in lines)


def marginal():
    """A result that lies outside its margin at 95 %, and not at 97.5 %; with that margin."""
    result = shifted("marginal", 3.0)
    margin = (result.interval_at(0.95).low + result.interval_at(0.975).low) / 2
    assert result.interval_at(0.975).low < margin < result.interval_at(0.95).low
    return result, margin


def verdicts_of(results, margin, **options):
    heard = []
    with recording(lambda gate, _: heard.append(gate.verdict)), suppress(BiasAssertionError):
        assert_all_within(results, margin, **{"family": 1, **options})
    return heard


def test_holm_lets_one_far_out_result_vouch_for_a_marginal_one():
    result, margin = marginal()
    far = shifted("far", 9.0)
    assert verdicts_of([far, result], margin) == [Verdict.EXCEEDS, Verdict.EXCEEDS]
    assert verdicts_of([far, result], margin, correction="bonferroni") == [Verdict.EXCEEDS, Verdict.INCONCLUSIVE]
    assert verdicts_of([far, result], margin, correction="none") == [Verdict.EXCEEDS, Verdict.EXCEEDS]


def test_holm_stops_at_a_marginal_result_that_stands_alone():
    result, margin = marginal()
    fine = shifted("fine", 0.0, 0.01)
    assert verdicts_of([result, fine], margin) == [Verdict.INCONCLUSIVE, Verdict.WITHIN]
    finding, deciding = failure(assert_all_within, [result, fine], margin)
    assert (
        "on its own; inconclusive after correcting for 2 gates (97.5\N{NO-BREAK SPACE}% interval); largest" in finding
    )
    assert deciding.startswith("  to decide: ")
    assert deciding.endswith("; or let an inconclusive gate pass with inconclusive='warn'")


def test_a_result_without_an_interval_counts_in_its_family():
    result, margin = marginal()
    assert verdicts_of([result, FEW], margin) == [Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE]


def test_a_family_of_gates_that_hold_passes():
    gates = assert_all_within([shifted(f"c{n}", 0.02 * n, 0.05) for n in range(4)], 0.2)
    assert [gate.passed for gate in gates] == [True] * 4
    assert {gate.family for gate in gates} == {4}


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        (lambda: assert_all_within([], 0.2), "no results to judge; missing data never passes"),
        (lambda: assert_all_within([WIDE, SEVENTY], 0.2), r"parity at \[0.0, 0.5\]; .* judge them separately"),
        (lambda: assert_all_within([WIDE], 0.2, correction="sidak"), "unknown correction 'sidak'"),
        (lambda: assert_all_within([FEW], 0.2, correction="sidak"), "unknown correction 'sidak'"),
        (lambda: assert_all_within([FEW], -0.2), "margin -0.2 leaves no room"),
        (lambda: assert_all_within([WIDE], 0.2, level=1.0), "level 1.0 is not between 0 and 1"),
        (lambda: assert_all_within([WIDE], 0.2, inconclusive="pass"), "'fail' or 'warn', not 'pass'"),
        (lambda: assert_within_margin(WIDE, 0.2, inconclusive="pass"), "'fail' or 'warn', not 'pass'"),
        (lambda: assert_within_margin(WIDE, 0.2, family=0), "at least 1, not 0"),
        (lambda: assert_within_margin(WIDE, 0.2, family=-3), "at least 1, not -3"),
        (lambda: assert_within_margin(WIDE, 0.2, level=1.0), "level 1.0 is not between 0 and 1"),
        (lambda: assert_within_margin(WIDE, 0.2, level=95), "level is 95; give a number from 0 to 1"),
        (lambda: assert_within_margin(WIDE, 0.2, family=True), "at least 1, not True"),
        (lambda: assert_within_margin(WIDE, True), "margin=True is a bool, not a number; give a number"),
        (lambda: assert_within_margin(WIDE, np.True_), "is a bool.*, not a number; give a number"),
        (lambda: assert_within_margin(WIDE, "0.2"), "margin='0.2' is a str, not a number; give a number above 0"),
        (lambda: assert_all_within([WIDE], "0.2"), "margin='0.2' is a str, not a number; give a number above 0"),
        (lambda: assert_below(WIDE, None), "bound=None is None, not a number; give a number, e.g. bound=0.2"),
        (lambda: assert_no_regression(WIDE, WIDE, "0.1"), "tolerance='0.1' is a str, not a number"),
        (lambda: assert_reduced(WIDE, WIDE, by=True), "by=True is a bool, not a number"),
        (lambda: assert_utility_kept(WIDE, WIDE, margin=[1]), r"margin=\[1\] is a list, not a number"),
        (lambda: assert_within_margin(WIDE, 0.2, skipped=1.5), "skipped is 1.5; give a number from 0 to 1"),
        (lambda: assert_within_margin(WIDE, 0.2, skipped="all"), "skipped='all' is a str, not a number"),
        (lambda: assert_within_margin(WIDE, 0.2, published="0.83"), "takes figures of bias_published"),
        (lambda: assert_within_margin(WIDE, 0.2, published=[0.83]), "takes figures of bias_published"),
        (lambda: assert_within_margin(WIDE, 0.0), "margin 0.0 leaves no room"),
        (lambda: assert_within_margin(WIDE, -0.1), "margin -0.1 leaves no room"),
        (lambda: assert_within_margin(WIDE, float("nan")), "margin is nan, which is not finite; give a number above 0"),
        (lambda: assert_within_margin(WIDE, float("inf")), "margin is inf, which is not finite; give a number above 0"),
        (lambda: assert_within_margin(FEW, float("nan")), "margin is nan, which is not finite; give a number above 0"),
    ],
)
def test_what_cannot_work_is_refused_with_the_remedy(judged, message):
    with pytest.raises(UsageError, match=message):
        judged()


def test_every_gate_is_heard_of_also_when_it_fails():
    heard = []
    with recording(lambda gate, result: heard.append((gate, result))):
        gate = assert_within_margin(CONSTANT, 0.5)
        failure(assert_within_margin, CONSTANT, 0.2)
        failure(assert_all_within, [CONSTANT, WIDE], 0.2)
    assert_within_margin(CONSTANT, 0.5)
    assert heard[0] == (gate, CONSTANT)
    assert [(gate.passed, result.n) for gate, result in heard] == [(True, 5), (False, 5), (False, 5), (False, 10)]


def test_of_two_listeners_the_inner_one_hears():
    outer, inner = [], []
    with recording(lambda *heard: outer.append(heard)):
        with recording(lambda *heard: inner.append(heard)):
            assert_within_margin(CONSTANT, 0.5)
        assert (len(outer), len(inner)) == (0, 1)
        assert_within_margin(CONSTANT, 0.5)
    assert (len(outer), len(inner)) == (1, 1)


def test_the_verdict_of_a_gate_is_that_of_its_interval():
    gate = assert_within_margin(WIDE, 2.5, family=3)
    assert verdict_of(gate.interval, gate.margin, centre=gate.parity) is gate.verdict


@pytest.mark.parametrize(
    ("result", "margin"),
    [(WIDE, 9.0), (CONSTANT, 9.0), (SEVENTY, 0.4), (SIDES, 1.5)],
    ids=["wide", "same", "share", "d"],
)
def test_a_stored_result_judged_again_gives_the_same_gate(tmp_path, result, margin):
    options = {"family": 2, "inconclusive": "warn", "profile": "watch", "profiles": {"watch": margin, "strict": 0.2}}
    first = assert_within_margin(result, margin, **options)
    write_results(tmp_path / "results.json", [result], [first])
    (again,), (stored,) = read_results(tmp_path / "results.json")
    assert assert_within_margin(again, margin, **options) == first == stored


def test_a_stored_failure_fails_again_with_the_same_words():
    again = result_from_dict(json.loads(json.dumps(result_to_dict(WIDE))))
    assert failure(assert_within_margin, again, 0.2) == failure(assert_within_margin, WIDE, 0.2)


@pytest.mark.parametrize(
    ("assertion", "given", "said"),
    [
        (assert_within_margin, {"bound": 0.2}, "assert_within_margin takes margin=, and bound=0.2 was given"),
        (assert_below, {"margin": 0.5}, "assert_below takes bound=, and margin=0.5 was given"),
        (assert_association_within, {"bound": 0.2, "reason": "x"}, "write margin=0.5"),
        (assert_typical_gap_below, {"margin": 0.2}, "whose name ends in _within or _within_margin"),
    ],
)
def test_the_other_kind_of_limit_is_refused_with_the_argument_that_is_meant(assertion, given, said):
    with pytest.raises(UsageError, match=said):
        assertion(result_of(items_of(spread(0.3, 1.0, 12))), **given)
