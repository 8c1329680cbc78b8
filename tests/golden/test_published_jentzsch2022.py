"""The printed figures of Jentzsch & Turan (2022) against the golden rows, and what the errata say follows from them."""

import csv
from pathlib import Path

import numpy as np
import pytest

from biascheck.papers import MODELS
from biascheck.papers.grid import CELLS, CONDITIONS
from biascheck.results.published import PublishedFigures

NAMES = {"distbase": "DistilBERT", "bertbase": "BERT-base", "bertlarge": "BERT-large"}
NAMES |= {"robertabase": "RoBERTa-base", "robertalarge": "RoBERTa-large"}
NAMES |= {"albertbase": "ALBERT-base", "albertlarge": "ALBERT-large"}
COLUMNS = {"absolute-nonzero": "abs_nz_r4", "total-nonzero": "tot_nz_r4", "absolute": "abs_all_r4"}
COLUMNS |= {"total": "tot_all_r4", "below": "n_neg", "above": "n_pos", "zero": "n_zero"}


@pytest.fixture(scope="module")
def figures():
    return PublishedFigures.read(Path(__file__).resolve().parents[2] / "suites" / "published.toml")


@pytest.fixture(scope="module")
def printed(figures):
    return lambda kind, row, column: figures.get(f"jentzsch2022.{kind}.{row}.{column}").value


def test_all_tables_are_there(figures):
    found = figures.listed("jentzsch2022")
    assert len(found) == 63 * (2 + 2 + 3 + 1) + 49 * 4 + 6


def test_biases_counts_and_stars_are_those_of_the_golden_rows(printed, gold):
    with (gold / "jentzsch" / "bias_63.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 63
    for row in rows:
        model, cell = NAMES[row["model"]], _cell(row["spec"])
        for kind, column in COLUMNS.items():
            assert printed(kind, model, cell) == pytest.approx(float(row[column]), abs=1e-12), (model, cell, kind)
        assert printed("stars", model, cell) == len(row["sig_bonf64"].replace("X", ""))


def _cell(spec):
    kind, _, terms = spec.partition("_")
    if kind == "original":
        return f"original-{terms.removeprefix('R')}"
    return f"{'R' if kind == 'N' else kind}-{terms}"


def test_every_review_is_counted_once(printed):
    for model in MODELS:
        for cell in CELLS:
            assert sum(printed(kind, model, cell) for kind in ("below", "zero", "above")) == 25_000


class TestErrata:
    """Claims of the paper that its own tables contradict; docs/errata.md has them."""

    def test_57_of_63_are_highly_significant(self, printed):
        stars = [printed("stars", model, cell) for model in MODELS for cell in CELLS]
        assert (len(stars), stars.count(3), stars.count(1)) == (63, 57, 1)
        assert printed("stars", "BERT-large", "mix-pro") == 1

    def test_five_accuracies_are_below_77_percent(self, printed):
        found = sorted(printed("accuracy", model, name) for model in MODELS for name in CONDITIONS)
        assert found[:6] == [0.693, 0.757, 0.762, 0.763, 0.767, 0.771]
        assert found[-1] == 0.836

    def test_roberta_base_has_the_smallest_biases(self, printed):
        means = {m: np.mean([printed("absolute-nonzero", m, cell) for cell in CELLS]) for m in MODELS}
        assert min(means, key=means.get) == "RoBERTa-base"
        rounded = {model: round(float(mean), 4) for model, mean in means.items()}
        assert (rounded["RoBERTa-base"], rounded["DistilBERT"], rounded["RoBERTa-large"]) == (0.0028, 0.0034, 0.0034)
        assert means["BERT-base"] / means["DistilBERT"] == pytest.approx(1.16, abs=0.01)
