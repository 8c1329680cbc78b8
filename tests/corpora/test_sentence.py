"""Sentences with more than one person: spans that stay true when words are replaced."""

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import CorpusError
from biascheck.corpora import Corpus, Pair, Sentence, Span

TEXT = "The cook paid the nurse because he could."
COOK, NURSE, HE = Span(4, 8), Span(18, 23), Span(32, 34)
SENTENCE = Sentence(TEXT, HE, NURSE, (COOK,))


def corpus_of(sentence):
    return Corpus("one", ("male", "female"), (Pair("p", "nurse", {"male": sentence, "female": sentence}),))


def test_people_come_from_left_to_right():
    assert [span.of(TEXT) for span in SENTENCE.people] == ["cook", "nurse"]
    assert Sentence(TEXT, HE).people == ()


@given(st.text("abc ", min_size=1), st.text("abc ", min_size=1), st.text("xyz", min_size=1))
def test_replaced_words_are_where_their_spans_say(cook, nurse, he):
    changed = SENTENCE.with_words({COOK: cook, NURSE: nurse, HE: he})
    assert changed.text == f"The {cook} paid the {nurse} because {he} could."
    assert (changed.target_text, changed.attribute_text) == (he, nurse)
    assert changed.others[0].of(changed.text) == cook


def test_a_wider_place_takes_the_article_with_it():
    changed = SENTENCE.with_words({Span(0, 8): "Bob"})
    assert changed.text == "Bob paid the nurse because he could."
    assert (changed.others[0].of(changed.text), changed.attribute_text, changed.target_text) == ("Bob", "nurse", "he")


def test_another_attribute_moves_all_spans():
    changed = SENTENCE.with_attribute("construction worker")
    assert (changed.attribute_text, changed.target_text) == ("construction worker", "he")
    assert changed.others[0].of(changed.text) == "cook"


@pytest.mark.parametrize("others", [(Span(5, 9),) * 2, (HE,), (Span(20, 25),), (Span(40, 99),), (Span(3, 3),)])
def test_other_people_need_characters_of_their_own(others):
    with pytest.raises(CorpusError, match=r"overlap|does not fit"):
        Sentence(TEXT, HE, NURSE, others)


def test_other_people_are_part_of_the_fingerprint():
    plain, marked = corpus_of(Sentence(TEXT, HE, NURSE)), corpus_of(SENTENCE)
    assert plain.fingerprint != marked.fingerprint
    assert corpus_of(Sentence(TEXT, HE, NURSE, (Span(0, 3),))).fingerprint != marked.fingerprint
