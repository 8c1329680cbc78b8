"""WEAT beyond Kurita's sets, and SEAT: both deviations, and sentences about one word as one cluster."""

import numpy as np
import pytest

import biascheck
from biascheck import corpora, measures
from biascheck.corpora import WeatStimuli, WeatTest
from biascheck.models.fakes import FunctionEncoder
from biascheck.results.attachments import Facts

WORDS = [f"{kind}{n}" for kind in "xyab" for n in range(6)]
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), 12))
STIMULI = WeatStimuli(
    0, "x", tuple(WORDS[:6]), "y", tuple(WORDS[6:12]), "a", tuple(WORDS[12:18]), "b", tuple(WORDS[18:])
)


def test_both_effect_sizes_are_those_of_the_formula():
    result = measures.weat(biascheck.load_vectors((WORDS, TABLE)), corpora.weat_test(stimuli=STIMULI))
    unit = dict(zip(WORDS, TABLE / np.linalg.norm(TABLE, axis=1, keepdims=True), strict=True))

    def nearness(word):
        return np.mean([unit[word] @ unit[a] for a in STIMULI.a]) - np.mean([unit[word] @ unit[b] for b in STIMULI.b])

    x, y = ([nearness(word) for word in words] for words in (STIMULI.x, STIMULI.y))
    gap = np.mean(x) - np.mean(y)
    (facts,) = [one.facts for one in result.attachments if isinstance(one, Facts)]
    ours, wefe = facts.values()
    assert result.estimate == ours == pytest.approx(gap / np.std([*x, *y], ddof=1), abs=1e-6)
    assert wefe == pytest.approx(gap / np.std([*x, *y], ddof=0), abs=1e-6)


def test_sentences_about_one_word_are_one_cluster(shared_data):
    test = corpora.published_seat("sent-weat6", shared_data)
    encoder = FunctionEncoder(lambda _word, text: [float(len(text)), float(text.count("a")), 1.0])
    result = measures.weat(encoder, test, level="sentence")
    assert (result.n, result.clusters) == (128, 16)  # eight names on either side, eight sentences each
    assert {item.cluster for item in result.items} >= {"john", "amy"}


def test_clusters_are_part_of_the_fingerprint():
    plain = WeatTest("t", STIMULI, ("{target} is {attribute}.",))
    clustered = WeatTest("t", STIMULI, ("{target} is {attribute}.",), clusters={"x0": "w", "x1": "w"})
    assert plain.fingerprint != clustered.fingerprint
