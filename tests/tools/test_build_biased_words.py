"""The bias of a word is its projection on he − she, and names are not among the words."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import biascheck

PATH = Path(__file__).resolve().parents[2] / "tools" / "build_biased_words.py"
SPEC = importlib.util.spec_from_file_location("build_biased_words", PATH)
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)


def test_the_bias_is_the_projection_of_the_normalised_vector():
    vectors = biascheck.load_vectors((["he", "she", "coach", "nurse"], [[2, 1], [-2, 1], [3, 4], [-5, 12]]))
    assert tool.projections(vectors, ["coach", "nurse", "unknown"]) == pytest.approx({"coach": 3 / 5, "nurse": -5 / 13})


def test_words_that_text_writes_with_a_capital_are_names(tmp_path):
    (tmp_path / "imdb").mkdir()
    (tmp_path / "gap").mkdir()
    with gzip.open(tmp_path / "imdb" / "imdb_unsupervised_20k.txt.gz", "wt", encoding="utf-8") as file:
        file.write("Then Amy saw a rose. " * 4 + "Rose came.\n")
    for part in ("development", "validation"):
        (tmp_path / "gap" / f"gap-{part}.tsv").write_text("ID\tText\n1\tNothing else.\n", encoding="utf-8")
    found = tool.words_in_lower_case(tmp_path)
    assert {"saw", "rose"} <= found
    assert "amy" not in found
    assert "else" not in found  # seen too rarely


def test_the_shipped_lists_are_what_the_tool_computes():
    pytest.importorskip("pyarrow")
    try:
        glove = biascheck.load_vectors(tool.GLOVE_PACKAGE)
    except biascheck.BiascheckError as error:
        pytest.skip(str(error))
    from biascheck.corpora.lexicon import word_bias

    for table in ("biased_words", "profession_bias"):
        shipped = word_bias(table)
        computed = tool.projections(glove, list(shipped))
        assert np.abs([shipped[word] - computed[word] for word in shipped]).max() < 6e-5
