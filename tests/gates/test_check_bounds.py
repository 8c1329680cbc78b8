"""Figures that are only bad when large: gates with an upper bound, and what is said about them."""

import json
from dataclasses import replace

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, InconclusiveWarning, UsageError
from biascheck.gates.check import assert_below, assert_skew_below, assert_stereotype_below, assert_trade_off
from biascheck.gates.families import recording
from biascheck.report.gates import gate_table
from biascheck.report.papers import OWN
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.items import ItemScore
from biascheck.runs.file import read_run, write_results
from biascheck.stats import Interval, Verdict
from support.handmade import result_of

JOBS = {"carpenter": "A", "chief": "A", "nurse": "B", "editor": "B"}


def result(statistic, gap, **more):
    """Eighty sentences for each of four occupations; ``gap`` says which way the model leans."""
    items = [
        ItemScore(
            f"{job}{n}",
            gap(job, n),
            f"s{n // 2}-{job}",
            side=side,
            labels={"occupation": job, "stereotype": {"A": "male", "B": "female"}[side]},
        )
        for job, side in JOBS.items()
        for n in range(80)
    ]
    return result_of(items, measure=statistic, statistic=statistic, named_by="occupation", corpus="wino", **more)


def always_he(_job, _n):
    return 0.8


def stereotyped(job, _n):
    return 0.5 if JOBS[job] == "A" else -0.5


def mostly_he(job, n):
    return -0.2 if n % 10 in (3, 8) else 0.8 if job != "nurse" else 0.3


def test_a_model_that_always_says_he_exceeds_the_bound_of_skew():
    with pytest.raises(BiasAssertionError) as failure:
        assert_skew_below(result("skew", always_he), 0.3, reason="agreed")
    assert str(failure.value) == (
        "skew on tiny × wino: 0.67 [0.67, 0.67] exceeds bound 0.30; "
        "largest: carpenter +0.80, chief +0.80, editor +0.80 (320 pairs, seed 0)\n  bound: agreed"
    )
    gate = assert_stereotype_below(result("stereotype", always_he), 0.3)
    assert gate.finding.startswith("stereotype on tiny × wino: 0.00 [0.00, 0.00] is below 0.30;")


def test_a_straddled_bound_is_inconclusive():
    skew = result("skew", mostly_he)
    assert skew.interval.low < skew.estimate < skew.interval.high
    with pytest.raises(BiasAssertionError, match=r"is inconclusive: the interval crosses the bound 0\.3\d"):
        assert_below(skew, skew.estimate)
    with pytest.warns(InconclusiveWarning):
        assert assert_below(skew, skew.estimate, inconclusive="warn").passed
    with pytest.raises(BiasAssertionError, match="to decide: the figure lies at the edge of the margin"):
        assert_below(skew, skew.estimate)


@pytest.mark.takes_seconds
def test_a_large_family_asks_more_of_what_exceeds():
    skew = result("skew", mostly_he)
    edge = (skew.interval_at(0.95).low + skew.interval_at(1 - 0.05 / 40).low) / 2
    with pytest.raises(BiasAssertionError, match="exceeds bound"):
        assert_below(skew, edge, family=1)
    with pytest.raises(
        BiasAssertionError, match=r"exceeds bound .* on its own; inconclusive after correcting for 40 gates"
    ):
        assert_below(skew, edge, family=40)
    alone, together = (assert_below(skew, 0.6, family=family) for family in (1, 40))
    assert alone.interval == together.interval == skew.interval
    with pytest.raises(UsageError, match="at least 1"):
        assert_below(skew, 0.6, family=0)


def test_without_an_interval_nothing_passes():
    few = replace(result("skew", always_he), items=result("skew", always_he).items[:2] * 1)
    with pytest.raises(BiasAssertionError, match=r"is inconclusive: too few clusters for an interval"):
        assert_below(replace(few, interval=None), 0.9, inconclusive="warn")


@pytest.mark.parametrize(
    ("gaps", "failing"), [(always_he, ["skew"]), (stereotyped, ["stereotype"]), (mostly_he, ["skew"])]
)
def test_the_trade_off_is_lost_on_either_side(gaps, failing):
    heard = []
    with recording(lambda gate, _result: heard.append(gate)), pytest.raises(BiasAssertionError) as failure:
        assert_trade_off(
            result("skew", gaps), result("stereotype", gaps), skew_bound=0.25, stereotype_bound=0.25, family=1
        )
    lines = [line for line in str(failure.value).splitlines() if not line.startswith(" ")]
    assert [line.split(" on ")[0] for line in lines][: len(failing)] == failing
    assert [gate.measure for gate in heard] == ["skew", "stereotype"]
    assert {gate.family for gate in heard} == {2}


def test_the_trade_off_is_kept_by_a_model_that_tosses_coins():
    coins = {name: result(name, lambda _job, n: 0.4 if n % 2 else -0.4) for name in ("skew", "stereotype")}
    gates = assert_trade_off(coins["skew"], coins["stereotype"], skew_bound=0.5, stereotype_bound=0.5, family=2)
    assert [gate.verdict for gate in gates] == [Verdict.WITHIN] * 2
    assert gates[0].family == 4


def test_each_assertion_wants_its_own_figure():
    skew, stereotype = result("skew", always_he), result("stereotype", always_he)
    with pytest.raises(UsageError, match=r"assert_skew_below judges a result of skew; .* Use assert_below"):
        assert_skew_below(stereotype, 0.3)
    with pytest.raises(UsageError, match="assert_stereotype_below judges a result of stereotype"):
        assert_stereotype_below(skew, 0.3)
    with pytest.raises(UsageError, match="assert_trade_off judges a result of skew"):
        assert_trade_off(stereotype, skew, skew_bound=0.3, stereotype_bound=0.3)
    with pytest.raises(UsageError, match="give two of the same"):
        assert_trade_off(skew, replace(stereotype, model="other"), skew_bound=0.3, stereotype_bound=0.3)


def test_a_bound_survives_storage_and_old_gates_have_none(tmp_path):
    gate = assert_skew_below(result("skew", mostly_he), 0.6)
    write_results(tmp_path / "r.json", [], [gate])
    assert read_run(tmp_path / "r.json").gates == (gate,)
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert document["gates"][0].pop("bound") == "below"
    (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
    assert read_run(tmp_path / "r.json").gates[0].bound == "within"


def test_who_drives_a_figure_survives_storage_and_old_results_have_none():
    skew = result("skew", mostly_he)
    document = json.loads(json.dumps(result_to_dict(skew)))
    assert result_from_dict(document).top_contributors() == skew.top_contributors()
    assert skew.top_contributors()[-1].name != "s0-nurse"
    del document["named_by"]
    assert result_from_dict(document).top_contributors()[0].name.startswith("s")


def test_the_report_draws_the_bound_as_a_band_from_parity():
    gate = assert_skew_below(result("skew", mostly_he), 0.6)
    assert (gate.region, gate.allowed) == ((0.0, 0.6), "< 0.60")
    ((row,),) = [group.rows for block in gate_table([(OWN, gate)], {}).blocks for group in block.groups]
    assert row.margin == "< 0.60"
    assert "margin from 0.00 to 0.60" in row.chart
    within = replace(gate, bound="within", parity=0.5, margin=0.2, interval=Interval(0.4, 0.6, 0.95, ""))
    assert (within.region, within.allowed) == ((0.3, 0.7), "0.50 ± 0.20")


def test_the_public_names_are_these_assertions():
    assert biascheck.assert_trade_off is assert_trade_off
    assert biascheck.assert_below is assert_below
