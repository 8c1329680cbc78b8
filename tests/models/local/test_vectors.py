"""Static vectors from every kind of file, and what is said of files that are none."""

import json
import sys

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.models.base import StaticVectors
from biascheck.models.scoring.queries import Refusal

WORDS = ["he", "she", "flight_attendant", "näive"]
TABLE = np.array([[1.0, 0.5], [-1.0, 0.25], [0.125, 2.0], [3.0, -4.0]], dtype=np.float32)


def lines(header=""):
    return header + "".join(f"{word} {row[0]} {row[1]}\n" for word, row in zip(WORDS, TABLE.tolist(), strict=True))


def binary():
    rows = [word.encode() + b" " + row.astype("<f4").tobytes() + b"\n" for word, row in zip(WORDS, TABLE, strict=True)]
    return b"4 2\n" + b"".join(rows)


def written(tmp_path, kind):
    path = tmp_path / {"binary": "w.bin", "npy-text": "w.npy", "npy-json": "w.npy"}.get(kind, "w.txt")
    if kind == "binary":
        path.write_bytes(binary())
    elif kind.startswith("npy"):
        np.save(path, TABLE)
        index = "\n".join(WORDS) + "\n" if kind == "npy-text" else json.dumps({w: i for i, w in enumerate(WORDS)})
        path.with_suffix(".txt" if kind == "npy-text" else ".json").write_text(index, encoding="utf-8")
    else:
        path.write_text(lines("4 2\n" if kind == "word2vec" else ""), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["glove", "word2vec", "binary", "npy-text", "npy-json"])
def test_every_kind_of_file_gives_the_same_table(kind, tmp_path):
    vectors = biascheck.load_vectors(written(tmp_path, kind))
    assert vectors.vocabulary == tuple(WORDS)
    assert (vectors.matrix == TABLE).all()
    assert (vectors.name, len(vectors)) == ("w", 4)
    assert isinstance(vectors, StaticVectors)


def test_a_table_of_gensim_is_taken_as_it_is():
    class KeyedVectors:
        index_to_key = WORDS
        vectors = TABLE

    assert biascheck.load_vectors(KeyedVectors()).name == "KeyedVectors"


def test_gensim_itself_where_it_is_installed(tmp_path):
    gensim = pytest.importorskip("gensim.models")
    keyed = gensim.KeyedVectors(2)
    keyed.add_vectors(WORDS, TABLE)
    keyed.save_word2vec_format(tmp_path / "g.bin", binary=True)
    assert (biascheck.load_vectors(tmp_path / "g.bin").matrix == biascheck.load_vectors(keyed).matrix).all()


def test_words_are_looked_up_as_they_are_then_in_lower_case_then_with_underscores():
    vectors = biascheck.load_vectors((WORDS, TABLE))
    states = vectors.vectors(["She", "flight attendant", "Flight attendant"])
    assert [state.vector.tolist() for state in states] == [TABLE[1].tolist(), TABLE[2].tolist(), TABLE[2].tolist()]
    assert "HE" in vectors
    assert "they" not in vectors
    assert vectors.vectors(["they"]) == [
        Refusal("'they' is not among the words of vectors; choose another word or drop it")
    ]


def test_a_zero_vector_has_no_direction():
    (refusal,) = biascheck.load_vectors((["x"], [[0.0, 0.0]])).vectors(["x"])
    assert "has no direction" in refusal.reason


