"""Lexicons: draws from a seed, bias from any source, sentences from templates or text, nothing dropped silently."""

import pytest

import biascheck
from biascheck.core.errors import CorpusError
from biascheck.corpora import Context, Entry, LeftOut, Lexicon, Span, published_sentences, sampled_gender_pairs
from biascheck.corpora.lexicon import ANY_WORD, PROFESSION, word_bias
from biascheck.corpora.rewriting.gender_words import GENDER_PAIRS, GENDERED
from biascheck.corpora.sentence import sentences_of, words_of

SENTENCES = [
    "The nurse left early.",
    "She said the nurse left.",
    "A flight attendant and a nurse met.",
    "Nurse Smith came in.",
    "He saw the plumber.",
    "The father was a baker.",
    "His father said so.",
    "Her idea was good.",
]


def lexicon(words=("nurse", "plumber"), **options):
    return biascheck.corpora.lexicon_from_templates("few", words, **options)


def test_templates_hold_the_word_where_its_span_says():
    for entry in lexicon():
        assert all(context.word == entry.word for context in entry.contexts)
        assert len(entry.contexts) == len(ANY_WORD) == 12


@pytest.mark.parametrize("templates", [ANY_WORD, PROFESSION])
def test_builtin_sentences_contain_no_gendered_word(templates):
    for template in templates:
        assert not {word.lower() for _, word in words_of(template)} & GENDERED


def test_draws_come_from_the_seed_and_repeat_a_sentence_only_when_there_is_no_other():
    few = lexicon(templates=["One {word}.", "Two {word}.", "Three {word}."])
    draws = few.draws(5, seed=1)
    assert draws == few.draws(5, seed=1)
    assert draws != few.draws(5, seed=2)
    for place in range(2):
        texts = [draw[place].text for draw in draws]
        assert len(set(texts[:3])) == 3
        assert set(texts) == set(texts[:3])


def test_the_fingerprint_knows_words_sentences_bias_and_pairs():
    prints = {
        lexicon().fingerprint,
        lexicon(("plumber", "nurse")).fingerprint,
        lexicon({"nurse": -1.0, "plumber": 1.0}).fingerprint,
        lexicon(templates=["A {word}."]).fingerprint,
        lexicon(pairs=biascheck.corpora.gender_pairs().where(targets="he-she")).fingerprint,
    }
    assert len(prints) == 5
    assert lexicon().fingerprint == lexicon().fingerprint


def test_bias_can_come_from_any_source_and_says_what_it_does_not_know():
    known = lexicon(("nurse", "plumber", "baker")).with_bias({"nurse": -0.5, "plumber": 0.25})
    assert [(entry.word, known.group_of(entry)) for entry in known] == [("nurse", "female"), ("plumber", "male")]
    assert known.left_out == (LeftOut("baker", "its bias is not known"),)


def test_the_most_biased_words_are_the_outer_ones():
    bias = {f"m{n}": n / 10 for n in range(1, 5)} | {f"f{n}": -n / 10 for n in range(1, 5)}
    chosen = lexicon(bias).most_biased(2)
    assert [entry.word for entry in chosen] == ["m4", "m3", "f3", "f4"]
    with pytest.raises(CorpusError, match="has 4 and 4 words that lean to male and female; 5 each were requested"):
        lexicon(bias).most_biased(5)


def test_sentences_of_a_text_exclude_gendered_words():
    found = biascheck.corpora.lexicon_from_text("text", ["nurse", "baker", "flight attendant"], SENTENCES)
    texts = {entry.word: [context.text for context in entry.contexts] for entry in found}
    assert texts == {
        "nurse": ["The nurse left early.", "A flight attendant and a nurse met.", "Nurse Smith came in."],
        "flight attendant": ["A flight attendant and a nurse met."],
    }
    assert found.left_out == (LeftOut("baker", "no neutral sentence of the text contains it"),)
    assert [c.word for c in found.entries[0].contexts] == ["nurse", "nurse", "Nurse"]


def test_a_sample_of_sentences_comes_from_the_seed():
    many = [f"Sentence {n} is about a nurse." for n in range(200)]
    pairs = biascheck.corpora.gender_pairs()
    one, again, other = (
        biascheck.corpora.lexicon_from_text("t", ["nurse"], many, each=5, pairs=pairs, seed=seed) for seed in (0, 0, 1)
    )
    assert one.fingerprint == again.fingerprint != other.fingerprint
    numbers = [int(context.text.split()[1]) for context in one.entries[0].contexts]
    assert len(set(numbers)) == 5
    assert max(numbers) > 20  # not merely the first five


