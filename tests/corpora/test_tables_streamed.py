"""A large table is read row by row: the corpus is the same as from a small one, whatever the order of its rows."""

import csv
import hashlib
import json
import random

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora import corpus as pair_columns
from biascheck.corpora.corpus import Corpus, Pair, PairColumns, gathered_pairs
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.tables import corpus_from_table, rows_of

COLUMNS = ("pair", "group", "sentence", "target", "attribute", "template", "share")


def table(pairs: int) -> list[dict[str, str]]:
    return [
        dict(
            zip(COLUMNS, (f"p{i}", g, f"{i}: {t} is a job{i % 3}.", t, f"job{i % 3}", f"t{i % 2}", "0.5"), strict=True)
        )
        for i in range(pairs)
        for g, t in (("male", "he"), ("female", "she"))
    ]


def written(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(autouse=True)
def columns_from_five(monkeypatch):
    monkeypatch.setattr(pair_columns, "COLUMNS_FROM", 5)


def in_format(kind, tmp_path, rows):
    if kind == "csv":
        return written(tmp_path / "many.csv", rows)
    if kind == "jsonl":
        path = tmp_path / "many.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    if kind == "frame":
        return frame
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "many.parquet")
    return tmp_path / "many.parquet"


@pytest.mark.parametrize("kind", ["csv", "jsonl", "frame", "parquet"])
def test_every_format_gives_the_same_corpus(kind, tmp_path):
    whole = corpus_from_table(written(tmp_path / "small.csv", table(4)))
    assert isinstance(whole.pairs, tuple)
    many = corpus_from_table(in_format(kind, tmp_path, table(40)))
    assert isinstance(many.pairs, PairColumns)
    assert many.pairs[:4] == whole.pairs
    assert many.pairs[3].labels == {"template": "t1", "share": 0.5}
    assert [pair.id for pair in many] == [f"p{i}" for i in range(40)]


def test_rows_in_any_order_give_pairs_in_the_order_of_their_first_rows(tmp_path):
    rows = table(30)
    random.Random(3).shuffle(rows)
    corpus = corpus_from_table(written(tmp_path / "mixed.csv", rows), groups=("male", "female"))
    assert [pair.id for pair in corpus] == list(dict.fromkeys(row["pair"] for row in rows))
    assert corpus.fingerprint == corpus_from_table(written(tmp_path / "many.csv", table(30))).fingerprint


def test_the_fingerprint_is_the_digest_of_all_facts_at_once(tmp_path):
    """As it was computed before corpora were columns: results that were kept are found again."""
    corpus = corpus_from_table(written(tmp_path / "many.csv", table(12)), language="de", fillers=("Person",))
    pairs = [
        [
            pair.id,
            pair.attribute,
            [
                [
                    group,
                    sentence.text,
                    [sentence.target.start, sentence.target.end],
                    [sentence.attribute.start, sentence.attribute.end],
                ]
                for group, sentence in sorted(pair.sentences.items())
            ],
            sorted(pair.labels.items()),
        ]
        for pair in sorted(corpus, key=lambda pair: pair.id)
    ]
    facts = [("male", "female"), "de", ("Person",), (), pairs]
    assert corpus.fingerprint == hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.append(dict(rows[0])), r"row 41: pair 'p0' already has group 'male' in row 1"),
        (lambda rows: rows.pop(), r"pair 'p19' has groups \['male'\] but the corpus has \['female', 'male'\]"),
        (lambda rows: rows[7].update(template=""), r"row 8: no value in 'template'"),
        (lambda rows: rows[7].update(template="t9"), r"pair 'p3' has different values in column 'template'"),
        (lambda rows: rows[7].update(target="it"), r"row 8: target 'it' occurs not as a whole word"),
    ],
)
def test_what_is_wrong_in_a_large_table_is_named(change, message, tmp_path):
    rows = table(20)
    change(rows)
    with pytest.raises(CorpusError, match=message):
        corpus_from_table(written(tmp_path / "many.csv", rows))


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "mine.parquet"
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(CorpusError, match=r"mine.parquet is not a Parquet file that can be read"):
        corpus_from_table(path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(CorpusError, match=r"pip install 'pytest-biascheck\[arrow\]', or save it as .csv"):
        rows_of(path)


LABELS = st.dictionaries(st.sampled_from("abc"), st.one_of(st.text(max_size=3), st.floats(-1, 1), st.integers(0, 1)))


@given(st.lists(st.tuples(st.text(max_size=4), LABELS, st.booleans()), max_size=12))
def test_a_pair_comes_back_from_columns_as_it_was(rows):
    pairs = []
    for number, (text, labels, extra) in enumerate(rows):
        sentence = Sentence(f"ab cd{text}", Span(0, 2), Span(3, 4) if extra else None, (Span(4, 5),) if extra else ())
        pairs.append(Pair(f"{number}{text}", text, {"m": sentence, "f": Sentence("x", Span(0, 1))}, labels))
    columns = PairColumns(pairs)
    assert list(columns) == pairs
    assert columns == tuple(pairs)
    assert [list(map(type, pair.labels.values())) for pair in columns] == [
        list(map(type, pair.labels.values())) for pair in pairs
    ]


def test_an_iterator_is_a_corpus():
    sentences = {"m": Sentence("he runs", Span(0, 2)), "f": Sentence("she runs", Span(0, 3))}
    corpus = Corpus("mine", ("m", "f"), (Pair(str(i), "runs", sentences) for i in range(9)))
    assert len(corpus) == 9
    assert isinstance(corpus.with_groups(("f", "m")).pairs, PairColumns)
    assert isinstance(gathered_pairs(iter(corpus.pairs[:5])), tuple)
    with pytest.raises(CorpusError, match="'0' occurs twice, in places 1 and 2"):
        Corpus("twice", ("m", "f"), (Pair("0", "runs", sentences) for _ in range(9)))
