"""Searches in a whole run: the outcome, the memory, two workers, and a machine without Hypothesis."""

from __future__ import annotations

import json
import sys

import pytest

SUITE = """
import re

import pytest

import biascheck
from biascheck import strategies

pytestmark = pytest.mark.bias


def rate(texts):
    words = [set(re.findall(r"\\\\w+", text.lower())) for text in texts]
    return [0.9 if {word, "he"} <= found else 0.5 for found in words]


@pytest.mark.parametrize("word", ["nurse", "judge", "pilot"])
def test_nothing_changes(word):
    def rate(texts):
        words = [set(re.findall(r"[a-z]+", text.lower())) for text in texts]
        return [0.9 if {word, "he"} <= found else 0.5 for found in words]

    biascheck.assert_invariant(
        biascheck.as_classifier(rate, name=word), strategies.sentences(strategies.pronouns(), "people"), bound=0.2,
        examples=250, seed=3,
    )


def test_fair():
    biascheck.assert_invariant(lambda texts: [0.5] * len(texts), strategies.sentences(), bound=0.2, examples=50)


def test_that_expects_a_finding():
    with pytest.raises(biascheck.BiasAssertionError):
        biascheck.assert_invariant(
            lambda texts: [0.1 if "He" in text else 0.9 for text in texts],
            strategies.templates(["{target} left."], strategies.pronouns()), bound=0.2, examples=5,
        )
"""


@pytest.fixture
def suite(pytester):
    pytester.makepyfile(SUITE)
    return pytester


def lines(pytester):
    file = pytester.path / "bias" / "worst_cases.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def searches(pytester):
    return json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))["searches"]


def comparable(search):
    """All of a search but the fingerprint: that of a plain function is another in every process."""
    return {name: value for name, value in search.items() if name != "fingerprint"}


def test_a_run_fails_by_what_it_found_and_remembers_it(suite):
    run = suite.runpytest_subprocess("--bias-results", "r.json", "--bias-markdown", "r.md", "-p", "no:cacheprovider")
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        [
            "FAIL: 3 tests failed a gate (0 gates; 5 searches: 4 found, 1 none found*",
            "searches for worst cases: 4 found, 1 none found",
            "*0.40  ‘She met a judge.’ 0.50, ‘He met a judge.’ 0.90*judge*new",
            "*none found*in 50 examples*largest gap 0.00*",
            "bias/worst_cases.jsonl: 3 worst cases added; commit it, and they are tried first",
        ]
    )
    assert [line["cause"] for line in lines(suite)] == [["judge"], ["nurse"], ["pilot"]]
    assert "He met a judge." in (suite.path / "r.md").read_text(encoding="utf-8")

    run = suite.runpytest_subprocess("--bias-results", "r.json", "-p", "no:cacheprovider")
    run.stdout.fnmatch_lines(["*0.40  ‘She met a judge.’ 0.50, ‘He met a judge.’ 0.90*0.40 → 0.40 (+0.00)"])
    run.stdout.no_fnmatch_line("*worst cases added*")
    assert len(lines(suite)) == 3


def test_two_workers_find_the_same_and_the_controller_writes(suite):
    pytest.importorskip("xdist")
    suite.runpytest_subprocess("--bias-results", "r.json", "-p", "no:cacheprovider")
    alone, remembered = searches(suite), lines(suite)
    (suite.path / "bias" / "worst_cases.jsonl").unlink()
    suite.runpytest_subprocess("--bias-results", "r.json", "-p", "no:cacheprovider", "-n", "2")
    assert [comparable(one) for one in searches(suite)] == [comparable(one) for one in alone]
    assert any(one["cases"] for one in alone)
    assert lines(suite) == remembered


