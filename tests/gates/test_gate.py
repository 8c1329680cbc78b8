"""Gates: the sentence a reader gets, to the letter."""

from dataclasses import replace

import pytest

from biascheck.gates.gate import LimitSettings, make_gate
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.published import PublishedFigure
from biascheck.stats import Interval, Verdict, minimum_detectable_effect
from support.handmade import SKIPPED, gate_of, items_of, result_of, spread

GATE = gate_of(
    Verdict.EXCEEDS,
    title="association on minilm × bec-pro",
    model="minilm",
    corpus="bec-pro",
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
            "association on minilm × bec-pro: 0.41 [0.10, 0.72] is inconclusive: the interval crosses the margin "
            "0.20 (900 pairs, seed 0)",
        ),
        (
            NO_INTERVAL,
            "association on minilm × bec-pro: 0.41 [no interval] is inconclusive: too few clusters for an interval "
            "(900 pairs, seed 0)",
        ),
        (
            {"family": 4, "seed": 17},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20; "
            "largest: nurse +1.90, plumber −1.70 (900 pairs, one of 4 gates, seed 17)",
        ),
        (
            {"skipped": 200, "family": 2, "offenders": ()},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20 "
            "(900 pairs, 200 skipped, one of 2 gates, seed 0)",
        ),
        (
            {"skipped": 1200, "skip_reason": "too long", "offenders": ()},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] cannot be judged: 1,200 of 2,100 pairs were skipped, "
            "e.g. too long (900 pairs, 1,200 skipped, seed 0)",
        ),
        (
            {"published": (PublishedFigure(0.83, "Bartl 2020", table="Table 5", model="BERT"),)},
            "association on minilm × bec-pro: 0.41 [0.33, 0.49] exceeds margin 0.20; "
            "largest: nurse +1.90, plumber −1.70; published: 0.83 (Bartl 2020, Table 5, BERT) (900 pairs, seed 0)",
        ),
        (
            SHARE,
            "positive share on minilm × skills: 0.70 [0.61, 0.79] exceeds margin 0.05 around 0.50 "
            "(1,234 attributes, seed 0)",
        ),
    ],
    ids=["exceeds", "within", "inconclusive", "too few", "family", "skipped", "most skipped", "published", "parity"],
)
def test_the_finding_reads(changes, finding):
    assert replace(GATE, **changes).finding == finding


def held(result, verdict=Verdict.WITHIN, lenient=False, **options):
    return make_gate(result, 0.5, result.interval, verdict, LimitSettings(inconclusive_passes=lenient, **options))


def test_a_gate_takes_everything_from_its_result():
    result = result_of(items_of(spread(0.3, 1.0)), skipped=(SKIPPED,), seed=5, warnings=("German marks gender",))
    published = (PublishedFigure(0.2, "Bartl 2020"),)
    gate = held(result, family=3, published=published, reason="agreed")
    assert gate.corpus == result.corpus_label
    for name in (
        "key",
        "title",
        "measure",
        "model",
        "model_label",
        "statistic",
        "estimate",
        "interval",
        "parity",
        "n",
        "clusters",
    ):
        assert getattr(gate, name) == getattr(result, name)
    assert (gate.seed, gate.unit, gate.skipped, gate.margin, gate.family) == (5, "pairs", 1, 0.5, 3)
    assert (gate.published, gate.reason, gate.warnings) == (published, "agreed", ("German marks gender",))
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
    gate = make_gate(result, 0.5, interval, Verdict.EXCEEDS, LimitSettings())
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


@pytest.mark.parametrize(("skipped", "passes"), [(2, True), (3, False)], ids=["a fifth", "more"])
@pytest.mark.parametrize("lenient", [False, True])
def test_a_gate_fails_where_more_than_a_fifth_of_its_items_is_missing(skipped, passes, lenient):
    left_out = tuple(Skipped(f"s{n}", "'she' is no word of this model") for n in range(skipped))
    result = result_of([ItemScore(f"w{n}", 0.1 * n, f"w{n}") for n in range(8)], skipped=left_out)
    gate = held(result, lenient=lenient)
    assert (gate.passed, gate.skipped, gate.skip_reason) == (passes, skipped, "'she' is no word of this model")
    assert gate.verdict is (Verdict.WITHIN if passes else Verdict.INCONCLUSIVE)
    assert held(result, most_skipped=3 / 11).passed
    assert not held(result, most_skipped=0.0).passed


def test_380_of_400_skipped_items_never_pass():
    left_out = tuple(Skipped(f"s{n}", "too long") for n in range(380))
    gate = held(result_of(items_of(spread(0.0, 0.01, 20)), skipped=left_out))
    assert not gate.passed
    assert "cannot be judged: 380 of 400 pairs were skipped, e.g. too long" in gate.finding
