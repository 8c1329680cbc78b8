"""Our longer lists beside the published ones: sizes, overlaps, and whether two sets are alike but for their meaning."""

import re
from collections import Counter

import numpy as np
import pytest

from biascheck.core.errors import CorpusError
from biascheck.corpora import COMPETENCY, competency, first_names, kurita_weat, weat_stimuli, weat_test

CATEGORIES = (3, 6, 7, 8)
KEPT = {
    ("pleasant", 3): {"gentle", "happy", "honest", "loyal", "lucky"},
    ("unpleasant", 3): {"evil", "rotten", "ugly"},
    ("career", 6): {"business", "management"},
    ("family", 6): {"children", "cousins", "family", "home", "marriage", "parents", "relatives"},
    ("math", 7): {"addition", "algebra", "calculus", "computation", "equations", "geometry", "math", "numbers"},
    ("arts", 7): {"art", "dance", "drama", "literature", "poetry", "sculpture"},
    ("science", 8): {"astronomy", "chemistry", "physics", "science", "technology"},
    ("arts", 8): {"art", "dance", "drama", "literature", "poetry"},
}
"""The published attributes that make a sentence in the templates; the others are nouns that need an article."""


def compared(category, *, extended):
    """The two sets that Kurita's templates compare, with their names."""
    lists = weat_stimuli(category, extended=extended)
    if category in (7, 8):
        return {lists.x_name: lists.x, lists.y_name: lists.y}
    return {lists.a_name: lists.a, lists.b_name: lists.b}


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_sets_are_large_equal_and_apart(category):
    ours, published = weat_stimuli(category, extended=True), weat_stimuli(category)
    for one, other in (("x", "y"), ("y", "x"), ("a", "b"), ("b", "a")):
        words = getattr(ours, one)
        assert len(set(words)) == len(words) == len(getattr(ours, other))
        assert not {w.lower() for w in words} & {w.lower() for w in (*getattr(ours, other), *getattr(published, other))}
    assert min(map(len, compared(category, extended=True).values())) >= 60
    assert min(len(ours.x), len(ours.y)) >= 50
    assert min(len(ours.a), len(ours.b)) >= 30
    assert (ours.x_name, ours.y_name, ours.a_name, ours.b_name) == (
        published.x_name, published.y_name, published.a_name, published.b_name,
    )  # fmt: skip


@pytest.mark.parametrize("category", CATEGORIES)
def test_words_are_single_words_in_order(category):
    lists = weat_stimuli(category, extended=True)
    for words in (lists.x, lists.y, lists.a, lists.b):
        assert all(word.isascii() and word.isalpha() for word in words)
        assert list(words) == sorted(words, key=str.lower)
    assert all(word.islower() for words in compared(category, extended=True).values() for word in words)


@pytest.mark.parametrize("category", CATEGORIES)
def test_published_words_that_fit_are_kept(category):
    published = compared(category, extended=False)
    for name, words in compared(category, extended=True).items():
        assert set(words) & set(published[name]) == KEPT[name, category]


@pytest.mark.parametrize("category", CATEGORIES)
def test_published_targets_and_terms_of_gender_are_all_kept(category):
    ours, published = weat_stimuli(category, extended=True), weat_stimuli(category)
    for letter in "xyab":
        if getattr(published, f"{letter}_name").endswith(("names", "terms")):
            assert set(getattr(published, letter)) <= set(getattr(ours, letter))


def test_names_of_category_6_are_common_ones():
    common = first_names()
    known = {name for pair in common.pairs for name in pair}
    lists, published = weat_stimuli(6, extended=True), weat_stimuli(6)
    for ours, theirs in ((lists.x, published.x), (lists.y, published.y)):
        assert set(ours) - set(theirs) <= known


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_attribute_is_a_word_of_gender(category):
    terms = {word for letter in "ab" for word in getattr(weat_stimuli(7, extended=True), letter)}
    assert not terms & {word for words in compared(category, extended=True).values() for word in words}


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_compared_sets_are_alike_in_length_and_tokens(category):
    """Priors depend on the number of masks, so a set of longer words would not be compared like for like."""
    tokens = pytest.importorskip("tokenizers")
    base = pytest.importorskip("biascheck.models.local.bundled")
    try:
        folder = base.minilm_base_folder()
    except base.ModelError as error:
        pytest.skip(f"no WordPiece vocabulary of BERT at hand: {error}")
    tokenizer = tokens.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    first, second = compared(category, extended=True).values()
    pieces = [np.mean([len(tokenizer.encode(w, add_special_tokens=False).ids) for w in s]) for s in (first, second)]
    assert max(pieces) < 1.25
    assert abs(pieces[0] - pieces[1]) < 0.1
    lengths = [np.mean([len(word) for word in words]) for words in (first, second)]
    assert abs(lengths[0] - lengths[1]) < 1.5


