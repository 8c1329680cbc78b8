"""Reviews: our own, the published forms, and their two versions."""

import gzip
import re
from pathlib import Path

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import (
    Review,
    Reviews,
    cleaned_reviews,
    published_imdb,
    published_sst2,
    review_pairs,
    reviews,
    written_reviews,
)
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms


def test_our_reviews_are_many_balanced_and_about_people():
    everything = reviews()
    assert len(everything) == len({item.text for item in everything}) == 1608
    rewriter = Rewriter()
    assert all(rewriter.find(item.text) for item in everything)
    for part, size in (("train", 1206), ("test", 402)):
        sentiments = [item.sentiment for item in reviews(part)]
        assert (len(sentiments), sentiments.count("positive")) == (size, size // 2)
    assert not {item.id for item in reviews("train")} & {item.id for item in reviews("test")}
    written = {item.id for item in written_reviews()}
    assert len(written) == 416 == len(written & {item.id for item in everything})


def sentences_in(texts):
    """Sentences as they are compared: letters and digits alone, and only where there is more than an exclamation."""
    parts = (re.sub(r"[^a-z0-9]+", " ", part.lower()).strip() for text in texts for part in re.split(r"[.!?]+", text))
    return {part for part in parts if len(part.split()) > 4}


def test_composed_reviews_are_those_of_the_tool_and_no_verdict_is_in_both_parts(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "tools"))
    import compose_reviews as tool

    lines = tool.TABLE.read_text(encoding="utf-8").splitlines()
    assert lines[1:] == ["\t".join(row) for row in tool.composed()]
    for kind in tool.KINDS:
        train, test = (tool.parts_of(kind, part) for part in ("train", "test"))
        for own, other in ((train.verdicts, test.verdicts), (train.closings, test.closings)):
            assert not {row[s] for row in own for s in ("positive", "negative")} & {
                row[s] for row in other for s in ("positive", "negative")
            }


def test_no_sentence_of_ours_is_in_the_imdb_reviews(shared_data):
    ours = sentences_in(reviews().texts)
    assert len(ours) > 1500
    theirs = sentences_in([text for part in ("train", "test") for text in published_imdb(shared_data, part).texts])
    assert not ours & theirs


def test_cleaned_reviews_have_neither_case_nor_punctuation():
    source = Reviews("mine", (Review("a", "She's GOOD — “really” good:  10/10, naïve!", "positive"),))
    cleaned = cleaned_reviews(source)
    assert cleaned.texts == ["she s good really good 10 10 naïve"]
    assert (cleaned.name, cleaned.items[0].id, cleaned.items[0].sentiment) == ("mine·cleaned", "a", "positive")


def test_neither_gender_goes_with_a_sentiment_in_our_reviews():
    to_female, to_male = (gender_terms("all").counterparts(gender) for gender in ("female", "male"))
    counts = {"positive": [0, 0], "negative": [0, 0]}
    for item in reviews():
        words = [span.of(item.text).lower() for span in Rewriter().find(item.text)]
        counts[item.sentiment][0] += sum(word in to_female for word in words)
        counts[item.sentiment][1] += sum(word in to_male for word in words)
    shares = [male / (male + female) for male, female in counts.values()]
    assert abs(shares[0] - shares[1]) < 0.06


def test_pairs_have_their_terms_as_targets():
    source = Reviews(
        "mine", (Review("a", "She liked her brother.", "positive"), Review("b", "No one here.", "negative"))
    )
    corpus = review_pairs(source, "all")
    first, second = corpus
    assert corpus.name == "mine·all"
    assert corpus.groups == ("male", "female")
    assert first.sentences["male"].text == "He liked his brother."
    assert first.sentences["female"].text == "She liked her sister."
    assert [span.of("She liked her sister.") for span in first.sentences["female"].people] == ["her", "sister"]
    assert dict(first.labels) == {"sentiment": "positive", "terms": 3}
    assert second.sentences["male"] == second.sentences["female"]
    assert second.labels["terms"] == 0
    assert "Stephen Queen" in corpus.warnings[0]


def test_a_smaller_set_turns_fewer_words():
    source = Reviews("mine", (Review("a", "The actress praised her aunt.", "positive"),))
    texts = {name: review_pairs(source, name).pairs[0].sentences["male"].text for name in ("pro", "weat", "all")}
    assert texts == {
        "pro": "The actress praised his aunt.",
        "weat": "The actress praised his uncle.",
        "all": "The actor praised his uncle.",
    }


def test_the_imdb_folder(tmp_path):
    for part, label, name, text in [("train", "pos", "1_9", "Fine.<br /><br />Yes"), ("train", "neg", "2_1", "Bad.")]:
        folder = tmp_path / part / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    found = published_imdb(tmp_path, "train")
    assert [(item.id, item.text, item.sentiment) for item in found] == [
        ("train/pos/1_9", "Fine.  Yes", "positive"),
        ("train/neg/2_1", "Bad.", "negative"),
    ]


def test_the_imdb_table(tmp_path):
    file = tmp_path / "imdb_sample.csv.gz"
    rows = 'split,label,rating,id,text\ntest,pos,9,5_9.txt,"Good, she said."\ntrain,neg,1,6_1.txt,Bad\n'
    file.write_bytes(gzip.compress(rows.encode()))
    (only,) = published_imdb(file, "test")
    assert (only.id, only.text, only.sentiment) == ("test/pos/5_9", "Good, she said.", "positive")


def test_sst2(tmp_path):
    file = tmp_path / "dev.tsv"
    file.write_text('sentence\tlabel\na "fine" film \t1\ndull\t0\n', encoding="utf-8")
    assert [(item.text, item.sentiment) for item in published_sst2(file)] == [
        ('a "fine" film', "positive"),
        ("dull", "negative"),
    ]


def test_as_many_of_each_sentiment(shared_data):
    part = published_imdb(shared_data, "test", limit=100)
    assert [item.sentiment for item in part].count("positive") == 50
    with pytest.raises(CorpusError, match="3000 positive and 3000 negative reviews; 9000 cannot be taken"):
        published_imdb(shared_data, "test", limit=9000)


def test_wrong_files_say_what_is_wrong(tmp_path):
    with pytest.raises(DataNotFoundError, match=r"imdb_sample\.csv\.gz does not exist"):
        published_imdb(tmp_path, "test")
    with pytest.raises(DataNotFoundError, match=r"none\.tsv does not exist"):
        published_sst2(tmp_path / "none.tsv")
    file = tmp_path / "dev.tsv"
    file.write_text("text\tlabel\nx\t1\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"dev\.tsv lacks the columns \['sentence'\]"):
        published_sst2(file)
    file.write_text("sentence\tlabel\nx\t5\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"dev\.tsv: label '5' is not one of"):
        published_sst2(file)
    with pytest.raises(CorpusError, match="reviews 'none' are empty"):
        Reviews("none", ())
