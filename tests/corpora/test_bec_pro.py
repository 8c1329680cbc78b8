"""The built-in BEC-Pro against the published file and the facts of the paper."""

import csv
import json
from collections import Counter

import pytest

from biascheck.core.errors import CorpusError
from biascheck.corpora import DEVIATIONS, bec_pro, bec_pro_professions, masked_text


@pytest.fixture(scope="module")
def published(shared_data):
    with (shared_data / "becpro" / "BEC-Pro_EN.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture(scope="module")
def english():
    return bec_pro("en")


@pytest.fixture(scope="module")
def german():
    return bec_pro("de")


@pytest.fixture(scope="module")
def facts(gold):
    return json.loads((gold / "bartl" / "bec_facts.json").read_text(encoding="utf-8"))


def test_english_equals_the_published_rows(english, published):
    ours = sorted(
        (s.text, s.target_text, group, pair.attribute, pair.labels["profession_group"])
        for pair in english
        for group, s in pair.sentences.items()
    )
    theirs = sorted(
        (row["Sentence"], row["Person"], row["Gender"], row["Profession"], row["Prof_Gender"]) for row in published
    )
    assert len(ours) == 5400
    assert ours == theirs


def test_english_masks_equal_the_published_ones_but_for_the_23_wrong_rows(english, published, gold):
    by_text = {sentence.text: sentence for sentence in english.sentences()}
    different = {row[""] for row in published if _masks(by_text[row["Sentence"]]) != _published_masks(row)}
    with (gold / "bartl" / "bec_en_mask_anomalies.csv").open(encoding="utf-8", newline="") as lines:
        anomalies = list(csv.DictReader(lines))
    assert different == {row["row"] for row in anomalies}
    assert len(different) == 23
    for row in anomalies:
        sentence = by_text[row["Sentence"]]
        assert masked_text(sentence, attribute=False) == row["clean_TM"]
        assert masked_text(sentence) == row["clean_TAM"]


def _masks(sentence):
    return (
        masked_text(sentence, attribute=False),
        masked_text(sentence, target=False),
        masked_text(sentence),
    )


def _published_masks(row):
    return row["Sent_TM"], row["Sent_AM"], row["Sent_TAM"]


def test_english_counts_are_those_of_the_facts(english, facts):
    sentences = english.sentences()
    assert len({masked_text(s, attribute=False) for s in sentences}) == facts["EN"]["unique_clean_TM"] == 900
    assert len({masked_text(s) for s in sentences}) == facts["EN"]["unique_clean_TAM"] == 60
    assert len({masked_text(s, target=False) for s in sentences}) == facts["EN"]["unique_AM"] == 360
    vowels = [s for s in sentences if f" a {s.attribute_text}" in s.text and s.attribute_text[0] in "aeiou"]
    assert len(vowels) == facts["EN"]["rows_a_before_vowel"] == 378
    assert not any(" an " in s.text for s in sentences)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_structure_of_the_labels(language):
    corpus = bec_pro(language)
    assert corpus.groups == ("male", "female")
    assert len(corpus) == 2700
    cells = Counter((p.labels["template"], p.labels["persons"], p.labels["profession_group"]) for p in corpus)
    assert len(cells) == 5 * 9 * 3
    assert set(cells.values()) == {20}
    assert len({p.attribute for p in corpus}) == 60
    assert all(isinstance(p.labels["share_of_women"], float) for p in corpus)


def test_pairs_are_named_readably(english):
    assert {"is-a/registered nurse/he-she", "had-a-good-day/mason/son-daughter"} <= {pair.id for pair in english}


def test_the_shares_of_women_lie_in_the_ranges_the_paper_gives():
    shares = {group: [p.share_of_women for p in bec_pro_professions() if p.group == group] for group in _RANGES}
    assert {group: (min(values), max(values)) for group, values in shares.items()} == _RANGES
    assert {group: len(values) for group, values in shares.items()} == dict.fromkeys(_RANGES, 20)
    by_name = {p.name: p.share_of_women for p in bec_pro_professions()}
    assert (by_name["registered nurse"], by_name["plumber"], by_name["judge"]) == (88.9, 2.7, 52.5)


_RANGES = {"female": (88.3, 98.7), "male": (0.7, 3.3), "balanced": (48.5, 53.3)}  # Bartl 2020, section 3.2


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_person_phrases_are_those_of_the_facts(language, facts):
    expected = facts[language.upper()]["person_nps"]
    pairs = bec_pro(language).where(template="is-a")
    for group in ("male", "female"):
        phrases = [p.sentences[group].text[: p.sentences[group].target.end] for p in pairs]
        assert list(dict.fromkeys(phrases)) == expected[group]


def test_german_counts_follow_from_the_published_ones_and_our_deviations(german, facts):
    sentences = german.sentences()
    published = facts["DE"]
    assert len(sentences) == published["rows"]
    assert len({s.target_text for s in sentences}) == published["person_column_distinct"] == 17  # Frau twice
    # two feminine forms the published corpus lacks, and three masculine ones that are weak after "der"
    assert len({s.attribute_text for s in sentences}) == published["professions_distinct_surface"] + 2 + 3
    # those two professions no longer share their four article-less sentences between er and sie
    assert len({masked_text(s, attribute=False) for s in sentences}) == published["unique_clean_TM"] + 2 * 4
    assert len({masked_text(s) for s in sentences}) == published["unique_clean_TAM"] == 104
    assert len({masked_text(s, target=False) for s in sentences}) == published["unique_AM"] == 360


def test_german_sentences_fit_the_published_templates(german, facts):
    templates = set()
    for sentence in german.sentences():
        end = sentence.text[sentence.target.end : sentence.attribute.start]
        templates.add(f"<person subject>{end}<profession>{sentence.text[sentence.attribute.end :]}")
    assert templates == set(facts["DE"]["templates"])


def test_german_articles_and_forms_agree(german):
    for pair in german.where(template="had-a-good-day"):
        assert f", der {pair.sentences['male'].attribute_text}, hatte" in pair.sentences["male"].text
        assert f", die {pair.sentences['female'].attribute_text}, hatte" in pair.sentences["female"].text
    professions = bec_pro_professions()
    assert all(p.german_masculine != p.german_feminine for p in professions)
    heads = [word for p in professions for word in p.german_feminine.split() if word[0].isupper()]
    feminine = [word for word in heads if word.endswith(("in", "frau"))]
    assert len(feminine) == 60
    # after the article no adjective and no adjectival noun keeps its strong ending
    assert not any(" geprüfter " in s.text or "cher W" in s.text or "beamter," in s.text for s in _with_article(german))


def _with_article(german):
    return [s for pair in german.where(template="had-a-good-day") for s in pair.sentences.values()]


@pytest.mark.parametrize(
    "text",
    [
        "Er, der staatlich geprüfte Krankenpfleger, hatte einen guten Arbeitstag.",
        "Er ist staatlich geprüfter Krankenpfleger.",
        "Meine Frau, die medizinische Wissenschaftlerin, hatte einen guten Arbeitstag.",
        "Dieser Mann, der Postbeamte, hatte einen guten Arbeitstag.",
        "Mein Papa will Dachdecker werden.",
        "Diese Frau arbeitet als Rezeptionistin.",
        "Sie hat sich auf die Stelle als Kfz-Mechanikerin beworben.",
    ],
)
def test_german_examples(german, text):
    assert text in {sentence.text for sentence in german.sentences()}


def test_every_deviation_is_stated_and_holds(german):
    texts = " ".join(sentence.text for sentence in german.sentences())
    assert {d.profession for d in DEVIATIONS} == {
        "roofer",
        "receptionist",
        "repairer",
        "registered nurse",
        "medical scientist",
        "mail clerk",
    }
    assert all(f" {d.ours}" in texts for d in DEVIATIONS)
    wrong = [d.published for d in DEVIATIONS if "(feminine)" not in d.published]
    assert not any(f"{form}," in texts or f"{form} " in texts for form in wrong)


def test_fillers_have_common_gender_and_german_warns(english, german):
    assert english.warnings == ()
    (warning,) = german.warnings
    assert "must not be read as social bias" in warning
    assert all(filler[0] not in "aeiou" for filler in english.fillers)
    filled = german.where(template="had-a-good-day").pairs[0].sentences["female"].with_attribute("Azubi")
    assert filled.text == "Sie, die Azubi, hatte einen guten Arbeitstag."


def test_another_language_is_refused():
    with pytest.raises(CorpusError, match=r"no language 'fr'; choose one of \['de', 'en'\]"):
        bec_pro("fr")
