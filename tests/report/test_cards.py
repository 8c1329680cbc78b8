"""The fragment of a model card, read by the hub's own library."""

import sys
from dataclasses import replace

import pytest
import yaml

from biascheck.core.errors import UsageError
from biascheck.gates.check import assert_within_margin
from biascheck.gates.gate import LimitSettings, make_gate
from biascheck.report.cards import hub_card_of
from biascheck.results.definition import Readability
from biascheck.results.items import Skipped
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict, verdict_below, verdict_of
from support.handmade import items_of, result_of, spread

huggingface_hub = pytest.importorskip("huggingface_hub")


def run(**fields):
    result = result_of(items_of(spread(0.3, 1.0, 12)), **fields)
    small = result_of(items_of(spread(0.3, 1.0, 3)), corpus="few", **fields)
    return Run((result, small), (assert_within_margin(result, 5.0),))


def test_without_yaml_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UsageError, match=r"a model card needs yaml, .* pip install 'pytest-biascheck\[hub\]'"):
        hub_card_of(run())


def test_the_hub_reads_the_metadata_back():
    metadata = hub_card_of(run()).split("---\n")[1]
    data = huggingface_hub.ModelCardData(**yaml.safe_load(metadata))
    first, second = data.eval_results
    assert data.model_name == "tiny"
    assert (first.dataset_name, first.metric_type, first.metric_value) == ("jobs", "association", pytest.approx(0.3))
    assert first.metric_args["low"] < 0.3 < first.metric_args["high"]
    assert second.dataset_name == "few"
    assert "low" not in second.metric_args
    assert [result.is_equal_except_value(result) for result in data.eval_results] == [True, True]


def test_a_whole_card_with_the_fragment_is_valid():
    card = huggingface_hub.ModelCard(hub_card_of(run()))
    assert card.data.eval_results[0].dataset_type == "biascheck"
    assert card.text.lstrip().startswith("## Bias")


def test_the_section_shows_estimate_interval_and_verdict():
    text = hub_card_of(run(warnings=("only nouns",)))
    assert "| association | jobs | 0.30 | " in text
    assert " | 95\N{NO-BREAK SPACE}% | ± 5.00 | alone | within |" in text
    assert "| association | few | 0.30 | [no interval] | – | – | – | not judged |" in text
    assert "- Caution: only nouns" in text
    assert "not proof of harm" in text


def test_of_several_models_one_must_be_named():
    both = Run((*run().results, *run(model="other").results))
    with pytest.raises(UsageError, match="the file has results of other, tiny; name one with --model"):
        hub_card_of(both)
    assert "name: other" in hub_card_of(both, "other")
    with pytest.raises(UsageError, match="no results"):
        hub_card_of(Run())


def test_an_interrupted_run_says_so():
    tests = tuple(TestOutcome(f"t::{n}", BiasTestState.NOT_RUN) for n in range(4))
    stopped = Run(run().results, outcome=RunOutcome(tests, interrupted=True))
    assert "The run: FAIL: 4 tests did not run, the run was interrupted (0 gates; 4 tests not tested)." in hub_card_of(
        stopped
    )


def test_every_gate_of_a_result_is_a_row():
    """A gate that failed is not hidden by another one on the same result that passed."""
    (result, _), (within,) = run().results, run().gates
    failed = replace(within, margin=0.1, verdict=Verdict.EXCEEDS, passed=False)
    accepted = replace(within, margin=0.2, verdict=Verdict.INCONCLUSIVE, passed=True)
    text = hub_card_of(Run((result,), (failed, within, accepted)))
    rows = [line.split(" | ")[-3::2] for line in text.splitlines() if line.startswith("| association")]
    assert rows == [["± 0.10", "exceeds |"], ["± 5.00", "within |"], ["± 0.20", "inconclusive (accepted) |"]]


def cells(text):
    (row,) = (line for line in text.splitlines() if line.startswith("| association"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def ends(text):
    return [float(end.replace("−", "-")) for end in text.strip("[]").split(", ")]


@pytest.mark.parametrize("bound", ["within", "below"])
@pytest.mark.parametrize("family", [1, 3])
@pytest.mark.parametrize("skipped", [0, 9])
@pytest.mark.parametrize("low", [-0.5, -0.3, -0.1, 0.0, 0.1, 0.19, 0.21, 0.4])
@pytest.mark.parametrize("width", [0.05, 0.31, 0.91])
def test_no_row_contradicts_itself(bound, family, skipped, low, width):
    """Whoever compares the printed interval with the printed margin finds the printed verdict, or its reason."""
    interval = Interval(low, low + width, 0.95, "by hand")
    gaps = tuple(Skipped(f"x{n}", "not a word") for n in range(skipped))
    result = replace(result_of(items_of(spread(0.1, 0.1, 12))), interval=interval, skipped=gaps)
    alone = verdict_of(interval, 0.2) if bound == "within" else verdict_below(interval, 0.2)
    # in a family, what exceeds by itself may not be shown to exceed
    verdict = Verdict.INCONCLUSIVE if family > 1 and alone is Verdict.EXCEEDS else alone
    gate = make_gate(
        result, 0.2, interval, verdict, LimitSettings(family=family, bound=bound, inconclusive_passes=True)
    )
    *_, shown, level, allowed, together, words = cells(hub_card_of(Run((result,), (gate,))))
    assert (level, together) == ("95\N{NO-BREAK SPACE}%", "3 gates" if family > 1 else "alone")
    (low, high), margin = ends(shown), float(allowed[2:])
    inside = high < margin and (bound == "below" or low > -margin)
    outside = low > margin or (bound == "within" and high < -margin)
    said, _, reason = words.partition(": ")
    if not reason:
        assert said == ("within" if inside else "exceeds" if outside else "inconclusive (accepted)")
    elif skipped:
        assert (said, reason) == ("inconclusive", f"{skipped} of {result.n + skipped} pairs were skipped")
    else:
        assert outside
        assert said == "inconclusive (accepted)"
        assert reason == (
            "exceeds on its own; inconclusive after correcting for 3 gates (98.3\N{NO-BREAK SPACE}% interval)"
        )


def test_what_a_model_cannot_do_is_the_reason_of_an_invalid_row():
    result = run().results[0]
    words = {"finding": "40% of 50 comparisons", "lack": "cannot read this corpus"}
    unable = Readability(check="order", about="word order", value=0.4, floor=0.6, n=50, seed=0, **words)
    invalid = replace(run().gates[0], verdict=Verdict.INVALID, passed=False, competence=unable)
    text = hub_card_of(Run((result,), (invalid,)))
    assert "| invalid: tiny cannot read this corpus (40% of 50 comparisons) |" in text


def test_markup_in_names_and_cautions_is_shown_and_never_obeyed():
    hostile = "<img src=x onerror=alert(1)> & [a](javascript:b)"
    result = replace(result_of(items_of(spread(0.3, 1.0, 12)), corpus=hostile), warnings=(hostile,))
    section = hub_card_of(Run((result,), (assert_within_margin(result, 5.0),))).split("---\n")[2]
    assert "<" not in section
    assert "](" not in section
    assert section.count("&#60;img src=x onerror=alert(1)&#62; &#38;") == 2
