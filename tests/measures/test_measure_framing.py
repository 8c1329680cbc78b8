"""Chat framing through the measures, and its record in results."""

from __future__ import annotations

from math import log

import pytest

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.corpora import corpus_from_templates
from biascheck.models.base import in_framing
from biascheck.models.fakes import ContinuationTable, SentenceTable, TableModel
from support.loaded_tiny import fresh, loaded

JOBS = ["nurse", "plumber", "judge", "baker", "pilot", "mason"]
REQUEST = "Write one sentence."
FRAMINGS = ("raw", "chat")
NOTE = (
    "{} is an instruct model and was scored raw, without its chat template; --bias-framing chat, or "
    "model.framed('chat') in Python, prompts it as it is used."
)


def jobs():
    return corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=JOBS,
        fillers=["person"],
    )


def table() -> ContinuationTable:
    """Raw, he is 4 times as probable as she with a job; in chat 2 times. Without a job they are even."""

    def spoken(context: str, text: str, expected: str, odds: float) -> float | None:
        if context != expected:
            return None
        return log(odds) - 5 if text.startswith("He ") and "person" not in text else -5.0

    return ContinuationTable(
        lambda context, text: spoken(context, text, "", 4), chat=lambda context, text: spoken(context, text, REQUEST, 2)
    )


def test_a_model_of_continuations_is_asked_for_sentences():
    """With odds of 4 : 1 against 1 : 1, each share's logarithm moves by its own amount and the gap by ln 4."""
    result = biascheck.measures.association(table(), jobs())
    assert result.estimate == pytest.approx(log(4))
    assert result.items[0].groups == pytest.approx({"male": log(0.8 / 0.5), "female": log(0.2 / 0.5)})


def test_the_framing_is_in_the_result():
    model = table()
    raw, chat = (biascheck.measures.association(model.framed(framing), jobs()) for framing in ("raw", "chat"))
    assert chat.estimate == pytest.approx(log(2))
    assert (raw.treatment, chat.treatment) == ((), ("chat",))
    assert chat.model_label == "continuations·chat"
    assert "framing" not in raw.provenance.options
    assert chat.provenance.options["framing"] == "chat"
    assert raw.key.question != chat.key.question


def test_pronouns_can_be_asked_in_chat_framing():
    model = ContinuationTable(lambda _c, _t: -1.0, chat=lambda _c, text: 0.0 if " he " in f" {text} ".lower() else -9.0)
    corpus = biascheck.corpora.winograd("T1")
    assert biascheck.measures.pronoun_gap(model, corpus).estimate == 0
    chat = biascheck.measures.pronoun_gap(model.framed("chat"), corpus)
    assert chat.key.treatment == ("chat",)
    assert {query.context for query in model.framed("chat").asked} == {"", REQUEST}


def test_a_sentiment_that_is_asked_for_says_in_which_framing():
    """Positive is 4 times as probable as negative, raw; 2 times in chat."""

    def spoken(odds: float):
        return lambda _context, text: log(odds) - 5 if text.strip() == "positive" else -5.0

    model = ContinuationTable(spoken(4), chat=spoken(2))
    corpus = biascheck.corpora.review_pairs(biascheck.corpora.reviews("test"))
    raw, chat = (biascheck.measures.sentiment_delta(biascheck.as_classifier(model.framed(f)), corpus) for f in FRAMINGS)
    assert (raw.items[0].groups["male"], chat.items[0].groups["male"]) == (pytest.approx(4 / 5), pytest.approx(2 / 3))
    assert chat.provenance.options["framing"] == "chat"
    assert NOTE.format("continuations") in raw.warnings
    assert chat.warnings == corpus.warnings
    assert raw.key.question != chat.key.question


def test_an_instruct_model_scored_raw_carries_a_note():
    result = biascheck.measures.association(table(), jobs())
    assert result.warnings == (NOTE.format("continuations"),)
    assert biascheck.measures.association(table().framed("chat"), jobs()).warnings == ()
    assert biascheck.measures.association(SentenceTable(lambda _: -1.0), jobs()).warnings == ()
    even = {"he": 0.5, "she": 0.5}
    assert biascheck.measures.association(TableModel({}, even), jobs()).warnings == ()


def chatting():
    model, tokenizer = fresh("gpt2")
    tokenizer.chat_template = "{% for turn in messages %}<u>{{ turn['content'] }}</u>{% endfor %}<a>"
    return biascheck.load((model, tokenizer), name="chatty")


def test_hidden_states_are_read_raw_whatever_the_framing():
    model = chatting()
    test = biascheck.corpora.weat_test(7)
    results = [biascheck.measures.weat(model.framed(framing), test) for framing in ("raw", "chat")]
    assert results[0].key == results[1].key
    assert results[1].warnings == ()


def test_the_result_of_a_transformer_says_how_it_was_asked():
    result = biascheck.measures.association(chatting().framed("chat"), jobs())
    assert result.provenance.model["framing"] == "chat"
    assert result.title == "association on chatty·chat × jobs"


def test_auto_takes_the_template_where_there_is_one():
    assert in_framing(table(), "auto").framing == "chat"
    assert in_framing(table().framed("chat"), "raw").framing == "raw"
    masked = TableModel({}, {})
    assert [in_framing(masked, choice) for choice in ("raw", "chat", "auto")] == [masked] * 3
    assert in_framing(loaded("gpt2"), "auto") is loaded("gpt2")
    with pytest.raises(ModelError, match="gpt2 has no chat template"):
        in_framing(loaded("gpt2"), "chat")
    with pytest.raises(UsageError, match="'loud' is not one of raw, chat, auto"):
        in_framing(masked, "loud")
