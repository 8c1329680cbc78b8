"""WEAT material: words in templates, where both words stand."""

import biascheck


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


def test_bleached_sentences_hold_the_word():
    assert biascheck.corpora.weat_test(1).in_bleached("rose")[0] == "This is rose."
