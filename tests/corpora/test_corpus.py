"""Sentences, pairs and corpora: errors, contents and fingerprints."""

import pickle
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import CorpusError
from biascheck.corpora import Corpus, Pair, Sentence, Span, employment, masked_text, religion

HE = Sentence("He is kind.", Span(0, 2), Span(6, 10))
SHE = Sentence("She is kind.", Span(0, 3), Span(7, 11))
KIND = Pair("is/kind/he-she", "kind", {"male": HE, "female": SHE}, {"template": "is", "share": 1.0})
CRUEL = replace(
    KIND,
    id="is/cruel/he-she",
    attribute="cruel",
    sentences={"male": HE.with_attribute("cruel"), "female": SHE.with_attribute("cruel")},
)
CORPUS = Corpus("small", ("male", "female"), (KIND, CRUEL), fillers=("normal",))


@pytest.mark.parametrize("span", [Span(0, 0), Span(5, 4), Span(-1, 2), Span(10, 12)])
def test_a_span_must_fit_its_text(span):
    with pytest.raises(CorpusError, match="does not fit the 11 characters"):
        Sentence("He is kind.", span)


def test_target_and_attribute_may_touch_but_not_overlap():
    assert Sentence("ab", Span(0, 1), Span(1, 2)).attribute_text == "b"
    with pytest.raises(CorpusError, match="overlap"):
        Sentence("abc", Span(0, 2), Span(1, 3))


@given(st.text(min_size=1, max_size=9), st.booleans())
def test_another_attribute_moves_the_spans_along(replacement, attribute_first):
    sentence = Sentence("wise is he", Span(8, 10), Span(0, 4)) if attribute_first else HE
    changed = sentence.with_attribute(replacement)
    assert changed.attribute_text == replacement
    assert changed.target_text == sentence.target_text
    assert len(changed.text) == len(sentence.text) + len(replacement) - 4


def test_masks_per_word_and_per_span():
    sentence = Sentence("He is a speech-language pathologist.", Span(0, 2), Span(8, 35))
    assert masked_text(sentence) == "[MASK] is a [MASK] [MASK]."
    assert masked_text(sentence, "<mask>", attribute=False) == "<mask> is a speech-language pathologist."
    assert masked_text(sentence, target=False, per="span") == "He is a [MASK]."
    assert masked_text(sentence, target=False, attribute=False) == sentence.text
    assert masked_text(Sentence("He sings.", Span(0, 2))) == "[MASK] sings."
    with pytest.raises(CorpusError, match="choose 'word' or 'span'"):
        masked_text(sentence, per="piece")


def test_a_pair_needs_two_groups_and_a_corpus_needs_pairs_of_its_groups():
    with pytest.raises(CorpusError, match="has 1 group"):
        Pair("p", "a", {"male": HE})
    with pytest.raises(CorpusError, match="is empty; missing data never passes"):
        Corpus("none", ("male", "female"), ())
    with pytest.raises(CorpusError, match="two or more distinct groups"):
        Corpus("one", ("male", "male"), (KIND,))
    with pytest.raises(CorpusError, match="'is/kind/he-she' occurs twice"):
        Corpus("twice", ("male", "female"), (KIND, KIND))
    with pytest.raises(CorpusError, match=r"has groups \['female', 'male'\], the corpus has \['black', 'white'\]"):
        Corpus("other", ("white", "black"), (KIND,))


def test_where_selects_by_label_and_names_the_values_present():
    assert [pair.id for pair in religion().where(valence="favourable", template="man-was")][:1] == [
        "man-was/brave/Christian-Muslim-Jewish"
    ]
    with pytest.raises(CorpusError, match=r"values present: \{'template': \['is'\]\}"):
        CORPUS.where(template="was")


def test_groups_can_be_reordered_and_chosen():
    two = religion().with_groups(("muslim", "christian"))
    assert two.groups == ("muslim", "christian")
    assert [s.target_text for s in two.sentences()[:2]] == ["Muslim", "Christian"]
    with pytest.raises(CorpusError, match=r"has no group \['hindu'\]"):
        religion().with_groups(("hindu", "christian"))


def test_the_fingerprint_ignores_order_and_name():
    assert replace(CORPUS, pairs=CORPUS.pairs[::-1]).fingerprint == CORPUS.fingerprint
    assert replace(CORPUS, name="renamed").fingerprint == CORPUS.fingerprint


CHANGES = {
    "text": replace(KIND, sentences={"male": Sentence("He is kind!", Span(0, 2), Span(6, 10)), "female": SHE}),
    "target span": replace(KIND, sentences={"male": Sentence("He is kind.", Span(0, 1), Span(6, 10)), "female": SHE}),
    "attribute span": replace(KIND, sentences={"male": Sentence("He is kind.", Span(0, 2)), "female": SHE}),
    "id": replace(KIND, id="other"),
    "attribute": replace(KIND, attribute="other"),
    "label value": replace(KIND, labels={"template": "is", "share": 2.0}),
    "label type": replace(KIND, labels={"template": "is", "share": "1.0"}),
    "label name": replace(KIND, labels={"template": "is", "part": 1.0}),
    "swapped": replace(KIND, sentences={"male": SHE, "female": HE}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_a_pair_changes_the_fingerprint(change):
    assert replace(CORPUS, pairs=(CHANGES[change], CRUEL)).fingerprint != CORPUS.fingerprint


@pytest.mark.parametrize(
    "change", [{"fillers": ()}, {"language": "de"}, {"warnings": ("beware",)}, {"groups": ("female", "male")}]
)
def test_any_change_of_the_corpus_changes_the_fingerprint(change):
    assert replace(CORPUS, **change).fingerprint != CORPUS.fingerprint


def test_a_corpus_survives_the_way_to_another_process():
    assert pickle.loads(pickle.dumps(CORPUS)) == CORPUS


def test_more_than_two_groups():
    corpus = religion()
    assert corpus.groups == ("christian", "muslim", "jewish")
    assert len(corpus) == 4 * 24
    assert {s.target_text for s in corpus.sentences()} == {"Christian", "Muslim", "Jewish"}
    assert {p.labels["valence"] for p in corpus} == {"favourable", "unfavourable"}
    masked = {masked_text(s, attribute=False) for p in corpus for s in p.sentences.values()}
    assert len(masked) == len(corpus)  # the three sentences of a triple differ in the target alone


def test_importing_the_corpora_stays_light():
    heavy = "{'pandas', 'torch', 'scipy', 'transformers'}"
    code = f"import sys, biascheck.corpora as c; c.bec_pro(); print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_exists():
    import biascheck.corpora as corpora

    assert all(hasattr(corpora, name) for name in corpora.__all__)
    assert corpora.employment is employment  # the function, not the module of the same name
