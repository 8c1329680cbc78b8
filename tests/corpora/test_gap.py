"""GAP: offsets are checked, long texts are cut around the mentions, and what does not fit is left out with a reason."""

import pytest

import biascheck
from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora.gap import GAP_COLUMNS
from support.gap_rows import HEADER, TEXT, row


def write(tmp_path, *rows, columns=HEADER):
    lines = ["\t".join(columns), *("\t".join(entry[c] for c in columns) for entry in rows)]
    (tmp_path / "gap-mine.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return biascheck.corpora.published_gap(tmp_path, parts=("mine",))


def test_mentions_stand_where_the_offsets_say(tmp_path):
    (item,) = write(tmp_path, row())
    assert [span.of(item.text) for span in item.mentions] == ["she", "Ann", "Bea"]
    assert (item.referent, item.gender, item.page) == ("A", "female", "page")


@pytest.mark.parametrize(
    ("a", "b", "referent"), [("TRUE", "FALSE", "A"), ("FALSE", "TRUE", "B"), ("FALSE", "FALSE", "neither")]
)
def test_the_referent_follows_the_two_columns(a, b, referent, tmp_path):
    (item,) = write(tmp_path, row(**{"A-coref": a, "B-coref": b}))
    assert item.referent == referent


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Pronoun-offset": "29"}, "Pronoun 'she' is not at offset 29 of the text"),
        ({"B-offset": "x"}, "B 'Bea' is not at offset x of the text"),
        ({"A": "Anna"}, "A 'Anna' is not at offset 0 of the text"),
        ({"A-coref": "TRUE", "B-coref": "TRUE"}, "both names are marked as the referent"),
        ({"B": "Ann", "B-offset": "0"}, "its mentions overlap"),
        ({"Pronoun": "left", "Pronoun-offset": "34"}, "the pronoun 'left' shows no gender"),
    ],
)
def test_a_row_that_does_not_fit_is_left_out_with_the_reason(changes, reason, tmp_path):
    gap = write(tmp_path, row(), row(ID="t-2", **changes))
    assert [(left.id, left.reason) for left in gap.left_out] == [("t-2", reason)]
    assert len(gap) == 1


def test_a_long_text_is_cut_around_its_mentions_at_spaces(tmp_path):
    before, after = "word " * 400, " tail" * 400
    long = row(
        Text=before + TEXT + after,
        **{name: str(int(row()[name]) + len(before)) for name in ("Pronoun-offset", "A-offset", "B-offset")},
    )
    (item,) = write(tmp_path, long)
    assert [span.of(item.text) for span in item.mentions] == ["she", "Ann", "Bea"]
    assert 1_000 < len(item.text) <= 1_200
    assert item.text.startswith("word")
    assert item.text.endswith("tail")
    gap = biascheck.corpora.published_gap(tmp_path, parts=("mine",), window=len(TEXT))
    assert gap.items[0].text.split() == TEXT.split()[:7] or len(gap.items[0].text) <= len(TEXT)
    with pytest.raises(CorpusError, match="is empty"):
        biascheck.corpora.published_gap(tmp_path, parts=("mine",), window=10)


def test_a_file_of_another_kind_is_named(tmp_path):
    with pytest.raises(CorpusError, match="has no column URL; it must be a GAP file"):
        write(tmp_path, row(), columns=[c for c in HEADER if c != "URL"])
    assert set(HEADER) == GAP_COLUMNS
    with pytest.raises(DataNotFoundError, match=r"gap-test\.tsv does not exist"):
        biascheck.corpora.published_gap(tmp_path, parts=("test",))


def test_the_fingerprint_knows_texts_labels_and_order(tmp_path):
    rows = [row(), row(ID="t-2", **{"A-coref": "FALSE"})]
    prints = {
        write(tmp_path, *r).fingerprint
        for r in (rows, rows[::-1], rows[:1], [row(Pronoun="her", Text=TEXT.replace("she", "her"))])
    }
    assert len(prints) == 4


def test_the_published_files_are_read_whole(shared_data):
    gap = biascheck.corpora.published_gap(shared_data)
    assert (len(gap), gap.left_out) == (2_454, ())
    development = biascheck.corpora.published_gap(shared_data, parts=("development",))
    neither = [item.gender for item in development if item.referent == "neither"]
    # the counts that Kurita et al. 2019 state
    assert (neither.count("male"), neither.count("female"), len(development)) == (103, 98, 2_000)
