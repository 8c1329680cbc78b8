"""One wording for figures, intervals, verdicts and tallies: different numbers read differently, in a fixed order."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from biascheck.core.wording import decimals_for, format_number, interval_text, pluralize, signed, tally, verdict_text
from biascheck.results.compare import compare
from biascheck.stats import Interval, Verdict, verdict_of
from support.handmade import gate_of, items_of, result_of


def number(text):
    return float(text.replace("−", "-"))


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.41, 2, "0.41"),
        (-1.7, 2, "−1.70"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (1e-13, 2, "0.00"),
        (-0.004, 2, "−0.004"),
        (5e-05, 2, "5e−05"),
        (-0.0167, 3, "−0.017"),
        (1234.5, 2, "1234.50"),
    ],
)
def test_a_figure(value, decimals, text):
    assert format_number(value, decimals) == text


def test_a_signed_figure():
    values = (0.4, -0.4, 0.0, -1e-15, 0.001)
    assert [signed(value) for value in values] == ["+0.40", "−0.40", "+0.00", "+0.00", "+0.001"]


def test_a_small_delta_against_a_small_margin_keeps_its_digits():
    """It read "−0.02 [−0.02, −0.01] exceeds margin 0.01", an interval that touches the margin."""
    gate = gate_of(
        Verdict.EXCEEDS, estimate=-0.0167, interval=Interval(-0.0204, -0.0131, 0.95, ""), margin=0.01, offenders=()
    )
    assert gate.finding.startswith("association on tiny × jobs: −0.017 [−0.020, −0.013] exceeds margin 0.010 (")
    assert "−0.02 " not in gate.finding


@pytest.mark.parametrize(
    ("interval", "estimate", "limits", "decimals"),
    [
        (Interval(0.33, 0.49, 0.95, ""), 0.41, (-0.2, 0.2), 2),
        (Interval(0.195, 0.49, 0.95, ""), 0.41, (-0.2, 0.2), 3),
        (Interval(0.41, 0.41, 0.95, ""), 0.41, (0.2,), 2),
        (Interval(0.4101, 0.4103, 0.95, ""), 0.41, (0.2,), 4),
        (None, 0.2004, (0.2,), 4),
        (None, 0.2, (0.2,), 2),
        (Interval(0.1, 0.1 + 1e-9, 0.95, ""), 0.1, (), 6),
    ],
)
def test_as_many_digits_as_distinguish_the_numbers(interval, estimate, limits, decimals):
    assert decimals_for(interval, estimate, limits) == decimals


magnitudes = st.floats(-9, 2).map(lambda power: 10**power)
numbers = st.builds(lambda sign, size: sign * size, st.sampled_from((-1, 1)), magnitudes) | st.just(0.0)
intervals = st.builds(lambda a, b: Interval(min(a, b), max(a, b), 0.95, ""), numbers, numbers)


def judged(interval, share, margin, parity=0.0):
    estimate = interval.low + share * (interval.high - interval.low)
    return gate_of(
        verdict_of(interval, margin, centre=parity), estimate=estimate, interval=interval, margin=margin, parity=parity
    )


@given(intervals, st.floats(0, 1), magnitudes)
def test_rendered_numbers_keep_their_order(interval, share, margin):
    gate = judged(interval, share, margin)
    low, high = (number(end) for end in gate.interval_text.strip("[]").split(", "))
    shown = [(gate.estimate, number(gate.estimate_text)), (interval.low, low), (interval.high, high)]
    limit = number(gate.allowed.removeprefix("± "))
    shown += [(margin, limit), (-margin, -limit)]
    for one, one_shown in shown:
        for other, other_shown in shown:
            if one < other:
                assert one_shown <= other_shown, gate.finding


@given(intervals, st.floats(0, 1), magnitudes)
def test_the_verdict_can_be_read_off_the_numbers_shown(interval, share, margin):
    """Where numbers differ by more than the last digit that is ever shown, the sentence agrees with its own numbers."""
    ends = (interval.low, interval.high)
    if any(0 < abs(abs(end) - margin) < 1e-6 for end in ends) or margin < 1e-6:
        return
    gate = judged(interval, share, margin)
    low, high = (number(end) for end in gate.interval_text.strip("[]").split(", "))
    limit = number(gate.allowed.removeprefix("± "))
    assert verdict_of(Interval(low, high, 0.95, ""), limit, centre=0.0) is gate.verdict, gate.finding


def test_a_comparison_keeps_the_digits_that_tell_its_change_from_none():
    before = result_of(items_of({f"job{n}": [0.5] for n in range(6)}))
    after = result_of(items_of({f"job{n}": [0.5 + 0.0012 + 0.0001 * n] for n in range(6)}), model="later")
    found = compare(before, after)
    low, high = (number(end) for end in found.moved.split(" [")[1].strip("]").split(", "))
    assert 0 < low < high
    assert "further from parity by +0.001" in found.finding


def test_no_interval_says_so():
    assert interval_text(None) == "[no interval]"


def test_verdicts_and_tallies():
    gates = [gate_of(), gate_of(), gate_of(Verdict.EXCEEDS), gate_of(Verdict.EXCEEDS), gate_of(Verdict.INCONCLUSIVE)]
    accepted = gate_of(Verdict.INCONCLUSIVE, passed=True)
    assert tally([*gates, accepted]) == "2 exceed, 2 inconclusive (1 accepted), 2 within"
    assert tally(gates[:3]) == "1 exceeds, 2 within"
    assert tally([]) == ""
    assert [verdict_text(gate.verdict, gate.passed) for gate in (*gates[-3::2], accepted)] == [
        "exceeds",
        "inconclusive",
        "inconclusive (accepted)",
    ]
    assert (pluralize(1, "gate"), pluralize(1200, "gate")) == ("1 gate", "1,200 gates")


def test_every_verdict_is_counted():
    for verdict in Verdict:
        assert tally([replace(gate_of(), verdict=verdict)]).startswith("1 ")
