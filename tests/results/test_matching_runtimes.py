"""Results of two runtimes are compared only where that is allowed; what runs in this process has none of its own."""

from dataclasses import replace

import pytest

from biascheck.runs.baseline import Baseline, compare_with_baseline, read_baseline, write_baseline
from support.handmade import PROVENANCE, items_of, result_of, spread


def measured(runtime=""):
    origin = replace(PROVENANCE, model={"runtime": runtime} if runtime else {})
    return result_of(items_of(spread(0.1, 0.05, 20)), provenance=origin)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("vLLM", "llama.cpp", "vLLM gave one and llama.cpp the other"),
        ("", "vLLM", "transformers, in the process of the tests gave one and vLLM the other"),
        ("llama.cpp", "", "llama.cpp gave one and transformers"),
    ],
)
def test_two_runtimes_are_refused_unless_allowed(tmp_path, before, after, said):
    file = tmp_path / "baseline.json"
    write_baseline(file, Baseline((measured(before),)))
    baseline = read_baseline(file)
    judged = compare_with_baseline(baseline, [measured(after)])
    assert not judged.passed
    (refusal,) = judged.refused
    assert said in refusal.reason
    assert "--bias-allow-other-runtime" in refusal.reason
    assert compare_with_baseline(baseline, [measured(after)], any_runtime=True).passed


@pytest.mark.parametrize("runtime", ["", "vLLM"])
def test_one_runtime_is_compared(tmp_path, runtime):
    file = tmp_path / "baseline.json"
    write_baseline(file, Baseline((measured(runtime),)))
    assert compare_with_baseline(read_baseline(file), [measured(runtime)]).passed
    assert ("runtime" in file.read_text()) == bool(runtime)  # baselines of local models are as they were
