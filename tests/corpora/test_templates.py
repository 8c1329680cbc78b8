"""Templates place their words: the spans are right for any words whatever."""

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import CorpusError
from biascheck.corpora import Attribute, Span, Target, Template, cross, masked_text

HE_SHE = (Target("he", "male"), Target("she", "female"))
SON = Target("son", "male", "my")

words = st.text(st.sampled_from("abson mäß'-Ł{}ß"), min_size=1, max_size=12).filter(lambda text: text.strip() == text)
literals = st.text(st.sampled_from("abson ,.;ß\"'"), max_size=10)
shapes = st.sampled_from(["{target}%s{attribute}", "{attribute}%s{target}", "{article}{target}%s{attribute}"])


@given(words, words, words, st.sampled_from(["", "my", "son"]), shapes, literals, literals, literals)
def test_spans_cut_out_exactly_the_words_that_were_put_in(word, article, text, determiner, shape, left, middle, right):
    template = Template(left + shape.replace("%s", middle or " ") + right)
    target = Target(word, "male", determiner, {"article": article})
    sentence = template.render(target, Attribute(text))

    assert _same_but_capital(sentence.target_text, word)
    assert _same_but_capital(sentence.attribute_text, text)
    phrase = f"{determiner} {word}" if determiner else word
    filled = {"target": phrase, "attribute": text, "article": article}
    assert _same_but_capital(sentence.text, template.text.format(**filled))


def _same_but_capital(found, given):
    """Equal, except that at most one letter may have become a capital."""
    changed = [(a, b) for a, b in zip(found, given, strict=True) if a != b]
    return len(changed) <= 1 and all(a == b.upper() for a, b in changed)


def test_the_target_is_found_by_place_though_it_also_stands_inside_the_attribute():
    sentence = Template("{target} is a {attribute}.").render(SON, Attribute("mason"))
    assert sentence.text == "My son is a mason."
    assert (sentence.target, sentence.attribute) == (Span(3, 6), Span(12, 17))
    attribute_first = Template("the {attribute} is {target}.").render(SON, Attribute("mason"))
    assert masked_text(attribute_first) == "The [MASK] is my [MASK]."


def test_the_sentence_begins_with_a_capital_whatever_stands_there():
    assert Template("{target} sings.").render(HE_SHE[0]).text == "He sings."
    assert Template('"{target} sings."').render(SON).text == '"My son sings."'
    assert Template("3 times {target} sang.").render(SON).text == "3 times my son sang."
    assert Template("ßo sings {target}.").render(SON).text == "ßo sings my son."  # its capital is two letters


def test_agreeing_forms_fill_their_slots_and_attributes_agree_with_the_group():
    template = Template("{target}, {article} {attribute}, kam.", "kam")
    targets = (
        Target("er", "male", forms={"article": "der"}),
        Target("sie", "female", forms={"article": "die"}),
    )
    nurse = Attribute("nurse", forms={"male": "Pfleger", "female": "Pflegerin"})
    (pair,) = cross([template], [targets], [nurse])
    assert [s.text for s in pair.sentences.values()] == ["Er, der Pfleger, kam.", "Sie, die Pflegerin, kam."]
    assert pair.attribute == "nurse"
    assert nurse.for_group("other") == "nurse"


def test_cross_names_and_labels_its_pairs():
    templates = [
        Template("{target} is a {attribute}.", "is-a"),
        Template("{target} was a {attribute}.", "was-a"),
    ]
    attributes = [Attribute("nurse", {"share": 88.9}), Attribute("mason")]
    pairs = cross(templates, [HE_SHE], attributes, targets_label="persons", labels={"number": "singular"})
    assert [pair.id for pair in pairs] == [
        "is-a/nurse/he-she",
        "is-a/mason/he-she",
        "was-a/nurse/he-she",
        "was-a/mason/he-she",
    ]
    expected = {"template": "is-a", "persons": "he-she", "share": 88.9, "number": "singular"}
    assert dict(pairs[0].labels) == expected


def test_without_attributes_each_template_is_an_attribute():
    (pair,) = cross([Template("{target} has two children.", "has-two-children")], [HE_SHE])
    assert (pair.id, pair.attribute) == ("has-two-children/he-she", "has-two-children")
    assert pair.sentences["male"].attribute is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A {attribute}.", r"has the slots \['attribute'\]; it needs \{target\} exactly once"),
        ("No slot.", r"has the slots \[\]; it needs \{target\} exactly once"),
        ("{target} and {target}.", r"has the slots \['target', 'target'\]"),
        ("{target} {attribute} {attribute}.", r"\{attribute\} at most once"),
        ("{target} is {.", "cannot be read"),
        ("{target} is {}.", "a slot is a plain name in braces"),
        ("{target!r} is.", "a slot is a plain name in braces"),
        ("{target:>3} is.", "a slot is a plain name in braces"),
    ],
)
def test_a_template_that_cannot_work_is_refused(text, message):
    with pytest.raises(CorpusError, match=message):
        Template(text)


def test_an_unknown_slot_is_named_with_those_that_can_be_filled():
    template = Template("{target}, {article} {attribute}.")
    with pytest.raises(CorpusError, match=r"unknown slots \['article'\]; target 'son' fills \['attribute', 'target'\]"):
        template.render(SON, Attribute("mason"))
    with pytest.raises(CorpusError, match=r"unknown slots \['attribute'\].*give the attribute"):
        Template("{target} is {attribute}.").render(SON)


def test_cross_refuses_sets_and_templates_that_make_no_comparison():
    is_a = Template("{target} is {attribute}.")
    with pytest.raises(CorpusError, match=r"target set \['he', 'son'\] has groups \['male', 'male'\]"):
        cross([is_a], [(HE_SHE[0], SON)], [Attribute("kind")])
    with pytest.raises(CorpusError, match="one target for each of two groups or more"):
        cross([is_a], [(SON,)], [Attribute("kind")])
    with pytest.raises(CorpusError, match=r"has the slots \['target'\] and no \{attribute\}"):
        cross([Template("{target} sings.")], [HE_SHE], [Attribute("kind")])


def test_words_must_not_be_empty_or_take_reserved_names():
    with pytest.raises(CorpusError, match="a target needs a word and a group"):
        Target(" ", "male")
    with pytest.raises(CorpusError, match=r"may not be called \['target'\]"):
        Target("he", "male", forms={"target": "him"})
    with pytest.raises(CorpusError, match="empty text or form"):
        Attribute("nurse", forms={"male": ""})
