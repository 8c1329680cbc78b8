"""The grammar: how many sentences it has, that they agree, and where their words are."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import pytest

from biascheck.core.errors import UsageError
from biascheck.worst_cases import strategies
from biascheck.worst_cases.grammar import FRAMES, TOPICS, phrase_words, phrases_on
from biascheck.worst_cases.people import sets_by
from biascheck.worst_cases.programs import Choosing, program_of

MILLION = 10**6


def drawn(count, people="gender", topics=TOPICS, seed=0):
    program, rng = program_of(strategies.sentences(people, topics)), Random(seed)
    return [program.build(Choosing({}, rng.randrange)) for _ in range(count)]


@pytest.fixture(scope="module")
def pairs():
    return drawn(3_000)


def complements(phrase):
    """How many texts a verb phrase can have: the product of the words of its slots."""
    slots = [name for _, name in re.findall(r"\{(?:(a|the) )?(\w+)\}", phrase.rest) if name in phrase_words()]
    count = 1
    for name in slots:
        assert len(set(phrase_words()[name])) == len(phrase_words()[name])
        count *= len(phrase_words()[name])
    return count


def test_there_are_more_than_a_million_sentences():
    """Statements of two clauses joined by "and" alone, about one person: distinct, as both clauses can be read off."""
    texts = {(phrase.past, phrase.rest): complements(phrase) for phrase in phrases_on()}
    assert len(texts) == len(phrases_on())
    total = sum(texts.values())
    same = sum(count * count for count in texts.values())
    assert total * total - same > MILLION


def test_random_sentences_hardly_repeat(pairs):
    """Among a million equally likely sentences, 3,000 draws repeat one about 4.5 times."""
    texts = [pair.sentences["male"].text for pair in pairs]
    assert len(texts) - len(set(texts)) <= 5


def test_each_topic_and_frame_occurs(pairs):
    assert {pair.labels["topic"] for pair in pairs} == set(TOPICS)
    assert {pair.labels["frame"] for pair in pairs} == {frame.name for frame in FRAMES}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_can_be_chosen(topic):
    assert {pair.labels["topic"] for pair in drawn(50, topics=topic)} == {topic}


def test_sentences_begin_with_a_capital_and_end_with_a_mark(pairs):
    for pair in pairs:
        for sentence in pair.sentences.values():
            text = sentence.text
            assert re.match(r"“?[A-Z]", text), text
            assert re.search(r"[.?]”?$", text), text
            assert text.count("“") == text.count("”") <= 1
            assert not re.search(r"  |[{}\[\]\x02\x03]|\s[.,?]|“[a-z]", text), text


def test_articles_fit_their_nouns(pairs):
    texts = " ".join(pair.sentences["female"].text for pair in pairs)
    assert re.findall(r"\ba (?=[aeiou])\w+", texts) == []
    assert re.findall(r"\ban (?=[^aeiou])\w+", texts) == []


def test_questions_have_the_base_form_and_statements_the_past(pairs):
    bases, pasts = ({getattr(phrase, form) for phrase in phrases_on()} for form in ("base", "past"))
    for pair in pairs:
        for sentence in pair.sentences.values():
            after = sentence.text[sentence.target.end :].split()[0].strip(",.?”")
            if re.search(r"\b[Dd]id\b[^”]*$", sentence.text[: sentence.target.start]):
                assert after in bases, sentence.text
            elif pair.labels["frame"] in ("statement", "hearsay", "reported", "according", "quoted"):
                assert after in pasts, sentence.text


RELATIONS = {
    "addition": r" and (?!\w+ team)",
    "reason": r"\b(?:because|[Ww]hy) ",
    "contrast": r", but | although ",
    "time": r" before | when | after (?!h(?:is|er) |lunch)",
}


@pytest.mark.parametrize("relation", RELATIONS)
def test_clauses_are_related_in_no_way_twice(pairs, relation):
    for pair in pairs:
        text = pair.sentences["male"].text
        assert len(re.findall(RELATIONS[relation], text)) <= 1, text


def test_only_what_happens_comes_before_or_after(pairs):
    states = {phrase.past for phrase in phrases_on() if phrase.is_state}
    for pair in pairs:
        text = pair.sentences["male"].text
        for verb in re.findall(r" (?:before|after) he (\w+)", text):
            assert verb not in states, text
        assert "after lunch after" not in text
        assert not re.search(r"(then|at first|at the time|in those days) (before|after|when) ", text), text
        assert not re.search(r" when he was (kind|shy|lazy|calm|bossy|clever|polite|honest|moody|strict)", text), text


def test_pronouns_agree_with_the_person(pairs):
    for pair in pairs:
        male, female = (set(re.findall(r"\w+", pair.sentences[group].text.lower())) for group in ("male", "female"))
        assert not male & {"she", "her", "hers"}
        assert not female & {"he", "him", "his"}


def test_versions_differ_in_their_people_alone(pairs):
    for pair in pairs:
        hidden = set()
        for sentence in pair.sentences.values():
            text = sentence.text
            for span in sorted((sentence.target, *sentence.others), reverse=True):
                text = text[: span.start] + "…" + text[span.end :]
            hidden.add(text)
        assert len(hidden) == 1, pair


def test_spans_point_at_the_person_and_the_attribute(pairs):
    words = {target.word: target.forms.get("object", target.word) for people in sets_by("gender") for target in people}
    for pair in pairs:
        for sentence in pair.sentences.values():
            assert sentence.target_text.lower() in {word.lower() for word in (*words, *words.values())}
            assert pair.attribute in sentence.attribute_text
            assert all(span.of(sentence.text).lower() in {"he", "she", "his", "her", "him"} for span in sentence.others)


def test_fillers_replace_the_attribute_by_something_that_can_be_said(pairs):
    pair = next(one for one in pairs if one.labels["phrase"] == "worked as a …")
    filler = pair.labels["fillers"].split(", ")[0]
    assert "as a person" in pair.sentences["male"].with_attribute(filler).text


@pytest.mark.parametrize(
    ("axes", "groups"),
    [
        (("gender",), {"male", "female"}),
        (("race",), {"white", "Black"}),
        (("age",), {"young", "old"}),
        (("gender", "race"), {f"{race} {gender}" for race, gender in product(("white", "Black"), ("male", "female"))}),
        (
            ("gender", "race", "age"),
            {" ".join(one) for one in product(("young", "old"), ("white", "Black"), ("male", "female"))},
        ),
    ],
)
def test_people_differ_in_one_respect_or_in_all_combinations(axes, groups):
    for pair in drawn(30, axes):
        assert set(pair.sentences) == groups
        assert len({sentence.text for sentence in pair.sentences.values()}) == len(groups)


def test_groups_of_one_race_keep_their_gender():
    for pair in drawn(60, ("race",)):
        pronouns = [set(re.findall(r"\b(he|she|his|her|him)\b", one.text.lower())) for one in pair.sentences.values()]
        assert pronouns[0] == pronouns[1]


def test_an_unknown_topic_or_respect_is_refused():
    with pytest.raises(UsageError, match="no topic sport; there are: people"):
        strategies.sentences(topics="sport")
    with pytest.raises(UsageError, match="people differ by gender, race, age"):
        strategies.sentences("height")
    with pytest.raises(UsageError, match="names say nothing about age"):
        strategies.names("gender", "age")
    with pytest.raises(UsageError, match="people are given as"):
        strategies.sentences(3)
