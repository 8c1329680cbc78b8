"""Documents: sources, splits and fingerprints."""

import gzip

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import Document, Documents, published_gap_texts, read_documents, reviews, sentences_of

TEXTS = [f"Text number {n} speaks of her." for n in range(200)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He met Mr. Smith. They left.", ["He met Mr. Smith.", "They left."]),
        ("J. R. Smith went in 1990. She stayed.", ["J. R. Smith went in 1990.", "She stayed."]),
        ('"Who is it?" she asked. Nobody knew!', ['"Who is it?" she asked.', "Nobody knew!"]),
        ("Prof. Jones and Mrs. Hall spoke (at last). He slept.", None),
        ("one line without an end", ["one line without an end"]),
        ("  ", []),
    ],
)
def test_sentences(text, sentences):
    expected = sentences or ["Prof. Jones and Mrs. Hall spoke (at last).", "He slept."]
    assert sentences_of(text) == (sentences if sentences is not None else expected)


def test_no_word_is_lost_between_sentences():
    for item in reviews():
        assert " ".join(sentences_of(item.text)).split() == item.text.split()


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.tsv", "a.csv"])
def test_files_are_read_alike(tmp_path, name):
    content = {
        "txt": "one text\n\nanother “text”\n",
        "tsv": "ID\tText\n1\tone text\n2\tanother “text”\n",
        "csv": "text,id\none text,1\nanother “text”,2\n",
    }[name.split(".")[1]].encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    documents = read_documents(tmp_path / name)
    assert (documents.name, documents.texts) == ("a", ["one text", "another “text”"])


def test_a_missing_file_or_column_is_an_error(tmp_path):
    with pytest.raises(DataNotFoundError, match="give a file with one text per line"):
        read_documents(tmp_path / "no.txt")
    (tmp_path / "a.tsv").write_text("ID\tBody\n1\tx\n")
    with pytest.raises(CorpusError, match="lacks the column Text; it has"):
        read_documents(tmp_path / "a.tsv")


def test_documents_without_text_or_with_an_id_twice_are_refused():
    with pytest.raises(CorpusError, match="missing data never passes"):
        Documents.of("empty", ["", " "])
    with pytest.raises(CorpusError, match="'a' occurs twice"):
        Documents("twice", (Document("a", "x"), Document("a", "y")))


def test_a_split_depends_on_each_document_alone():
    whole = Documents.of("t", TEXTS)
    kept, aside = whole.split(0.2, seed=3)
    assert {d.id for d in kept} | {d.id for d in aside} == {d.id for d in whole}
    assert {d.id for d in kept} & {d.id for d in aside} == set()
    assert 20 <= len(aside) <= 60
    fewer = Documents("t", whole.items[50:])
    assert {d.id for d in fewer.split(0.2, seed=3)[1]} == {d.id for d in aside} & {d.id for d in fewer}
    assert {d.id for d in whole.split(0.2, seed=4)[1]} != {d.id for d in aside}


def test_versions_of_one_document_are_on_one_side():
    items = [Document(f"{n}/{v}", f"text {n} {v}", str(n)) for n in range(50) for v in "ab"]
    kept, aside = Documents("t", tuple(items)).split(0.3)
    assert {d.source for d in kept}.isdisjoint(d.source for d in aside)


def test_both_parts_of_a_split_have_something():
    two = Documents.of("t", ["a b", "c d"])
    for share in (0.001, 0.999):
        assert [len(part) for part in two.split(share)] == [1, 1]
    with pytest.raises(CorpusError, match="needs at least two"):
        two.first(1).split(0.5)


def test_the_fingerprint_knows_the_text_and_its_order():
    one, other = Documents.of("t", ["a b", "c d"]), Documents.of("t", ["c d", "a b"])
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == Documents("another name", one.items).fingerprint


def test_gap_comes_with_its_candidates(shared_data):
    gap = published_gap_texts(shared_data)
    assert len(gap) == 2000
    assert len(published_gap_texts(shared_data, "validation")) == 454
    assert all(len(d.names) == 2 and all(name in d.text for name in d.names) for d in gap)
