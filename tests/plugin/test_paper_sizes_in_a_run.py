"""``--bias-paper-sizes``: as many words as in the paper, and its figures beside the same sizes only."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from biascheck.corpora import biased_words
from biascheck.gates.run_files import read_run
from biascheck.results.attachments import Published

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
