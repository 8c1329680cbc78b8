"""The fragment of a model card, read by the hub's own library."""

from dataclasses import replace

import pytest
import yaml
from handmade import items_of, result_of, spread

from biascheck.errors import UsageError
from biascheck.gates.assertions import assert_within_margin
from biascheck.gates.outcome import Outcome, State, TestOutcome
from biascheck.gates.run import Run
from biascheck.report.hub_card import card_of
from biascheck.stats import Verdict

huggingface_hub = pytest.importorskip("huggingface_hub")


def run(**fields):
    result = result_of(items_of(spread(0.3, 1.0, 12)), **fields)
    small = result_of(items_of(spread(0.3, 1.0, 3)), corpus="few", **fields)
    return Run((result, small), (assert_within_margin(result, 5.0),))


def test_the_hub_reads_the_metadata_back():
    metadata = card_of(run()).split("---\n")[1]
    data = huggingface_hub.ModelCardData(**yaml.safe_load(metadata))
    first, second = data.eval_results
    assert data.model_name == "tiny"
    assert (first.dataset_name, first.metric_type, first.metric_value) == ("jobs", "association", pytest.approx(0.3))
    assert first.metric_args["low"] < 0.3 < first.metric_args["high"]
    assert second.dataset_name == "few"
    assert "low" not in second.metric_args
    assert [result.is_equal_except_value(result) for result in data.eval_results] == [True, True]


def test_a_whole_card_with_the_fragment_is_valid():
    card = huggingface_hub.ModelCard(card_of(run()))
    assert card.data.eval_results[0].dataset_type == "biascheck"
    assert card.text.lstrip().startswith("## Bias")


def test_the_section_shows_estimate_interval_and_verdict():
    text = card_of(run(warnings=("only nouns",)))
    assert "| association | jobs | 0.30 | " in text
    assert " | ± 5.00 | within |" in text
    assert "| association | few | 0.30 | [no interval] | – | not judged |" in text
    assert "- Caution: only nouns" in text
    assert "not proof of harm" in text


def test_of_several_models_one_must_be_named():
    both = Run((*run().results, *run(model="other").results))
    with pytest.raises(UsageError, match="the file has results of other, tiny; name one with --model"):
        card_of(both)
    assert "name: other" in card_of(both, "other")
    with pytest.raises(UsageError, match="no results"):
        card_of(Run())


def test_an_interrupted_run_says_so():
    tests = tuple(TestOutcome(f"t::{n}", State.NOT_RUN) for n in range(4))
    stopped = Run(run().results, outcome=Outcome(tests, interrupted=True))
    assert "The run: FAIL: 4 tests did not run, the run was interrupted (0 gates; 4 tests not tested)." in card_of(
        stopped
    )


def test_every_gate_of_a_result_is_a_row():
    """A gate that failed is not hidden by another one on the same result that passed."""
    (result, _), (within,) = run().results, run().gates
    failed = replace(within, margin=0.1, verdict=Verdict.EXCEEDS, passed=False)
    accepted = replace(within, margin=0.2, verdict=Verdict.INCONCLUSIVE, passed=True)
    text = card_of(Run((result,), (failed, within, accepted)))
    rows = [line.split(" | ")[-2:] for line in text.splitlines() if line.startswith("| association")]
    assert rows == [["± 0.10", "exceeds |"], ["± 5.00", "within |"], ["± 0.20", "inconclusive (accepted) |"]]
