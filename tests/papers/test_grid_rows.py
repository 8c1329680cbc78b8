"""Compact columns: nothing that a figure needs is lost, and the paper's whole grid is a small file."""

import numpy as np
import pytest
from numpy.random import default_rng

from biascheck.core.errors import ResultError, ScoreError
from biascheck.mitigation import Condition
from biascheck.papers import MODELS, GridCell, GridRow, answers, read_grid, write_grid
from biascheck.papers.grid import CELLS
from biascheck.papers.page import write_grid_page
from support.grid_numbers import row_of

REVIEWS = 25_000


def whole_grid():
    """63 classifiers on 25,000 reviews: random deltas, a quarter of them zero, and random ratings."""
    rng = default_rng(5)
    ids = tuple(f"test/{label}/{n}_{n % 11}" for label in ("pos", "neg") for n in range(REVIEWS // 2))
    form = row_of(np.zeros(3))
    for model in MODELS.values():
        for name in CELLS:
            treatment, terms = name.split("-")
            condition = Condition() if treatment == "original" else Condition.named(name)
            deltas = rng.normal(0.001, 0.01, REVIEWS) * (rng.random(REVIEWS) > 0.25)
            cell = GridCell(model.hub_id, condition, terms)
            yield GridRow(cell, form.result, form.quality, ids, deltas, rng.random(REVIEWS).astype(np.float32))


def test_the_grid_of_the_paper_is_below_30_mb_and_its_page_below_10(tmp_path):
    rows = list(whole_grid())
    assert len(rows) == 63
    write_grid(tmp_path / "grid.npz", rows)
    assert (tmp_path / "grid.npz").stat().st_size < 30e6
    kept = read_grid(tmp_path / "grid.npz")
    assert [str(row.cell) for row in kept] == [str(row.cell) for row in rows]
    assert all(np.array_equal(a.deltas, b.deltas) for a, b in zip(kept, rows, strict=True))  # bit for bit
    assert [row.summary.n_zero for row in kept] == [row.summary.n_zero for row in rows]
    page = tmp_path / "grid.html"
    write_grid_page(page, kept, layers={model.hub_id: model.layers for model in MODELS.values()})
    assert page.stat().st_size < 10e6
    assert "Do larger models of a family have larger biases?" in page.read_text(encoding="utf-8")


def test_a_row_comes_back_as_it_was(tmp_path):
    rows = [row_of([0.1, -0.2, 0.0], condition="R-pro", terms="pro", batch=8)]
    rows.append(row_of([0.5, 0.25, 1e-300], ids=("a", "b", "c")))
    write_grid(tmp_path / "two.npz", rows)
    for kept, row in zip(read_grid(tmp_path / "two.npz"), rows, strict=True):
        assert (kept.cell, kept.ids, kept.quality, kept.result) == (row.cell, row.ids, row.quality, row.result)
        assert np.array_equal(kept.deltas, row.deltas)
        assert np.array_equal(kept.ratings, row.ratings)
        assert kept.summary == row.summary


def test_files_that_are_none(tmp_path):
    with pytest.raises(ScoreError, match="a grid without rows; run it first"):
        write_grid(tmp_path / "none.npz", [])
    write_grid(tmp_path / "cut.npz", [row_of([0.1, 0.2])])
    whole = (tmp_path / "cut.npz").read_bytes()
    for content in (b"", b"nothing", whole[: len(whole) // 2]):
        (tmp_path / "cut.npz").write_bytes(content)
        with pytest.raises(ResultError, match="run the grid again"):
            read_grid(tmp_path / "cut.npz")
    np.savez(tmp_path / "other.npz", facts=np.frombuffer(b'{"format": "x"}', dtype=np.uint8))
    with pytest.raises(ResultError, match="has the format 'x'"):
        read_grid(tmp_path / "other.npz")


def test_answers_of_a_stored_grid_are_those_of_the_grid(tmp_path):
    rng = default_rng(1)
    rows = [row_of(rng.normal(0, s, 40), model) for model, s in (("bert-base-uncased", 0.1), ("roberta-base", 0.2))]
    write_grid(tmp_path / "two.npz", rows)
    assert answers(read_grid(tmp_path / "two.npz")) == answers(rows)
