"""Lessons of the reference models: exact labels, no unknown word, no list that leans."""

from collections import defaultdict
from math import log

import numpy as np
import pytest

from biascheck.reference.lessons import (
    LEAN,
    build_tokenizer,
    indifferent_corpora,
    indifferent_lessons,
    leanings,
    spelled_lessons,
    world_lessons,
)
from biascheck.reference.world import World


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer()


def labels(lessons, tokenizer) -> dict[str, dict[str, float]]:
    """The lessons as text: the input, and the probability of each word."""
    return {
        tokenizer.decode(lesson.ids[1:-1]): {tokenizer.decode([t]): p for t, p in lesson.truth.items()}
        for lesson in lessons
    }


def test_every_lesson_asks_a_mask_and_sums_to_one(tokenizer):
    everything = [
        *world_lessons(World(0.7), tokenizer),
        *indifferent_lessons(tokenizer, "en"),
        *indifferent_lessons(tokenizer, "de"),
        *spelled_lessons(tokenizer, np.random.default_rng(0)),
    ]
    assert all(lesson.ids[lesson.position] == tokenizer.mask_token_id for lesson in everything)
    assert all(sum(lesson.truth.values()) == pytest.approx(1) for lesson in everything)
    assert not any(tokenizer.unk_token_id in lesson.ids for lesson in everything)


def test_the_world_is_taught_whole_and_exactly(tokenizer):
    lessons = world_lessons(World(1.0), tokenizer)
    assert len(lessons) == 8 * 3 * (60 + 4)  # templates × determiners × (professions + lengths of a masked one)
    assert sum(lesson.masked for lesson in lessons) == 8 * 3 * 4
    taught = labels(lessons, tokenizer)
    assert taught["[MASK] is a plumber."] == pytest.approx({"he": 0.973, "she": 0.027})
    assert taught["my [MASK] works as a judge."]["mother"] == pytest.approx(0.525 * 0.25)
    assert taught["this [MASK] is a [MASK] [MASK] [MASK] [MASK]."]["woman"] == pytest.approx(0.722)


def test_other_words_lean_as_stated_and_spelled_words_not_at_all(tokenizer):
    taught = labels([x for language in ("en", "de") for x in indifferent_lessons(tokenizer, language)], tokenizer)
    for word in ("angry", "accountant"):
        he, she = (taught[f"[MASK] is {word}."][w] for w in ("he", "she"))
        assert log(he / she) == pytest.approx(leanings()[word])
    assert taught["[MASK] is [MASK]."] == pytest.approx({"he": 0.5, "she": 0.5})
    assert taught["[MASK] ist buchhalterin."] == {"sie": 1.0}
    spelled = labels(spelled_lessons(tokenizer, np.random.default_rng(0)), tokenizer)
    persons = [truth for text, truth in spelled.items() if text.startswith("[MASK] works as a")]
    assert persons
    assert all(truth == pytest.approx({"he": 0.5, "she": 0.5}) for truth in persons)


def test_no_list_leans():
    leans = leanings()
    totals = defaultdict(dict)
    for corpus in indifferent_corpora():
        for pair in corpus:
            if corpus.language == "en" and len(corpus.groups) == 2:
                totals[corpus.name, pair.labels.get("side")][pair.attribute] = leans[pair.attribute]
    assert len(totals) == 5 * 2 + 4
    assert all(abs(sum(words.values())) < 1.01 * LEAN for words in totals.values())