@pytest.mark.parametrize("category", CATEGORIES)
def test_sentences_have_the_templates_and_targets_of_the_paper(category):
    ours, published = kurita_weat(category, extended=True), kurita_weat(category)
    assert ours.name == f"kurita-extended-{category}"
    assert (ours.groups, ours.fillers) == (published.groups, published.fillers)
    frames = [
        Counter((p.labels["template"], p.labels["targets"], p.labels["side"]) for p in c) for c in (ours, published)
    ]
    assert frames[0].keys() == frames[1].keys()
    assert set(frames[0].values()) == {66}
    assert ours.fingerprint != published.fingerprint


def test_material_for_embeddings_has_the_longer_lists():
    test = weat_test(6, extended=True)
    assert (test.name, len(test.stimuli.x), len(test.stimuli.a)) == ("weat-extended-6", 60, 66)
    assert test.templates == weat_test(6).templates
    assert len({weat_test(c, extended=e).fingerprint for c in CATEGORIES for e in (True, False)}) == 8


def test_what_is_not_extended_is_refused():
    for build in (weat_stimuli, kurita_weat, weat_test):
        with pytest.raises(CorpusError, match=r"category 1 has no extended sets; choose one of \[3, 6, 7, 8\]"):
            build(1, extended=True)
    with pytest.raises(CorpusError, match="about the words of a WEAT category"):
        weat_test(stimuli=weat_stimuli(6), extended=True)


def test_competency_is_extended_with_balanced_forms():
    corpus = competency(extended=True)
    cells = Counter((pair.labels["competency"], pair.labels["form"]) for pair in corpus)
    sizes = {"competent": 30, "incompetent": 30, "neutral": 21}
    assert cells == {(name, form): sizes[name] for name in COMPETENCY for form in ("he/she", "him/her", "his/her")}
    assert len({re.sub(r"\W+", " ", s.text.lower()) for s in corpus.sentences()}) == 2 * 243
    for pair in corpus:
        assert pair.sentences["male"].text.lower().count("the person") == 2
        assert pair.sentences["male"].text.count(" ") == pair.sentences["female"].text.count(" ")


def test_competent_and_incompetent_sentences_come_in_pairs_of_one_form():
    schemas: dict[object, list] = {}
    for pair in competency(extended=True):
        if pair.labels["competency"] != "neutral":
            schemas.setdefault(pair.labels["schema"], []).append(pair)
    assert len(schemas) == 90
    shared = []
    for members in schemas.values():
        assert sorted(pair.labels["competency"] for pair in members) == ["competent", "incompetent"]
        assert len({pair.labels["form"] for pair in members}) == 1
        one, other = (set(pair.sentences["male"].text.lower().rstrip(".").split()) for pair in members)
        shared.append(len(one & other) / len(one | other))
    assert np.mean(shared) > 0.5
    assert min(shared) > 0.15


def test_the_first_sentences_stay_what_they_were():
    first = competency(extended=True).where(part="first")
    assert {p.id: p.sentences for p in first} == {p.id: p.sentences for p in competency()}
    added = competency(extended=True).where(part="added")
    assert Counter(p.labels["competency"] for p in added) == {"competent": 68, "incompetent": 68, "neutral": 41}
    assert all("part" not in p.labels and p.labels["schema"] == p.id for p in competency())


def test_classes_are_alike_in_length():
    lengths = {
        name: np.mean([len(p.sentences["male"].text.split()) for p in competency(extended=True).where(competency=name)])
        for name in COMPETENCY
    }
    assert abs(lengths["competent"] - lengths["incompetent"]) < 0.5
