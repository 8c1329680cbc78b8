"""Every item has an id of its own: a repeated one is refused by name, wherever items are gathered."""

import pytest

import biascheck
from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora import lexicon as contexts
from biascheck.corpora.competency import rated_competency
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.gap import Gap, GapItem
from biascheck.corpora.lexicon import Context, Entry, Lexicon, word_bias
from biascheck.corpora.reviews import Review, Reviews, review_pairs
from biascheck.corpora.sentence import Sentence
from support.gap_rows import HEADER, row

SENTENCE = Sentence("He left.", Span(0, 2))


def pair(name):
    return Pair(name, name, {"male": SENTENCE, "female": SENTENCE})


def gap_item(name):
    return GapItem(name, "Ann met Bea, she said.", Span(13, 16), Span(0, 3), Span(8, 11), "A", "female", "page")


def gap_file(path, *names):
    lines = ["\t".join(HEADER), *("\t".join(row(ID=name)[column] for column in HEADER) for name in names)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def entry(word):
    return Entry(word, (Context(word, Span(0, len(word))),))


GATHERERS = {
    "corpus": lambda names: Corpus("mine", ("male", "female"), tuple(map(pair, names))),
    "lexicon": lambda names: Lexicon("mine", tuple(map(entry, names)), biascheck.corpora.gender_pairs()),
    "documents": lambda names: Documents("mine", tuple(Document(name, "text") for name in names)),
    "reviews": lambda names: Reviews("mine", tuple(Review(name, "text", "positive") for name in names)),
    "gap": lambda names: Gap("mine", tuple(map(gap_item, names))),
    "words in templates": lambda names: contexts.lexicon_from_templates("mine", names),
    "words in text": lambda names: contexts.lexicon_from_text(
        "mine", names, ["An a and a b.", "He saw her.", "She saw him."]
    ),
}


@pytest.mark.parametrize("kind", GATHERERS)
def test_a_repeated_id_is_named_with_its_places_and_the_remedy(kind):
    GATHERERS[kind](["a", "b"])
    with pytest.raises(CorpusError, match=r"mine': 'a' occurs twice, in places 1 and 3; .*(once|its own)"):
        GATHERERS[kind](["a", "b", "a"])


def test_words_that_differ_only_in_case_are_one_word_of_a_text():
    with pytest.raises(CorpusError, match="'nurse' occurs twice, in places 1 and 2; give every word once"):
        contexts.lexicon_from_text("mine", ["Nurse", "nurse"], ["The nurse came."])


def test_a_rated_pair_has_one_row(tmp_path):
    table = tmp_path / "rated.csv"
    table.write_text("id,rater\ncompetency/1,competent\ncompetency/1,neutral\n", encoding="utf-8")
    with pytest.raises(
        CorpusError, match=r"rated.csv: 'competency/1' occurs twice, in places 1 and 2; give every pair"
    ):
        rated_competency(biascheck.corpora.competency(), table)


def test_a_control_character_in_an_id_is_shown():
    with pytest.raises(CorpusError, match=r"'a\\x1b' occurs twice"):
        GATHERERS["corpus"](["a\x1b", "a\x1b"])


def test_one_gap_file_is_counted_once_under_its_own_name(tmp_path):
    gap = biascheck.corpora.published_gap(gap_file(tmp_path / "gap-validation.tsv", "v-1", "v-2"))
    assert (gap.name, [item.id for item in gap]) == ("gap-validation", ["v-1", "v-2"])
    assert biascheck.corpora.published_gap(gap_file(tmp_path / "mine.tsv", "m-1")).name == "gap-mine"


def test_a_gap_file_and_parts_of_a_folder_are_refused_together(tmp_path):
    file = gap_file(tmp_path / "gap-test.tsv", "t-1")
    with pytest.raises(CorpusError, match=r"is one file, and parts=\('test',\) asks for others; leave parts out or"):
        biascheck.corpora.published_gap(file, parts=("test",))


def test_a_part_of_gap_is_named_once(tmp_path):
    gap_file(tmp_path / "gap-test.tsv", "t-1")
    with pytest.raises(CorpusError, match=r"'test' occurs twice, in places 1 and 2; name every part once"):
        biascheck.corpora.published_gap(tmp_path, parts=("test", "test"))


def test_the_same_row_in_two_parts_is_refused(tmp_path):
    for part in ("development", "validation"):
        gap_file(tmp_path / f"gap-{part}.tsv", "t-1")
    with pytest.raises(CorpusError, match=r"'gap-development\+validation': 't-1' occurs twice, in places 1 and 2"):
        biascheck.corpora.published_gap(tmp_path)


def test_texts_and_sentences_of_one_gap_file_are_read_once_under_its_name(tmp_path):
    file = gap_file(tmp_path / "gap-validation.tsv", "v-1")
    assert biascheck.corpora.published_gap_texts(file).name == "gap-validation"
    assert len(list(biascheck.corpora.published_sentences("gap", file))) == 1


def test_one_file_is_not_both_versions_of_winobias(tmp_path):
    file = tmp_path / "pro_stereotyped_type1.txt.test"
    file.write_text("1 [The developer] argued with the designer because [he] was late.\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="is one file, and WinoBias needs the pro and the anti file; give their"):
        biascheck.corpora.published_winobias(file)


def test_reviews_without_text_are_counted_in_a_warning():
    items = (Review("a", "He left.", "positive"), Review("b", "  ", "negative"))
    assert "1 reviews have no text and are left out, e.g. b" in review_pairs(Reviews("mine", items)).warnings


@pytest.mark.parametrize("table", ["biased_words", "profession_bias"])
def test_the_words_of_our_tables_are_there_once(table):
    from importlib.resources import files

    lines = files("biascheck.corpora").joinpath(f"data/{table}.tsv").read_text(encoding="utf-8").splitlines()
    assert len(word_bias(table)) == len(lines) - 1
