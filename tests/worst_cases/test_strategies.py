"""The strategies in an ordinary property test: they are drawn, and shrink, by Hypothesis itself."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings, strategies as st

import biascheck
from biascheck.core.errors import BiasAssertionError, CorpusError, UsageError
from biascheck.corpora import Pair, Target, corpus_from_templates
from biascheck.worst_cases import strategies

THOROUGH = settings(max_examples=2_000)


def smallest(strategy, condition=lambda _: True):
    return find(strategy, condition, settings=THOROUGH)


def texts(pair):
    return [sentence.text for sentence in pair.sentences.values()]


@given(strategies.sentences())
@settings(max_examples=50)
def test_sentences_can_be_given_to_a_test(pair):
    assert isinstance(pair, Pair)
    assert set(pair.sentences) == {"male", "female"}


def test_strategies_are_those_of_hypothesis():
    made = [strategies.sentences(), strategies.names(), strategies.pronouns(), strategies.terms()]
    assert all(isinstance(one, st.SearchStrategy) for one in (*made, strategies.described("age")))


def test_sentences_shrink_to_one_clause_about_he_and_she():
    assert texts(smallest(strategies.sentences())) == ["He was ill.", "She was ill."]


def test_a_sentence_about_a_nurse_shrinks_to_one_without_more():
    pair = smallest(strategies.sentences(), lambda pair: "nurse" in pair.sentences["male"].text)
    assert len(texts(pair)[0].split()) <= len(["“He", "was", "ill,”", "said", "the", "nurse."])
    assert "nurse" in texts(pair)[0]


def test_names_shrink_to_the_most_common():
    assert [target.word for target in smallest(strategies.names())] == ["James", "Mary"]
    rare = smallest(strategies.names(), lambda people: people[0].word not in ("James", "Robert"))
    assert [target.word for target in rare] == ["John", "Jennifer"]


def test_attributes_shrink_to_the_shortest():
    assert smallest(strategies.attributes(["electrician", "cook", "nurse"])).text == "cook"


def test_templates_fill_their_slots():
    strategy = strategies.templates(
        ["{target} is {a attribute} in {city}, and {his} work is hard.", "The {attribute} met {object}."],
        strategies.pronouns(),
        attributes=["engineer", "nurse"],
        slots={"city": ["Oslo", "Rome"]},
    )
    found = smallest(strategy, lambda pair: pair.attribute == "engineer" and "is" in texts(pair)[0].split())
    assert texts(found) == [
        "He is an engineer in Oslo, and his work is hard.",
        "She is an engineer in Oslo, and her work is hard.",
    ]
    sentence = found.sentences["female"]
    assert (sentence.target_text, sentence.attribute_text) == ("She", "an engineer")
    assert [span.of(sentence.text) for span in sentence.others] == ["her"]
    assert texts(smallest(strategy)) == ["The nurse met him.", "The nurse met her."]


def test_own_people_have_their_own_groups_and_forms():
    sets = [
        {"young": Target("boy", "young", "the", {"his": "his"}), "old": Target("man", "old", "the", {"his": "his"})}
    ]
    strategy = strategies.templates(["{target} lost {his} keys."], strategies.people(own=sets))
    assert texts(smallest(strategy)) == ["The boy lost his keys.", "The man lost his keys."]


def test_a_slot_without_words_is_refused_with_the_remedy():
    strategy = strategies.templates(["{target} flew to {city}."])
    with pytest.raises(UsageError, match=r"the slot \{city\}, for which there are no words; add slots="):
        smallest(strategy)
    with pytest.raises(UsageError, match="give attributes="):
        smallest(strategies.templates(["{target} is {attribute}."]))
    with pytest.raises(UsageError, match="no place for a person"):
        smallest(strategies.templates(["It rains."]))


def test_a_corpus_shrinks_to_its_shortest_pair():
    corpus = corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}.", "{target} wants to be a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=["carpenter", "nurse"],
        fillers=["person"],
    )
    pair = smallest(strategies.from_corpus(corpus))
    assert texts(pair) == ["He is a nurse.", "She is a nurse."]
    assert pair.labels["fillers"] == "person"


def test_a_table_is_read_as_a_corpus(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("pair,group,sentence,target\n1,male,He left.,He\n1,female,She left.,She\n")
    assert texts(smallest(strategies.from_table(file))) == ["He left.", "She left."]


def test_texts_shrink_to_one_sentence_about_somebody():
    given_texts = ["The film is long. He plays well. I slept.", "A text without anybody."]
    assert texts(smallest(strategies.texts(given_texts))) == ["He plays well.", "She plays well."]
    whole = smallest(strategies.texts(given_texts), lambda pair: "slept" in texts(pair)[0])
    assert texts(whole)[1] == "She plays well. I slept."
    with pytest.raises(CorpusError, match="none of the 1 texts has a gendered word"):
        strategies.texts(["It rained."])


def test_an_assertion_in_a_property_test_shrinks_and_names_both_figures():
    def rate(texts):
        return [0.78 if "nurse" in text and "He" in text.split() else 0.31 for text in texts]

    strategy = strategies.templates(
        ["{target} is {a attribute}."], strategies.pronouns(), attributes=["cook", "nurse", "electrician"]
    )

    @given(strategy)
    def check(pair):
        biascheck.assert_invariant(rate, pair, bound=0.2)

    with pytest.raises(BiasAssertionError) as caught:
        check()
    assert "‘She is a nurse.’ 0.31, ‘He is a nurse.’ 0.78: gap 0.47, allowed 0.20" in str(caught.value)


def test_an_assertion_in_a_property_test_guides_hypothesis(monkeypatch):
    heard = []
    monkeypatch.setattr("hypothesis.target", lambda gap, label: heard.append((gap, label)))
    strategy = strategies.templates(["{target} left."], strategies.pronouns())

    @given(strategy)
    @settings(max_examples=3)
    def check(pair):
        biascheck.assert_invariant(lambda texts: [len(text) / 100 for text in texts], pair, bound=0.2)

    check()
    assert heard[0] == (pytest.approx(0.01), "rating")