def test_the_memory_can_be_elsewhere(suite):
    suite.makepyprojecttoml('[tool.biascheck]\nworst_cases = "kept/here.jsonl"')
    suite.runpytest_subprocess("-p", "no:cacheprovider", "-k", "nurse")
    assert (suite.path / "kept" / "here.jsonl").is_file()
    suite.runpytest_subprocess("-p", "no:cacheprovider", "-k", "nurse", "--bias-worst-cases", "there.jsonl")
    assert (suite.path / "there.jsonl").is_file()


def test_a_memory_that_cannot_be_written_is_part_of_the_outcome(suite):
    (suite.path / "bias").write_text("a file where the folder should be")
    run = suite.runpytest_subprocess("-p", "no:cacheprovider", "-k", "nurse")
    run.stdout.fnmatch_lines(["FAIL: 1 test failed a gate, *worst_cases.jsonl could not be written*"])


OWN = """
import pytest
from hypothesis import given, settings

import biascheck
from biascheck import strategies

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, max_examples=40)
settings.load_profile("repeatable")


def fair(texts):
    return [0.5] * len(texts)


def unfair(texts):
    return [0.9 if "He " in text else 0.5 for text in texts]


@pytest.mark.bias
@given(strategies.sentences())
def test_fair(pair):
    biascheck.assert_invariant(fair, pair, bound=0.1)


@pytest.mark.bias
@given(strategies.sentences(strategies.pronouns()))
def test_unfair(pair):
    biascheck.assert_invariant(unfair, pair, bound=0.1)
"""


def test_the_examples_of_a_test_of_ones_own_are_one_search(pytester):
    pytester.makepyfile(OWN)
    run = pytester.runpytest_subprocess("--bias-results", "r.json", "--junitxml", "j.xml", "-p", "no:cacheprovider")
    assert run.ret == 1
    run.stdout.fnmatch_lines(["*2 searches: 1 found, 1 none found*", "*drawn by the test itself; a search"])
    fair, unfair = searches(pytester)
    assert (fair["examples"], fair["cases"]) == (40, [])
    assert [version["text"] for version in unfair["cases"][0]["versions"]] == ["He was ill.", "She was ill."]
    assert (pytester.path / "j.xml").read_text(encoding="utf-8").count("bias_search") == 2
    assert not (pytester.path / "bias").exists()  # Hypothesis remembers it


WITHOUT = """
import sys

sys.modules["hypothesis"] = None  # as if it were not installed
sys.modules["hypothesis.strategies"] = None
import biascheck
import biascheck.worst_cases.strategies as strategies
from biascheck.corpora import Pair

makers = [
    strategies.sentences, strategies.pronouns, strategies.names, strategies.terms, strategies.described,
    strategies.people, lambda: strategies.attributes(["nurse"]), lambda: strategies.templates(["{target} left."]),
    lambda: strategies.from_corpus(biascheck.corpora.religion()), lambda: strategies.texts(["He left."]),
    lambda: strategies.from_table("missing.csv"),
]
for make in makers:
    try:
        make()
    except biascheck.UsageError as error:
        assert "pip install 'pytest-biascheck[worst-cases]'" in str(error), error
    else:
        raise SystemExit(f"{make} did not complain")
sentences = {
    group: biascheck.extend.Sentence(f"{word} left.", biascheck.extend.Span(0, len(word)))
    for group, word in (("male", "He"), ("female", "She"))
}
print(biascheck.assert_invariant(lambda texts: [0.5] * len(texts), Pair("1", "", sentences), bound=0.1).verdict)
"""


def test_without_hypothesis_everything_else_works_and_strategies_name_the_extra(pytester):
    script = pytester.makepyfile(WITHOUT)
    run = pytester.run(sys.executable, script)
    assert (run.ret, run.outlines) == (0, ["none found"])


def test_a_run_without_searches_does_not_import_hypothesis(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_nothing():
            assert "hypothesis" not in sys.modules
            assert "biascheck.worst_cases.search" not in sys.modules
        """
    )
    run = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    run.assert_outcomes(passed=1)
