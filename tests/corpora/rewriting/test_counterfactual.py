"""Counterfactual data: balance, reversal, and no change that is not listed."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from biascheck.core.errors import UsageError
from biascheck.corpora import (
    Documents,
    NameMap,
    Rewriter,
    TermSet,
    bec_pro_professions,
    counterfactual,
    first_names,
    gender_terms,
    published_gap_texts,
    published_names,
)
from biascheck.corpora.reviews import reviews
from biascheck.corpora.rewriting.terms import german_terms

BIJECTIVE = TermSet("bijective", tuple(p for p in gender_terms("weat").pairs if p.way == "both" and not p.role))
NAMED = first_names().added_to(BIJECTIVE)
MALE = sorted(NAMED.counterparts("female"))
FEMALE = sorted(NAMED.counterparts("male"))
FILLERS = ["the", "theme", "saw", "mark", "and", ",", ".", "human", "Xena"]
written = st.sampled_from(MALE + FEMALE).map(lambda w: w.capitalize() if w in NAMED.proper else w)
texts = st.lists(st.one_of(written, st.sampled_from(FILLERS)), min_size=1, max_size=30).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=8)


def treated(source, method, **options):
    padded = [f"{text} ." for text in source]  # so that something is left where all terms are removed
    return counterfactual(Documents.of("t", padded), method, terms=BIJECTIVE, **options)


@given(corpora)
def test_twice_swapped_is_the_original_for_bijective_tables(source):
    assert NAMED.bijective
    once = treated(source, "swap").documents
    assert counterfactual(once, "swap", terms=BIJECTIVE).documents.texts == [f"{text} ." for text in source]


@given(corpora)
def test_both_versions_are_balanced_whatever_the_source(source):
    balance = treated(source, "cda", contradictions="keep").changes.after
    assert balance.male == balance.female


@given(
    st.lists(st.lists(st.integers(0, min(len(MALE), len(FEMALE)) - 1), min_size=1, max_size=5), min_size=1, max_size=8)
)
def test_balanced_documents_stay_balanced(rows):
    """Each document has as many male terms as female ones; whichever of them are swapped, so has the corpus."""
    plain = [(m, f) for m, f in zip(MALE, FEMALE, strict=False) if not {m, f} & NAMED.proper]
    source = [" ".join(f"{plain[i % len(plain)][0]} {plain[i % len(plain)][1]}" for i in row) for row in rows]
    for method in ("cds", "swap", "cda", "original"):
        changes = treated(source, method).changes
        assert changes.before.male == changes.before.female
        assert changes.after.male == changes.after.female


@given(corpora, st.sampled_from(["cds", "swap", "removal"]))
def test_nothing_but_listed_terms_changes(source, method):
    listed = re.compile("|".join(sorted(map(re.escape, NAMED.words), key=len, reverse=True)), re.IGNORECASE)
    for before, after in zip(source, treated(source, method).documents.texts, strict=True):
        words, kept = before.split(), iter(after.split())
        for word in words:
            if word.lower() not in NAMED.words:
                assert any(word == other for other in kept), (before, after)
            else:
                assert listed.fullmatch(word)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_half_of_the_documents_are_swapped(seed):
    source = ["he"] * 400
    changed = treated(source, "cds", seed=seed).changes.changed
    assert 140 <= changed <= 260  # six standard deviations


def test_which_documents_are_swapped_does_not_depend_on_the_others():
    whole = Documents.of("t", [f"he {n}" for n in range(100)])
    part = Documents("t", whole.items[40:])
    assert counterfactual(part).documents.items == counterfactual(whole).documents.items[40:]


def test_held_out_documents_are_swapped_as_often_as_the_others():
    """The coin of a split and the coin of a swap are two coins."""
    kept, aside = counterfactual(Documents.of("t", ["he"] * 2000)).documents.split(0.2)
    for part in (kept, aside):
        assert 0.4 < sum(text == "she" for text in part.texts) / len(part) < 0.6


def test_both_versions_are_one_document_to_a_split():
    both = counterfactual(Documents.of("t", ["He saw Mary.", "nothing here"]), "cda").documents
    assert both.texts == ["He saw Mary.", "She saw James.", "nothing here"]
    assert [d.source for d in both] == ["t-0", "t-0", "t-1"]


def test_the_report_counts():
    found = counterfactual(Documents.of("t", ["He and John saw her sister.", "None."]), "swap").changes
    assert (found.documents, found.changed) == (2, 1)
    assert (found.before.male, found.before.female) == (2, 2)
    assert (found.after.male, found.after.female) == (2, 2)
    assert dict(found.terms) == {"he → she": 1, "john → jennifer": 1, "her → his": 1, "sister → brother": 1}
    assert found.examples == (("He and John saw her sister.", "She and Jennifer saw his brother."),)
    assert "1 of 2 documents changed" in str(found)
    assert "2 male, 2 female (50.0% female)" in str(found)


def test_removal_counts_what_is_gone():
    found = counterfactual(Documents.of("t", ["My sister saw him there."]), "removal")
    assert found.documents.texts == ["My saw there."]
    assert dict(found.changes.terms) == {"sister → ∅": 1, "him → ∅": 1}
    assert found.changes.after.male == found.changes.after.female == 0


def test_names_are_anonymised_before_words_are_swapped():
    found = counterfactual(Documents.of("t", ["Mary told James that she knew him."]), "cda", names="anonymised")
    assert found.documents.texts == ["[E1] told [E2] that she knew him.", "[E1] told [E2] that he knew her."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "cdx"}, "no method 'cdx'; there are: original, cda, cds, swap, removal"),
        ({"names": "own"}, "names are swapped, none, anonymised, not 'own'"),
        ({"contradictions": "no"}, "contradictions are unswapped, drop, keep, not 'no'"),
    ],
)
def test_unknown_treatments_are_told(options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        counterfactual(Documents.of("t", ["he"]), **options)


def test_a_language_without_terms_is_an_error():
    with pytest.raises(UsageError, match="no terms for the language 'fr'; there are en and de"):
        counterfactual(Documents.of("t", ["il"], language="fr"))


@pytest.mark.parametrize(
    ("contradictions", "texts", "changed"),
    [
        ("keep", ["She saw Wilhelmina.", "He slept.", "Jennifer left."], 3),
        ("unswapped", ["He saw Wilhelmina.", "He slept.", "Jennifer left."], 2),
        ("drop", ["He slept.", "Jennifer left."], 2),
    ],
)
def test_a_name_that_stays_beside_a_swapped_pronoun(contradictions, texts, changed):
    """Wilhelmina has no counterpart in this map; John has, and no pronoun is beside him."""
    names = NameMap("few", (("John", "Jennifer"),))
    source = Documents.of("t", ["He saw Wilhelmina.", "She slept.", "John left."])
    found = counterfactual(source, "swap", name_map=names, contradictions=contradictions)
    assert found.documents.texts == texts
    assert (found.changes.changed, found.changes.contradictory) == (changed, 1)
    assert found.changes.names_kept == (("Wilhelmina", 1),)
    assert "first names that stay beside words to swap: Wilhelmina 1×" in str(found.changes)


def test_both_versions_of_a_text_that_would_contradict_itself():
    names = NameMap("few", (("John", "Jennifer"),))
    source = Documents.of("t", ["He saw Wilhelmina.", "She slept."])
    unswapped = counterfactual(source, "cda", name_map=names).documents
    assert unswapped.texts == ["He saw Wilhelmina.", "She slept.", "He slept."]
    assert counterfactual(source, "cda", name_map=names, contradictions="drop").documents.texts == unswapped.texts[1:]


def test_dropping_does_not_depend_on_the_coin():
    source = Documents.of("t", ["He saw Wilhelmina."] * 40 + ["She slept."])
    found = counterfactual(source, "cds", name_map=NameMap("few", (("John", "Jennifer"),)), contradictions="drop")
    assert (len(found.documents), found.changes.contradictory) == (1, 40)


def test_months_places_and_surnames_stay():
    text = "On August 1, 1927, Phoebe Thomas met Thomas in London, and June Kerr read Stephen King."
    names = NameMap("n", (("August", "Brandy"), ("Thomas", "Rita"), ("Luca", "June"), ("Toby", "London")))
    found = counterfactual(Documents.of("t", [text]), "swap", name_map=names, contradictions="keep")
    assert found.documents.texts == [text.replace("June Kerr", "Luca Kerr")]


def test_hardly_a_first_name_stays_in_anonymised_gap(shared_data):
    found = counterfactual(published_gap_texts(shared_data), "cda", names="anonymised")
    assert found.changes.contradictory <= 0.005 * len(published_gap_texts(shared_data))
    assert sum(count for _, count in found.changes.names_kept) <= 20


def test_gap_has_no_swapped_pronoun_beside_a_name_that_stays(shared_data):
    documents = published_gap_texts(shared_data)
    found = counterfactual(documents, name_map=published_names(shared_data)).changes
    kept = counterfactual(documents, name_map=published_names(shared_data), contradictions="keep").changes
    assert 0.3 < found.changed / len(documents) < kept.changed / len(documents) < 0.6
    assert found.contradictory == kept.contradictory < 0.32 * len(documents)


def test_it_works_on_gap_and_on_reviews(shared_data):
    for documents in (published_gap_texts(shared_data), Documents.of_reviews(reviews())):
        changes = counterfactual(documents, contradictions="keep").changes
        assert 0.4 < changes.changed / len(documents) < 0.6
        assert abs(changes.after.share_female - 0.5) < max(0.03, abs(changes.before.share_female - 0.5))


# --- German -----------------------------------------------------------------------------------------------


def german(*texts):
    return counterfactual(Documents.of("de", texts, language="de"), "swap")


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("Mein Bruder ist Buchhalter.", "Meine Schwester ist Buchhalterin."),
        ("Meine Schwester ist Buchhalterin.", "Mein Bruder ist Buchhalter."),
        ("Sie arbeitet als Haushälterin.", "Er arbeitet als Haushälter."),
        ("Er, der Postbeamte, kam.", "Sie, die Postbeamtin, kam."),
        ("Ich half dem Vater.", "Ich half der Mutter."),
        ("Wir sahen meinen Onkel.", "Wir sahen meine Tante."),
        ("Diese Frau will Dachdeckerin werden.", "Dieser Mann will Dachdecker werden."),
    ],
)
def test_german_words_agree(text, swapped):
    assert german(text).documents.texts == [swapped]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Ich sehe die Schwester.", "die schwester"),
        ("Das Haus der Schwester.", "der schwester"),
        ("Sie arbeiten viel.", "sie"),
        ("Kennen Sie das?", "sie"),
        ("Ich kenne ihre Tasche.", "ihre"),
        ("Die ältere Schwester kam.", "schwester"),
    ],
)
def test_what_german_does_not_show_is_left_alone_and_listed(text, alone):
    found = german(text)
    assert found.documents.texts == [text]
    assert dict(found.changes.left_alone) == {alone: 1}
    assert f"left alone: {alone} 1×" in str(found.changes)


def test_every_german_profession_has_its_forms():
    rewriter = Rewriter(german_terms())
    for profession in bec_pro_professions():
        if profession.german_masculine != profession.german_feminine:
            assert rewriter.gender_of(profession.german_masculine) == "male"
            assert rewriter.gender_of(profession.german_feminine) == "female"
