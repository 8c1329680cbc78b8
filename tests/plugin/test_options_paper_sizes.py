"""``--bias-paper-sizes`` and ``--bias-share``: how much of what was published a suite takes."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from biascheck.corpora import biased_words
from biascheck.results.attachments import Published
from biascheck.runs.file import read_run

SUITES = Path(__file__).resolve().parents[2] / "suites"


@pytest.fixture
def vectors(tmp_path):
    """A table in which gender is the first dimension."""
    rng = np.random.default_rng(0)
    rows = {entry.word: np.r_[2.0 * np.sign(entry.bias), rng.normal(size=5)] for entry in biased_words(500)}
    for male, female in (("he", "she"), ("man", "woman"), ("boy", "girl"), ("king", "queen"), ("son", "daughter")):
        rows[male], rows[female] = np.r_[3.0, rng.normal(size=5) / 4], np.r_[-3.0, rng.normal(size=5) / 4]
    file = tmp_path / "planted.txt"
    file.write_text("\n".join(f"{word} {' '.join(map(str, row.round(3)))}" for word, row in rows.items()), "utf-8")
    return file


@pytest.mark.parametrize(("flags", "words", "beside"), [((), 500, 0), (("--bias-paper-sizes",), 1_000, 3)])
def test_the_figures_of_the_paper_are_beside_its_sizes_only(pytester, monkeypatch, vectors, flags, words, beside):
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    shutil.copytree(SUITES, pytester.path / "suites")
    options = ("--bias-model", f"vectors:{vectors}", "--bias-results", "results.json", "-k", "clusters", *flags)
    # By path, not by name: our own tests have a module of the same name.
    plain = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")
    pytester.runpytest(*plain, "suites/basta2019", *options)
    (result,) = read_run(pytester.path / "results.json").results
    assert (result.measure, result.clusters) == ("cluster accuracy", words)
    published = [figure for one in result.attachments if isinstance(one, Published) for figure in one.figures]
    assert len(published) == beside


SHARED = """
    import biascheck

    def test_share(bias_share, bias_seed):
        assert len(biascheck.corpora.builtin_questions().subsample(bias_share, seed=bias_seed)) == {items}
"""


@pytest.mark.parametrize(("flags", "items"), [((), 240), (("--bias-share", "0.1"), 24), (("--bias-share", "1"), 240)])
def test_a_suite_is_given_the_share_that_was_asked_for(pytester, flags, items):
    pytester.makepyfile(SHARED.format(items=items))
    pytester.runpytest("-p", "biascheck.plugin", *flags).assert_outcomes(passed=1)


def test_the_share_can_be_a_setting(pytester):
    pytester.makepyprojecttoml("[tool.biascheck]\nshare = 0.5")
    pytester.makepyfile(SHARED.format(items=120))
    pytester.runpytest("-p", "biascheck.plugin").assert_outcomes(passed=1)


@pytest.mark.parametrize("share", ["0", "-0.1", "2", "nan"])
def test_a_share_is_between_0_and_1(pytester, share):
    pytester.makepyfile(SHARED.format(items=0))
    run = pytester.runpytest("-p", "biascheck.plugin", "--bias-share", share)
    assert run.ret != 0
    assert "is not between 0 and 1; 2 % is --bias-share 0.02" in run.stdout.str() + run.stderr.str()


FIRST_LETTER = """
    import pytest
    from biascheck.testing import ContinuationTable

    @pytest.fixture(scope="session")
    def bias_model():
        return ContinuationTable(lambda _context, letter: -1.0 if letter.strip() == "A" else -2.0)
"""
ALL = "--bias-paper-sizes"


@pytest.mark.parametrize(
    ("flags", "asked"), [((), 120 * 2), (("--bias-share", "0.5"), 60 * 2), ((ALL, "--bias-share", "0.02"), 74 * 6)]
)
def test_published_questions_are_asked_as_all_would_be(pytester, monkeypatch, shared_data, flags, asked):
    """Of 3,680 questions about age 120, or half of these, in two orders of the options; or 2 % of all in six orders."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    shutil.copytree(SUITES, pytester.path / "suites")
    pytester.makeconftest(FIRST_LETTER)
    options = ("--bias-data", str(shared_data), "--bias-results", "results.json", *flags)
    chosen = ("suites/parrish2022", "-k", "test_accuracy_on_published_questions and Age and letter")
    plain = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")
    pytester.runpytest(*plain, *chosen, *options)
    results = read_run(pytester.path / "results.json").results
    assert [result.measure for result in results] == ["answer accuracy"] * 2
    assert sum(result.n for result in results) == asked
