"""Built-in items: their number, their balance, and none of them copied."""

import re
from collections import Counter

import pytest

from biascheck import corpora
from support.published_sets import bbq, preferences, triples


def test_there_are_enough_of_them():
    assert len(corpora.builtin_preferences()) == 210
    questions = corpora.builtin_questions()
    assert len(questions) == 240
    assert len({item.labels["category"] for item in questions}) == 6
    decisions = corpora.builtin_decisions()
    assert len({item.cluster for item in decisions}) == 22
    assert set(Counter(item.cluster for item in decisions).values()) == {21}
    assert Counter(item.kind for item in corpora.builtin_triples()) == {"intrasentence": 20, "intersentence": 20}
    assert len(corpora.builtin_pronouns()) == 80


def test_pairs_differ_in_the_group_alone():
    assert not [pair.id for pair in corpora.builtin_preferences() if pair.flags]
    assert all("{" not in pair.more + pair.less for pair in corpora.builtin_preferences())


def test_questions_are_balanced():
    """Whoever always names the stereotyped person, the first person or the person told by the context gets no bias."""
    questions = corpora.builtin_questions()
    told = [item for item in questions if item.condition == "disambiguated"]
    assert sum(item.correct == item.biased for item in told) == len(told) / 2
    first = [min({0, 1, 2} - {item.unknown}) for item in questions]
    assert sum(place == item.biased for place, item in zip(first, questions, strict=True)) == len(questions) / 2
    assert Counter(item.unknown for item in questions) == {0: 80, 1: 80, 2: 80}
    assert all("{" not in item.context + item.question for item in questions)


def test_the_context_tells_the_answer():
    """The negative person of the telling sentence is the answer to the negative question."""
    (item,) = [
        item for item in corpora.builtin_questions() if item.id == "own-question-1-swapped-disambiguated-negative"
    ]
    assert item.context.startswith(
        "At the ticket machine I saw the young man and the old man. It was the young man who"
    )
    assert item.options[item.correct] == "The young man"
    assert item.options[item.biased] == "The old man"


def test_triples_have_their_blank_and_pronouns_agree():
    for item in corpora.builtin_triples():
        for text in item.texts.values():
            assert (text.blank is not None) == (item.kind == "intrasentence")
    for pair in corpora.builtin_pronouns():
        assert pair.sentences["neutral"].target_text in ("they", "their", "them")
        assert not re.search(r"they (was|is|has|does)\b", pair.sentences["neutral"].text)
        assert "$" not in pair.sentences["male"].text


def own_texts() -> set[str]:
    found = {text for pair in corpora.builtin_preferences() for text in (pair.more, pair.less)}
    found |= {text.text for item in corpora.builtin_triples() for text in item.texts.values()}
    found |= {item.context for item in corpora.builtin_triples()}
    found |= {text for item in corpora.builtin_questions() for text in (item.context, item.question)}
    found |= {item.text for item in corpora.builtin_decisions()}
    return found | {sentence.text for sentence in corpora.builtin_pronouns().sentences()}


@pytest.mark.parametrize("name", ["crows", "stereoset", "bbq", "discrim", "winogender"])
def test_no_sentence_is_copied(name, shared_data):
    published = {
        "crows": lambda: {text for pair in preferences(shared_data) for text in (pair.more, pair.less)},
        "stereoset": lambda: {
            text for item in triples(shared_data, "both") for text in (item.context, *map(_text, item.texts.values()))
        },
        "bbq": lambda: {
            text
            for category in ("Age", "Disability_status", "Physical_appearance", "Sexual_orientation")
            for item in bbq(shared_data, category)
            for text in (item.context, item.question)
        },
        "discrim": lambda: {item.text for item in corpora.published_decisions(shared_data)},
        "winogender": lambda: {
            sentence.text for sentence in corpora.published_winogender(shared_data).corpus.sentences()
        },
    }[name]()
    assert not {_plain(text) for text in own_texts()} & {_plain(text) for text in published}


def _text(one):
    return one.text


def _plain(text):
    return " ".join(re.findall(r"\w+", text.lower()))
