"""Loaders of published files: exact counts, and no row lost silently."""

import csv
import difflib
import re
from collections import Counter

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import (
    bec_pro,
    data_directory,
    data_file,
    published_bec_pro,
    published_crows_pairs,
    published_eec,
)


def _write(path, rows, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _bec_rows(corpus):
    """Our corpus in the columns of the published file."""
    for pair in corpus:
        for gender, sentence in pair.sentences.items():
            middle = sentence.text[sentence.target.end : sentence.attribute.start]
            yield {
                "Sentence": sentence.text,
                "Template": f"<person subject>{middle}<profession>{sentence.text[sentence.attribute.end :]}",
                "Person": sentence.target_text,
                "Gender": gender,
                "Profession": sentence.attribute_text,
                "Profession_EN": pair.attribute,
            }


def test_published_bec_pro_is_our_own_to_the_last_span(shared_data):
    loaded = published_bec_pro(shared_data)
    assert loaded.left_out == ()
    assert len(loaded.corpus) == 2700
    assert loaded.corpus.fingerprint == bec_pro("en").fingerprint


def test_a_german_file_of_the_published_shape_is_read_back_whole(tmp_path):
    path = _write(tmp_path / "BEC-Pro_DE.tsv", list(_bec_rows(bec_pro("de"))), "\t")
    loaded = published_bec_pro(path)
    assert loaded.left_out == ()
    assert loaded.corpus.fingerprint == bec_pro("de").fingerprint


def test_bec_pro_rows_that_do_not_fit_are_listed(tmp_path):
    rows = list(_bec_rows(bec_pro("de")))[:6]
    rows[0]["Sentence"] = "Etwas ganz anderes."
    rows[3]["Person"] = "Mann"
    rows.append(dict(rows[4]))
    loaded = published_bec_pro(_write(tmp_path / "bec.tsv", rows, "\t"))
    assert len(loaded.corpus) == 1
    reasons = {item.id: item.reason for item in loaded.left_out}
    assert set(reasons) == {"0", "1", "2", "3", "6"}
    assert reasons["0"].startswith("does not fit its template")
    assert reasons["1"].endswith("has only the groups ['female']")
    assert reasons["2"].endswith("has only the groups ['male']")
    assert reasons["6"].startswith("repeats is-a/")


def test_eec_pairs_every_row(shared_data):
    loaded = published_eec(shared_data)
    assert loaded.left_out == ()
    with (shared_data / "eec" / "Equity-Evaluation-Corpus.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    texts = Counter((s.text, group) for pair in loaded.corpus for group, s in pair.sentences.items())
    assert texts == Counter((row["Sentence"], row["Gender"]) for row in rows)
    assert len(loaded.corpus) == 8640 // 2
    races = Counter(pair.labels["race"] for pair in loaded.corpus)
    assert races == {"African-American": 1440, "European": 1440, "none": 1440}
    emotions = Counter(pair.labels["emotion"] for pair in loaded.corpus)
    assert emotions == {"anger": 1050, "fear": 1050, "joy": 1050, "sadness": 1050, "none": 120}


def test_eec_spans_cover_the_noun_and_the_emotion_word(shared_data):
    corpus = published_eec(shared_data).corpus
    for pair in corpus:
        words = [s.target_text.lower() for s in pair.sentences.values()]
        assert "-".join(words) == str(pair.labels["persons"]).lower()
        found = {s.attribute_text for s in pair.sentences.values()}
        assert found == ({None} if pair.labels["emotion"] == "none" else {pair.attribute})
    assert any("shows the gender outside the target" in warning for warning in corpus.warnings)


def test_eec_rows_without_a_partner_are_listed(tmp_path, shared_data):
    with (shared_data / "eec" / "Equity-Evaluation-Corpus.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["Template"] == "<person subject> has two children."]
    alone = [row for row in rows if row["Person"] not in ("my aunt", "Nichelle")]
    loaded = published_eec(_write(tmp_path / "eec.csv", alone))
    reasons = {item.reason for item in loaded.left_out}
    assert "has-two-children/has-two-children/uncle-aunt has only the groups ['male']" in reasons
    assert sum("person has no partner" in reason for reason in reasons) == 1  # ten names face nine
    assert 2 * len(loaded.corpus) + len(loaded.left_out) == len(alone) == 58


def test_crows_pairs_takes_the_pairs_with_one_difference(shared_data):
    loaded = published_crows_pairs(shared_data)
    assert (len(loaded.corpus), len(loaded.left_out)) == (1266, 242)
    reasons = Counter(item.reason for item in loaded.left_out)
    assert reasons == {
        "the sentences differ in more than one stretch of words": 240,
        "one sentence only adds words, so the other has no target": 2,
    }
    kept = {pair.id for pair in loaded.corpus}
    # difflib counts the doubled full stop of pair 596 as a difference of its own
    assert kept ^ _one_replacement(shared_data) == {"crows-596"}


def _one_replacement(shared_data):
    token = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
    with (shared_data / "crows_pairs" / "crows_pairs_anonymized.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = set()
    for row in rows:
        both = token.findall(row["sent_more"]), token.findall(row["sent_less"])
        codes = [code[0] for code in difflib.SequenceMatcher(None, *both, autojunk=False).get_opcodes()]
        if [code for code in codes if code != "equal"] == ["replace"]:
            found.add(f"crows-{row['']}")
    return found


def test_crows_pairs_differ_in_the_target_alone(shared_data):
    corpus = published_crows_pairs(shared_data).corpus
    assert corpus.groups == ("more", "less")
    for pair in corpus:
        more, less = pair.sentences["more"], pair.sentences["less"]
        assert more.target_text != less.target_text
        outside = [_words(s.text[: s.target.start]) + _words(s.text[s.target.end :]) for s in (more, less)]
        assert outside[0] == outside[1]
    assert corpus.where(bias_type="gender", direction="stereo")


def _words(text):
    return re.findall(r"\w+", text)


def test_crows_pairs_small_cases(tmp_path):
    cases = {
        "same": ("He sings.", "He  sings."),
        "added": ("He sings.", "He sings well."),
        "twice": ("He loves his son.", "She loves her son."),
        "kept": ("The old man sings.", "The boy sings."),
    }
    rows = [
        {"": name, "sent_more": a, "sent_less": b, "stereo_antistereo": "stereo", "bias_type": "age"}
        for name, (a, b) in cases.items()
    ]
    loaded = published_crows_pairs(_write(tmp_path / "crows.csv", rows))
    (pair,) = loaded.corpus
    assert [s.target_text for s in pair.sentences.values()] == ["old man", "boy"]
    assert [item.id for item in loaded.left_out] == ["crows-same", "crows-added", "crows-twice"]
    assert loaded.left_out[0].reason == "the sentences have the same words"


LOADERS = {
    published_bec_pro: "becpro.BEC-Pro_EN.tsv",
    published_eec: "eec.Equity-Evaluation-Corpus.csv",
    published_crows_pairs: "crows_pairs.crows_pairs_anonymized.csv",
}


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_named_with_the_option(load, tmp_path, monkeypatch):
    with pytest.raises(DataNotFoundError, match=rf"{LOADERS[load]} does not exist.*--bias-data DIR.*BIASCHECK_DATA"):
        load(tmp_path)
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match=r"no data directory is named.*--bias-data DIR.*BIASCHECK_DATA"):
        load()


@pytest.mark.parametrize("load", LOADERS)
def test_a_foreign_file_is_refused_by_its_columns(load, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"lacks the columns .*it has \['a', 'b'\]: is it the published file"):
        load(path)


def test_the_data_directory_is_the_one_named_then_the_environments(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASCHECK_DATA", str(tmp_path))
    assert data_directory() == tmp_path
    assert data_directory(tmp_path / "other") == tmp_path / "other"
    monkeypatch.setenv("BIASCHECK_DATA", "")
    assert data_directory() is None


def test_a_data_file_is_found_as_itself_in_its_folder_and_below_the_root(tmp_path):
    path = tmp_path / "set" / "file.tsv"
    path.parent.mkdir()
    path.write_text("x", encoding="utf-8")
    assert {data_file(place, "set", "file.tsv") for place in (path, path.parent, tmp_path)} == {path}
    with pytest.raises(DataNotFoundError, match=r"nothing\.tsv does not exist"):
        data_file(tmp_path / "nothing.tsv", "set", "file.tsv")