def test_a_fingerprint_knows_words_and_numbers():
    one = biascheck.load_vectors((WORDS, TABLE))
    assert one.fingerprint == biascheck.load_vectors((WORDS, TABLE.copy()), name="other").fingerprint
    assert one.fingerprint != biascheck.load_vectors((WORDS, TABLE + 1)).fingerprint
    assert one.fingerprint != biascheck.load_vectors((WORDS[::-1], TABLE)).fingerprint


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "w.txt", "no vectors in the file"),
        (b"he 1 2\nshe 1\n", "w.txt", "not readable as text vectors"),
        (b"3 2\nhe 1 2\nshe x 2\n", "w.txt", "a line is a word and its numbers"),
        (b"\xff\xfe\x00\x01", "w.txt", "Name a binary file of word2vec .bin"),
        (b"he she\n", "w.bin", "does not count words and dimensions"),
        (b"9 200\nhe ", "w.bin", "promises 9 words of 200 numbers and is too short"),
        (b"2 2\nhe \x00\x00\x80\x3f\x00\x00\x80\x3fshe \x00", "w.bin", "ends within word 2 of 2; copy it again"),
        (b"not numpy", "w.npy", "no words beside the table; pass index=FILE"),
    ],
)
def test_a_file_that_is_none_is_named_with_a_remedy(content, name, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message):
        biascheck.load_vectors(tmp_path / name)


def test_pickles_are_never_read(tmp_path):
    np.save(tmp_path / "w.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "w.txt").write_text("a\n")
    with pytest.raises(ModelError, match="not readable as a NumPy table"):
        biascheck.load_vectors(tmp_path / "w.npy")


def test_what_is_no_table_is_refused():
    with pytest.raises(ModelError, match=r"no file 'nowhere\.txt' with word vectors"):
        biascheck.load_vectors("nowhere.txt")
    with pytest.raises(UsageError, match="dict is not a table of word vectors"):
        biascheck.load_vectors({"he": [1.0]})
    with pytest.raises(ModelError, match="give one row of numbers for every word"):
        biascheck.load_vectors((["a", "b"], [[1.0]]))
    with pytest.raises(ModelError, match="the table is empty"):
        biascheck.load_vectors(([], np.empty((0, 3))))


def test_parquet_without_pyarrow_names_it(tmp_path, monkeypatch):
    np.save(tmp_path / "w.npy", TABLE)
    (tmp_path / "w.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ModelError, match=r"needs pyarrow, .* pip install 'pytest-biascheck\[arrow\]'"):
        biascheck.load_vectors(tmp_path / "w.npy")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'["he", 1]',
            "not readable as a list of words (Expected `str`, got `int` - at `$[1]`); write it again as UTF-8",
        ),
        (b'{"he": 0, "she": 2}', "the rows of its words are not 0 to 1, each once; write it again"),
        (b'{"he": 0, "she": 0}', "the rows of its words are not 0 to 1, each once; write it again"),
        (b'{"he": 0, "she": "1"}', "not readable as a list of words (Expected `int`, got `str` - at `$[...]`)"),
        (b'["he"]', "1 words for 2 rows in w.npy; give one for each row"),
        (b'["he", "\\ud800"]', "not readable as a list of words ("),
        (b"[" * 100_000, "not readable as a list of words ("),
        (b'["he", "\xff"]', "not readable as a list of words ("),
    ],
)
def test_an_index_that_does_not_name_the_rows_is_refused(content, message, tmp_path):
    np.save(tmp_path / "w.npy", TABLE[:2])
    (tmp_path / "w.json").write_bytes(content)
    with pytest.raises(ModelError) as caught:
        biascheck.load_vectors(tmp_path / "w.npy")
    assert str(caught.value).startswith(f"{tmp_path / 'w.json'}: {message}")


def test_words_with_unusual_line_separators_stay_whole(tmp_path):
    """Published vocabularies have words of such characters; they end no line of the file."""
    np.save(tmp_path / "w.npy", TABLE)
    words = ["a\x85b", "\u2028", "c\x0bd", "e"]
    (tmp_path / "w.txt").write_bytes("\n".join(words).encode())
    assert biascheck.load_vectors(tmp_path / "w.npy").vocabulary == tuple(words)


@pytest.mark.parametrize("table", [np.array([["a"]]), np.ones(3), np.ones((1, 2), dtype=complex)])
def test_a_file_that_is_no_table_of_numbers_is_refused(table, tmp_path):
    np.save(tmp_path / "w.npy", table)
    (tmp_path / "w.txt").write_text("a\n")
    with pytest.raises(ModelError, match="not a table of numbers"):
        biascheck.load_vectors(tmp_path / "w.npy")
