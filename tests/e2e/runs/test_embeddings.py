"""Static vectors and encoders named on the command line."""

import numpy as np
import pytest

from biascheck.corpora.rewriting.gender_words import GENDER_PAIRS
from biascheck.models.local.bundled import build_reference

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
build_reference("reference:tiny")

SUITE = """
import biascheck

RANDOM = {{"competence": "ignore", "reason": "random vectors have no direction of gender"}}

def test_direct_bias(bias_model):
    lexicon = biascheck.corpora.lexicon_from_templates("jobs", ["nurse", "plumber", "baker", "judge", "poet", "chef"])
    biascheck.assert_direct_bias_below(biascheck.measures.direct_bias(bias_model, lexicon), bound={bound}, **RANDOM)
"""


@pytest.fixture
def vectors(pytester):
    # a set would give each word another vector in every process
    words = [
        *dict.fromkeys(word for pair in GENDER_PAIRS for word in pair),
        "nurse",
        "plumber",
        "baker",
        "judge",
        "poet",
        "chef",
    ]
    rng = np.random.default_rng(0)
    lines = [f"{word} {' '.join(map(str, rng.normal(size=6)))}" for word in words]
    path = pytester.path / "mine.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(pytester, monkeypatch, bound, *arguments):
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    pytester.makepyfile(SUITE.format(bound=bound))
    return pytester.runpytest("-p", "biascheck.plugin", *arguments)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_table_of_vectors_is_measured_and_named(pytester, monkeypatch, vectors, workers):
    outcome = run(pytester, monkeypatch, 0.01, "--bias-model", f"vectors:{vectors}", *workers)
    assert outcome.parseoutcomes()["failed"] == 1
    outcome.stdout.fnmatch_lines(["*inconclusive*direct bias · jobs*< 0.01*"])
    outcome.stdout.fnmatch_lines(
        ["*direct bias on mine × jobs: * is inconclusive: * crosses the bound 0.01; * largest: *"]
    )


def test_the_states_of_a_model_are_measured(pytester, monkeypatch):
    outcome = run(
        pytester, monkeypatch, 9.0, "--bias-model", "reference:tiny", "--bias-model", "encoder:reference:tiny"
    )
    assert outcome.parseoutcomes()["passed"] == 2


def test_a_missing_file_is_named(pytester, monkeypatch):
    outcome = run(pytester, monkeypatch, 9.0, "--bias-model", "vectors:nowhere.txt")
    outcome.stdout.fnmatch_lines(["*no file 'nowhere.txt' with word vectors*"])


ASKS_FOR_PROBABILITIES = """

def test_words(bias_model):
    biascheck.measures.skew(bias_model, biascheck.corpora.winograd("T1"))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_what_asks_for_probabilities_is_skipped_and_the_rest_is_judged(pytester, monkeypatch, vectors, workers):
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    pytester.makepyfile(SUITE.format(bound=9.0) + ASKS_FOR_PROBABILITIES)
    outcome = pytester.runpytest("-p", "biascheck.plugin", "-rs", "--bias-model", f"vectors:{vectors}", *workers)
    outcome.assert_outcomes(passed=1, skipped=1)
    assert outcome.ret == 0
    outcome.stdout.fnmatch_lines(
        ["SKIPPED*mine is a table of word vectors: it embeds words; skew needs a model that fills masks*"]
    )
    outcome.stdout.no_fnmatch_line("*nothing was judged*")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_run_that_skips_every_bias_test_does_not_pass(pytester, vectors, workers):
    pytester.makepyfile("import biascheck\n\ndef test_other():\n    pass\n" + ASKS_FOR_PROBABILITIES)
    outcome = pytester.runpytest("-p", "biascheck.plugin", "--bias-model", f"vectors:{vectors}", *workers)
    outcome.assert_outcomes(passed=1, skipped=1)
    assert outcome.ret == pytest.ExitCode.TESTS_FAILED
    outcome.stdout.fnmatch_lines(["FAIL: nothing was judged (0 gates; 1 test not tested)"])


def test_a_gate_that_was_judged_before_its_test_was_skipped_counts(pytester, monkeypatch, vectors):
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    pytester.makepyfile("import pytest\n" + SUITE.format(bound=9.0) + "    pytest.skip('the rest has no premise')\n")
    outcome = pytester.runpytest("-p", "biascheck.plugin", "--bias-model", f"vectors:{vectors}")
    outcome.assert_outcomes(skipped=1)
    assert outcome.ret == 0
    outcome.stdout.no_fnmatch_line("*nothing was judged*")
    outcome.stdout.fnmatch_lines(["mine: 1 gate passed (1 within)"])
