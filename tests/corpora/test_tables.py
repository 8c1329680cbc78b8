"""The user's own table: read exactly, or refused with the row and the remedy."""

import json

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import Attribute, Target, bec_pro, corpus_from_table, corpus_from_templates
from support.fuzzing import is_refused, mutations

ROWS = [
    {"pair": "1", "group": "male", "sentence": "My son is a mason.", "target": "son", "attribute": "mason"},
    {
        "pair": "1",
        "group": "female",
        "sentence": "My daughter is a mason.",
        "target": "daughter",
        "attribute": "mason",
    },
    {"pair": "2", "group": "male", "sentence": "He is a nurse.", "target": "He", "attribute": "nurse"},
    {"pair": "2", "group": "female", "sentence": "She is a nurse.", "target": "She", "attribute": "nurse"},
]


def _changed(row, **cells):
    return [dict(r, **cells) if number == row else dict(r) for number, r in enumerate(ROWS)]


def _with(column, values):
    return [dict(row, **{column: value}) for row, value in zip(ROWS, values, strict=True)]


def _frame(rows):
    return pd.DataFrame(rows)


def _write(tmp_path, kind):
    path = tmp_path / f"mine.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    else:
        _frame(ROWS).to_csv(path, sep="," if kind == "csv" else "\t", index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_all_sources_give_the_same_corpus(tmp_path, kind):
    corpus = corpus_from_table(_write(tmp_path, kind), name="mine")
    assert corpus.fingerprint == corpus_from_table(_frame(ROWS)).fingerprint
    assert corpus.groups == ("male", "female")
    first = corpus.pairs[0].sentences["male"]
    assert (first.target_text, first.target.start) == ("son", 3)
    assert (first.attribute_text, first.attribute.start) == ("mason", 12)
    assert corpus.pairs[0].attribute == "mason"


def test_a_whole_corpus_survives_the_table():
    corpus = bec_pro("de").where(persons="Sohn-Tochter")
    rows = [
        {
            "pair": pair.id,
            "group": group,
            "sentence": s.text,
            "target": s.target_text,
            "attribute": s.attribute_text,
            "attribute_name": pair.attribute,
            "target_start": s.target.start,
            "attribute_start": s.attribute.start,
            **pair.labels,
        }
        for pair in corpus
        for group, s in pair.sentences.items()
    ]
    back = corpus_from_table(_frame(rows), language="de")
    assert back.pairs == corpus.pairs


@given(
    st.text(st.sampled_from("abc"), min_size=1, max_size=3),
    st.lists(st.text(st.sampled_from("abc"), max_size=3)),
)
def test_a_word_is_found_only_where_it_stands_alone_and_once(word, others):
    text = " ".join(["x", *others, word])
    rows = [
        {"pair": "1", "group": "a", "sentence": text, "target": word},
        {"pair": "1", "group": "b", "sentence": "She sings.", "target": "She"},
    ]
    if others.count(word):
        with pytest.raises(CorpusError, match=rf"occurs {others.count(word) + 1} times .* give target_start"):
            corpus_from_table(_frame(rows))
    else:
        sentence = corpus_from_table(_frame(rows)).pairs[0].sentences["a"]
        assert (sentence.target_text, sentence.target.end) == (word, len(text))


def test_offsets_decide_where_a_word_occurs_twice():
    rows = _changed(0, sentence="A son of a son is a mason.")
    with pytest.raises(CorpusError, match=r"row 1: target 'son' occurs 2 times in .*; give target_start"):
        corpus_from_table(_frame(rows))
    rows[0]["target_start"] = 11
    corpus = corpus_from_table(_frame(rows))  # the other rows have no offset and need none
    assert corpus.pairs[0].sentences["male"].target.start == 11


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (4, r"row 1: at target_start 4 is 'on ', not the target 'son'"),
        (-3, "row 1: at target_start -3"),
        (99, "row 1: at target_start 99 is ''"),
        (3.5, "row 1: target_start is 3.5; it must be a whole number"),
        ("third", "row 1: target_start is 'third'; it must be a whole number"),
    ],
)
def test_a_wrong_offset_is_refused(start, message):
    with pytest.raises(CorpusError, match=message):
        corpus_from_table(_frame(_changed(0, target_start=start)))


def test_labels_keep_numbers_and_words_and_words_that_look_missing():
    corpus = corpus_from_table(_frame(_with("share", ["88.3", "88.3", "2", "2"])))
    assert [pair.labels["share"] for pair in corpus] == [88.3, 2.0]
    mixed = corpus_from_table(_frame(_with("code", ["1", "1", "x", "x"])))
    assert [pair.labels["code"] for pair in mixed] == ["1", "x"]


