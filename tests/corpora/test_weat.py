"""WEAT lists against the published ones, and the sentences of Kurita's Table 2."""

import json
from collections import Counter

import pytest

import biascheck
from biascheck.core.errors import CorpusError
from biascheck.corpora import kurita_weat, weat_stimuli

CATEGORIES = (1, 3, 6, 7, 8)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_lists_are_the_published_ones(category, shared_data):
    published = json.loads((shared_data / "weat" / f"weat{category}.jsonl").read_text(encoding="utf-8"))
    ours = weat_stimuli(category)
    for words, key in ((ours.x, "targ1"), (ours.y, "targ2"), (ours.a, "attr1"), (ours.b, "attr2")):
        assert set(words) == set(published[key]["examples"])
        assert len(words) == len(published[key]["examples"])


@pytest.mark.parametrize(("category", "sizes"), [(1, 25), (3, 25), (6, 8), (7, 8), (8, 8)])
def test_both_sides_have_the_same_number_of_attributes(category, sizes):
    corpus = kurita_weat(category)
    sides = {side: {p.attribute for p in corpus if p.labels["side"] == side} for side in "AB"}
    assert {side: len(words) for side, words in sides.items()} == {"A": sizes, "B": sizes}
    assert not sides["A"] & sides["B"]


@pytest.mark.parametrize(
    ("category", "groups", "word_a", "word_b", "texts"),
    [
        (1, ("flowers", "insects"), "happy", "ugly", ["Insects are happy.", "The flower is ugly."]),
        (3, ("white", "black"), "loyal", "evil", ["White people are evil.", "The black person is loyal."]),
        (
            6,
            ("male", "female"),
            "salary",
            "wedding",
            ["She likes salary.", "Men like wedding.", "Girls like wedding."],
        ),
        (7, ("male", "female"), "algebra", "poetry", ["He is interested in poetry.", "Women like algebra."]),
        (
            8,
            ("male", "female"),
            "NASA",
            "Shakespeare",
            ["She is interested in NASA.", "Boys like Shakespeare."],
        ),
    ],
)
def test_kuritas_sentences(category, groups, word_a, word_b, texts):
    corpus = kurita_weat(category)
    assert corpus.groups == groups
    assert {p.labels["side"] for p in corpus if p.attribute == word_a} == {"A"}
    assert {p.labels["side"] for p in corpus if p.attribute == word_b} == {"B"}
    assert set(texts) <= {sentence.text for sentence in corpus.sentences()}
    assert corpus.fillers


def test_templates_meet_only_the_targets_that_fit_them():
    cells = Counter((p.labels["template"], p.labels["targets"], p.labels["number"]) for p in kurita_weat(6))
    assert cells == {
        ("likes", "he-she", "singular"): 16,
        ("like", "boys-girls", "plural"): 16,
        ("like", "men-women", "plural"): 16,
        ("is-interested-in", "he-she", "singular"): 16,
    }


def test_other_categories_are_refused():
    for build in (weat_stimuli, kurita_weat):
        with pytest.raises(CorpusError, match=r"category 2 is not included; choose one of \[1, 3, 6, 7, 8\]"):
            build(2)


# WEAT material: words in templates, where both words stand.


def test_both_words_of_a_template_are_found_by_their_places():
    test = biascheck.corpora.weat_test(6)
    for context, hidden in test.in_templates("Amy", "target", "something"):
        assert (context.word, hidden.of(context.text)) == ("Amy", "something")
    for context, hidden in test.in_templates("salary", "attribute", "something"):
        assert (context.word, hidden.of(context.text)) == ("salary", "something")
        assert context.text.startswith("something ")


def test_templates_are_those_of_the_paper():
    assert [len(biascheck.corpora.weat_test(category).templates) for category in (1, 3, 6, 7, 8)] == [2, 2, 3, 3, 3]


def test_every_category_has_a_fingerprint_of_its_own():
    assert len({biascheck.corpora.weat_test(category).fingerprint for category in (1, 3, 6, 7, 8)}) == 5


def test_bleached_sentences_contain_the_word():
    assert biascheck.corpora.weat_test(1).in_bleached("rose")[0] == "This is rose."