def test_definitional_words_are_swapped_and_ambiguous_ones_left_alone():
    pairs = sampled_gender_pairs(SENTENCES)
    swapped = {pair.sentences["male"].text: pair.sentences["female"].text for pair in pairs}
    assert swapped == {
        "He said the nurse left.": "She said the nurse left.",
        "He saw the plumber.": "She saw the plumber.",
        "The father was a baker.": "The mother was a baker.",
    }
    for pair in pairs:
        assert {s.target_text.lower() for s in pair.sentences.values()} == set(str(pair.labels["targets"]).split("-"))
    with pytest.raises(CorpusError, match="no sentence contains one of the words"):
        sampled_gender_pairs(["Nothing here."])


def test_our_own_pairs_are_clustered_by_their_words():
    corpus = biascheck.corpora.gender_pairs()
    assert {pair.attribute for pair in corpus} == {"-".join(words) for words in GENDER_PAIRS}
    assert len(corpus) == 3 * len(GENDER_PAIRS)
    assert corpus.groups == ("male", "female")


def test_the_shipped_lists_are_balanced_and_free_of_gendered_words():
    words = biascheck.corpora.biased_words(2_500)
    assert len(words) == 5_000
    assert sum(words.group_of(entry) == "male" for entry in words) == 2_500
    assert not {entry.word for entry in words} & GENDERED
    professions = word_bias("profession_bias")
    assert len(professions) == 164
    assert not set(professions) & GENDERED
    assert professions["nurse"] < -0.3 < 0.3 < professions["coach"]


def test_bad_lexicons_are_refused():
    pairs = biascheck.corpora.gender_pairs()
    context = Context("A nurse.", Span(2, 7))
    with pytest.raises(CorpusError, match="'few' is empty"):
        Lexicon("few", (), pairs)
    with pytest.raises(CorpusError, match="'nurse' occurs twice"):
        Lexicon("few", (Entry("nurse", (context,)), Entry("nurse", (context,))), pairs)
    with pytest.raises(CorpusError, match="'nurse' has no sentence"):
        Entry("nurse", ())
    with pytest.raises(CorpusError, match="has the bias nan"):
        Entry("nurse", (context,), bias=float("nan"))
    with pytest.raises(CorpusError, match="does not fit the 8 characters"):
        Context("A nurse.", Span(2, 20))
    with pytest.raises(CorpusError, match=r"needs the slot \{word\} exactly once"):
        lexicon(templates=["No slot."])
    with pytest.raises(CorpusError, match="not one of 1 words occurs in a neutral sentence"):
        biascheck.corpora.lexicon_from_text("t", ["zebra"], SENTENCES)
    with pytest.raises(CorpusError, match="each must be between 1 and 2,500 words per gender, not 0"):
        biascheck.corpora.biased_words(0)
    with pytest.raises(CorpusError, match="no published text 'news'"):
        list(published_sentences("news"))


def test_sentences_are_cut_at_their_ends():
    text = 'He left. "Why?" she asked! It was 3.5 miles. and so on.'
    assert sentences_of(text) == ["He left.", '"Why?" she asked!', "It was 3.5 miles. and so on."]


def test_a_lexicon_from_text_does_not_cut_after_a_title(tmp_path):
    (tmp_path / "gap").mkdir()
    row = "1\tMr. Smith hired a nurse. Dr. J. Brown met a baker.\the\n"
    for part in ("development", "validation", "test"):
        (tmp_path / "gap" / f"gap-{part}.tsv").write_text(f"ID\tText\tPronoun\n{row}", encoding="utf-8")
    assert set(published_sentences("gap", tmp_path)) == {"Mr. Smith hired a nurse.", "Dr. J. Brown met a baker."}


def test_there_is_one_splitter_of_sentences():
    from biascheck.corpora import sentences_of as public

    assert public is sentences_of


def test_the_text_of_gap_gives_sentences_for_professions(shared_data):
    sentences = list(published_sentences("gap", shared_data))
    assert len(sentences) > 5_000
    found = biascheck.corpora.lexicon_from_text("gap", word_bias("profession_bias"), sentences, each=3)
    assert len(found) > 50
    assert len(found) + len(found.left_out) == 164
    for entry in found:
        for context in entry.contexts:
            assert context.word.lower() == entry.word
            assert not {word.lower() for _, word in words_of(context.text)} & GENDERED
    assert len(found.pairs) > 100


def test_the_reviews_are_read_line_by_line(shared_data):
    reviews = published_sentences("imdb", shared_data)
    assert all("<br" not in next(reviews) for _ in range(200))
