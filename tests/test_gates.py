"""Gates: the sentence a reader gets, to the letter."""

from dataclasses import replace

import pytest
from handmade import SKIPPED, items_of, result_of, spread

from biascheck.gates.gate import Gate, hold
from biascheck.results.items import ItemScore, Skipped
from biascheck.stats import Interval, Verdict, minimum_detectable_effect

GATE = Gate(
    title="association on minilm × bec-pro",
    measure="association",
    model="minilm",
    corpus="bec-pro",
    statistic="mean",
    estimate=0.41,
    interval=Interval(0.33, 0.49, 0.95, "by hand"),
    margin=0.2,
    parity=0.0,
    verdict=Verdict.EXCEEDS,
    passed=False,
    n=900,
    unit="pairs",
    clusters=60,
    skipped=0,
    seed=0,
    offenders=("nurse +1.90", "plumber −1.70"),
)
WITHIN = {"estimate": -0.004, "interval": Interval(-0.1, 0.09, 0.95, ""), "verdict": Verdict.WITHIN, "offenders": ()}
STRADDLES = {"interval": Interval(0.1, 0.72, 0.95, ""), "verdict": Verdict.INCONCLUSIVE, "offenders": ()}
NO_INTERVAL = {"interval": None, "verdict": Verdict.INCONCLUSIVE, "offenders": ()}
SHARE = {
    "title": "positive share on minilm × skills",
    "estimate": 0.7,
    "interval": Interval(0.61, 0.79, 0.95, ""),
    "margin": 0.05,
    "parity": 0.5,
    "n": 1234,
    "unit": "attributes",
    "offenders": (),
}


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        (
            {},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20; "
            "largest: nurse +1.90, plumber −1.70 (900 pairs, seed 0)",
        ),
        (
            WITHIN,
            "association on minilm × bec-pro: −0.004 [−0.10, 0.09] is within margin 0.20 (900 pairs, seed 0)",
        ),
        (
            STRADDLES,
            "association on minilm × bec-pro: 0.41 [0.10, 0.72] cannot be told from margin 0.20 (900 pairs, seed 0)",
        ),
        (
            NO_INTERVAL,
            "association on minilm × bec-pro: 0.41 [no interval] cannot be held against margin 0.20: too few clusters "
            "(900 pairs, seed 0)",
        ),
        (
            {"family": 4, "seed": 17},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20; "
            "largest: nurse +1.90, plumber −1.70 (900 pairs, one of 4 gates, seed 17)",
        ),
        (
            {"skipped": 1200, "family": 2, "offenders": ()},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20 "
            "(900 pairs, 1,200 skipped, one of 2 gates, seed 0)",
        ),
        (
            {"published": "0.83 for BERT (Table 5)"},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20; "
            "largest: nurse +1.90, plumber −1.70; published: 0.83 for BERT (Table 5) (900 pairs, seed 0)",
        ),
        (
            SHARE,
            "positive share on minilm × skills: 0.70 [0.61, 0.79] exceeds margin 0.05 around 0.50 "
            "(1,234 attributes, seed 0)",
        ),
    ],
    ids=["exceeds", "within", "inconclusive", "too few", "family", "skipped", "published", "parity"],
)
def test_the_finding_reads(changes, finding):
    assert replace(GATE, **changes).finding == finding


def held(result, verdict=Verdict.WITHIN, lenient=False, **options):
    return hold(result, 0.5, result.interval, verdict, inconclusive_passes=lenient, **options)


def test_a_gate_takes_everything_from_its_result():
    result = result_of(items_of(spread(0.3, 1.0)), skipped=(SKIPPED,), seed=5, warnings=("German marks gender",))
    gate = held(result, family=3, published="0.2", reason="agreed")
    for name in ("title", "measure", "model", "corpus", "statistic", "estimate", "interval", "parity", "n", "clusters"):
        assert getattr(gate, name) == getattr(result, name)
    assert (gate.seed, gate.unit, gate.skipped, gate.margin, gate.family) == (5, "pairs", 1, 0.5, 3)
    assert (gate.published, gate.reason, gate.warnings) == ("0.2", "agreed", ("German marks gender",))
    assert gate.offenders == ("job9 +1.30", "job8 +1.08", "job7 +0.86")


@pytest.mark.parametrize(
    ("verdict", "lenient", "passes"),
    [
        (Verdict.WITHIN, False, True),
        (Verdict.WITHIN, True, True),
        (Verdict.EXCEEDS, False, False),
        (Verdict.EXCEEDS, True, False),
        (Verdict.INCONCLUSIVE, False, False),
        (Verdict.INCONCLUSIVE, True, True),
    ],
)
def test_what_passes(verdict, lenient, passes):
    assert held(result_of(items_of(spread(0.3, 1.0))), verdict, lenient).passed is passes


def test_without_an_interval_nothing_passes():
    result = result_of(items_of(spread(0.0, 0.1, 4)))
    assert result.interval is None
    assert not held(result, Verdict.INCONCLUSIVE, lenient=True).passed


def test_the_detectable_gap_belongs_to_the_level_of_the_interval():
    result = result_of(items_of(spread(0.3, 1.0)))
    # 1.644854 is the normal quantile of a 90 % interval
    interval = Interval(0.0, 2 * 1.6448536269514722, 0.9, "standard error 1")
    gate = hold(result, 0.5, interval, Verdict.EXCEEDS, inconclusive_passes=False)
    assert gate.detectable == pytest.approx(minimum_detectable_effect(1.0, level=0.9))
    assert gate.detectable == pytest.approx(1.644854 + 0.841621, abs=1e-5)


def test_a_sample_without_variation_claims_no_power():
    gate = held(result_of(items_of({f"job{n}": [0.25] for n in range(6)})))
    assert (gate.interval.low, gate.interval.high, gate.detectable) == (0.25, 0.25, None)
    assert gate.power is None
    assert replace(GATE, interval=None).power is None


@pytest.mark.parametrize("bound", ["within", "below"])
@pytest.mark.parametrize("parity", [0.0, 0.5])
def test_power_at_the_margin_by_the_normal_distribution(bound, parity):
    # standard error 1, distance 2.801585 from parity: the textbook's power of 0.8
    interval = Interval(-1.959964, 1.959964, 0.95, "standard error 1")
    margin = 2.801585 + (parity if bound == "below" else 0.0)
    gate = replace(GATE, interval=interval, margin=margin, parity=parity, bound=bound)
    assert gate.power == pytest.approx(0.8, abs=1e-5)


def test_power_at_the_margin_is_that_of_the_detectable_gap():
    gate = held(result_of(items_of(spread(0.3, 1.0))))
    assert replace(gate, margin=gate.detectable).power == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize(("skipped", "caution"), [(2, False), (3, True)], ids=["a fifth", "more"])
def test_many_skipped_items_are_a_reservation(skipped, caution):
    left_out = tuple(Skipped(f"s{n}", "'she' is no word of this model") for n in range(skipped))
    result = result_of([ItemScore(f"w{n}", 0.1 * n, f"w{n}") for n in range(8)], skipped=left_out, warnings=("first",))
    said = ("3 of 11 pairs were skipped, e.g. 'she' is no word of this model",) if caution else ()
    assert held(result).warnings == ("first", *said)
