"""The term table is consistent: every word has one gender, one counterpart, and an article that survives."""

import json
import re

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError, UsageError
from biascheck.corpora import TermPair, TermSet, as_coded, gender_terms
from biascheck.corpora.rewriting.terms import GENDERS, term_table


def test_the_sets_have_the_sizes_that_are_stated():
    assert {name: len(gender_terms(name).pairs) for name in ("pro", "weat", "all")} == {
        "pro": 5,
        "weat": 18,
        "all": 453,
    }
    two_way = [pair for pair in gender_terms("all").pairs if pair.way == "both"]
    assert len(two_way) >= 300


def test_the_small_sets_are_part_of_the_large_one():
    everything = set(gender_terms("all").pairs)
    assert set(gender_terms("pro").pairs) < everything
    assert set(gender_terms("weat").pairs) < everything


@pytest.mark.parametrize("name", ["pro", "weat", "all"])
def test_no_word_is_of_both_genders(name):
    terms = gender_terms(name)
    assert not set(terms.counterparts("male")) & set(terms.counterparts("female"))


def test_a_rewritten_word_needs_no_rewriting():
    """What to_male writes, to_male leaves alone: the reason why rewriting twice changes nothing."""
    terms = gender_terms("all")
    for gender in GENDERS:
        forms = terms.counterparts(gender)
        written = {word for choices in forms.values() for word in choices.values()}
        assert not written & set(forms)


def test_no_counterpart_needs_another_article():
    for pair, _ in term_table():
        vowels = [word[0] in "aeiou" for word in (pair.male, pair.female)]
        assert vowels[0] == vowels[1], pair


def test_the_choices_among_several_counterparts_are_those_documented():
    terms = gender_terms("all")
    to_male, to_female = terms.counterparts("male"), terms.counterparts("female")
    assert to_male["lady"][""] == "gentleman"
    assert to_female["lord"][""] == to_female["gentleman"][""] == "lady"
    assert to_female["guys"][""] == "gals"
    assert to_male["mrs"][""] == to_male["ms"][""] == "mr"
    assert to_female["mr"][""] == "ms"
    assert to_male["her"] == {"object": "him", "determiner": "his"}
    assert to_female["his"] == {"determiner": "her", "pronominal": "hers"}
    assert "miss" not in terms.words
    assert "poet" not in terms.words
    assert to_male["poetess"][""] == "poet"


def test_lossy_words_are_those_that_come_back_as_another():
    terms = gender_terms("all")
    assert "lord" in terms.lossy("male")
    assert "gentleman" not in terms.lossy("male")
    assert {"mrs", "poetess", "mum"} <= terms.lossy("female")
    assert not {"her", "hers", "lady", "she"} & terms.lossy("female")
    assert not gender_terms("pro").lossy("male") | gender_terms("weat").lossy("female")


def test_a_word_with_two_counterparts_is_refused():
    with pytest.raises(CorpusError, match="turns 'lady' into both 'lord' and 'gentleman'; keep one, or mark one"):
        TermSet("mine", (TermPair("lord", "lady"), TermPair("gentleman", "lady")))


def test_a_word_on_both_sides_is_refused():
    with pytest.raises(CorpusError, match=r"has \['nun'\] on both sides; a word has one gender"):
        TermSet("mine", (TermPair("monk", "nun"), TermPair("nun", "abbess")))


def test_an_empty_set_and_unknown_names_are_refused():
    with pytest.raises(CorpusError, match="term set 'none' is empty"):
        TermSet("none", ())
    with pytest.raises(UsageError, match="no term set 'most'; there are: pro, weat, all"):
        gender_terms("most")
    with pytest.raises(UsageError, match="gender is 'male' or 'female', not 'neuter'"):
        gender_terms("pro").counterparts("neuter")


@pytest.mark.parametrize(("name", "key"), [("pro", "prons"), ("weat", "weat"), ("all", "terms")])
def test_the_sets_as_coded_are_the_authors_dictionaries(name, key, gold):
    file = gold / "jentzsch" / "term_maps.json"
    maps = json.loads(file.read_text(encoding="utf-8"))
    terms = as_coded(name, file)
    assert terms.name == f"{name} as coded"
    for gender, suffix in (("female", "m2f"), ("male", "f2m")):
        coded = {word: choices[""] for word, choices in terms.counterparts(gender).items()}
        theirs = maps[f"{key}_{suffix}"]
        assert coded.items() <= theirs.items()
        # only words that their dictionaries put on both sides are missing
        both = set(maps[f"{key}_m2f"]) & set(maps[f"{key}_f2m"])
        assert all(word in both or other in both for word, other in theirs.items() if word not in coded), name


def test_the_traps_of_the_published_maps_are_in_them(gold):
    terms = as_coded("all", gold / "jentzsch" / "term_maps.json")
    to_male = terms.counterparts("male")
    assert (to_male["girl"][""], to_male["her"][""]) == ("bloke", "his")
    assert "mrs" not in to_male
    assert "hers" not in to_male


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataNotFoundError, match=re.escape(str(tmp_path / "no.json"))):
        as_coded("all", tmp_path / "no.json")