def test_a_word_that_looks_missing_is_a_word(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("pair,group,sentence,target\n1,a,Nan sings.,Nan\n1,b,NA sings.,NA\n", encoding="utf-8")
    assert [s.target_text for s in corpus_from_table(path).sentences()] == ["Nan", "NA"]


def test_groups_order_and_columns_are_the_users():
    corpus = corpus_from_table(_frame(ROWS).rename(columns={"sentence": "text"}), groups=["female", "male"],
                               columns={"sentence": "text"}, fillers=["worker"])  # fmt: skip
    assert corpus.groups == ("female", "male")
    assert corpus.sentences()[0].text == "My daughter is a mason."
    assert corpus.fillers == ("worker",)


def test_without_an_attribute_each_pair_stands_alone():
    corpus = corpus_from_table(_frame(ROWS).drop(columns="attribute"))
    assert [pair.attribute for pair in corpus] == ["1", "2"]
    assert corpus.sentences()[0].attribute is None


REFUSED = {
    "missing cell": (
        _changed(2, target=None),
        {},
        r"row 3: no value in 'target'; fill it in or remove the pair",
    ),
    "missing label": (
        _with("job", ["a", "a", None, "b"]),
        {},
        r"row 3: no value in 'job'.*leave the column out",
    ),
    "absent word": (_changed(0, target="boy"), {}, "row 1: target 'boy' occurs not as a whole word"),
    "one word for both": (
        _changed(1, sentence="My Son is a mason.", target="Son"),
        {},
        r"pair '1': the target of 'male' and of 'female' is the same, 'Son', so .*; give each group a word",
    ),
    "part of a word": (_changed(0, attribute="mas"), {}, "row 1: attribute 'mas' occurs not as a whole word"),
    "overlap": (_changed(0, attribute="son is"), {}, "row 1: target and attribute overlap"),
    "group twice": (_changed(1, group="male"), {}, r"row 2: pair '1' already has group 'male' in row 1"),
    "group missing": (
        ROWS[:3],
        {},
        r"pair '2' has groups \['male'\] but the corpus has \['female', 'male'\]",
    ),
    "group unnamed": (ROWS, {"groups": ["male", "other"]}, r"the corpus has \['male', 'other'\]"),
    "label differs": (
        _with("job", ["a", "b", "c", "c"]),
        {},
        r"pair '1' has different values in column 'job'",
    ),
    "label absent": (ROWS, {"labels": ["job"]}, r"has no columns \['job'\] to use as labels"),
    "column renamed": (ROWS, {"columns": {"target": "word"}}, r"lacks the columns \['word'\]"),
    "option renamed": (ROWS, {"columns": {"target_start": "at"}}, r"lacks the columns \['at'\]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_name(case):
    rows, options, message = REFUSED[case]
    with pytest.raises(CorpusError, match=message):
        corpus_from_table(_frame(rows), **options)


def test_labels_can_be_chosen():
    rows = [dict(row, note=str(number), job="x") for number, row in enumerate(ROWS)]
    corpus = corpus_from_table(_frame(rows), labels=["job"])
    assert dict(corpus.pairs[0].labels) == {"job": "x"}


FILES = {
    "columns": ("mine.csv", b"pair,group\n1,male\n",
                r"mine.csv lacks the columns \['sentence', 'target'\]; it has \['pair', 'group'\]"),
    "empty": ("mine.csv", b"", "mine.csv has no rows; missing data never passes"),
    "header only": ("mine.tsv", b"pair\tgroup\n", "mine.tsv has no rows"),
    "no lines": ("mine.jsonl", b"\n\n", "mine.jsonl has no rows"),
    "extension": ("mine.xlsx", b"x", r"unknown extension '.xlsx'; use .csv, .tsv, .jsonl or .parquet"),
    "ragged": (
        "mine.csv",
        b"pair,group,sentence,target\n1,2,3,4\n1,2,3,4,5\n",
        "mine.csv, line 3: 5 cells for 4 columns",
    ),
    "twice": ("mine.csv", b"a,a\n1,2\n", "has a column twice"),
    "encoding": ("mine.csv", b"a,b\n\xe9,2\n", r"is not UTF-8 \(byte 4\)"),
    "not JSON": ("mine.jsonl", b'{"a": 1}\n{', "mine.jsonl, line 2: not JSON"),
    "no object": ("mine.jsonl", b"[1]", "mine.jsonl, line 1: not a JSON object"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_is_refused_by_name(case, tmp_path):
    name, content, message = FILES[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        corpus_from_table(tmp_path / name)


def test_no_file_and_no_frame(tmp_path):
    with pytest.raises(DataNotFoundError, match=r"absent\.csv does not exist"):
        corpus_from_table(str(tmp_path / "absent.csv"))
    with pytest.raises(CorpusError, match="cannot read rows from a list"):
        corpus_from_table(ROWS)
    with pytest.raises(CorpusError, match="the DataFrame has a column twice"):
        corpus_from_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(CorpusError, match="the DataFrame has no rows"):
        corpus_from_table(pd.DataFrame(columns=["pair"]))


def test_lists_make_a_corpus():
    corpus = corpus_from_templates(
        "mine",
        templates=["{target} is {attribute}."],
        targets=[
            {"male": "my brother", "female": "my sister"},
            {"male": Target("he", "male"), "female": "she"},
        ],
        attributes=["kind", Attribute("cruel", {"valence": "bad"})],
    )
    assert [s.text for s in corpus.sentences()][:2] == ["My brother is kind.", "My sister is kind."]
    assert corpus.sentences()[0].target_text == "brother"
    assert len(corpus) == 4
    assert corpus.where(valence="bad").pairs[-1].id == "{target} is {attribute}./cruel/he-she"


def test_lists_that_make_no_corpus_are_refused():
    he_she = {"male": "he", "female": "she"}
    with pytest.raises(CorpusError, match="at least one template and one target set"):
        corpus_from_templates("mine", templates=[], targets=[he_she])
    with pytest.raises(CorpusError, match="target 'he' has group 'male' but is listed under 'female'"):
        corpus_from_templates("mine", templates=["{target} sings."], targets=[{"female": Target("he", "male")}])
    with pytest.raises(CorpusError, match="the target of 'male' and of 'female' is the same, 'he'"):
        corpus_from_templates("mine", templates=["{target} sings."], targets=[{"male": "he", "female": "he"}])
    with pytest.raises(CorpusError, match=r"the corpus has \['black', 'white'\]"):
        corpus_from_templates("mine", templates=["{target} sings."], targets=[he_she], groups=["white", "black"])


def test_words_that_differ_in_their_determiner_alone_are_two_words():
    targets = [{"male": "mein Angestellter", "female": "meine Angestellter"}]
    assert len(corpus_from_templates("mine", templates=["{target} singt."], targets=targets)) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[" * 100_000, "line 5: nested too deeply to be read; write one object per line"),
        ('{"pair": ' + "9" * 5_000 + "}", "line 5: not JSON"),
        ('{"pair": "1", "sentence": "\\ud800"}', "line 5: half a character"),
    ],
)
def test_a_line_that_python_cannot_read_is_refused_by_its_number(tmp_path, line, message):
    path = _write(tmp_path, "jsonl")
    path.write_text(path.read_text(encoding="utf-8") + "\n" + line, encoding="utf-8")
    with pytest.raises(CorpusError, match=f"mine.jsonl, {message}"):
        corpus_from_table(path)


def test_a_separator_of_lines_inside_a_text_is_no_end_of_a_line(tmp_path):
    path = tmp_path / "mine.jsonl"
    rows = [{**row, "note": "one\u2028two\u0085three\rfour"} for row in ROWS]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    assert len(corpus_from_table(path)) == 2


def test_a_cell_that_is_too_long_for_a_table_is_refused(tmp_path):
    path = _write(tmp_path, "csv")
    path.write_text(path.read_text(encoding="utf-8") + "x" * 200_000, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"mine.csv is no table that can be read \(field larger than field limit"):
        corpus_from_table(path)


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_a_damaged_table_is_read_or_refused_by_an_error_of_ours(tmp_path, kind, count, seed):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        _frame(ROWS).to_parquet(tmp_path / "mine.parquet")
    path = tmp_path / "mine.parquet" if kind == "parquet" else _write(tmp_path, kind)
    whole = path.read_bytes()
    # the lines of JSON are damaged one by one, so that some damage is to their documents
    head, last = (b"", whole) if kind != "jsonl" else (whole[: whole.rindex(b"\n") + 1], whole.rsplit(b"\n", 1)[-1])
    refused = 0
    for content in mutations(last, count, seed):
        path.write_bytes(head + content)
        refused += is_refused(lambda: corpus_from_table(path, name="mine.").fingerprint, "mine.")
    assert 0.1 * count < refused < count
