"""Competence and the pronoun in log-odds, against planted odds."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.corpora import competency, winograd
from biascheck.measures import competency_contrast, competency_effect
from biascheck.models.scoring.queries import Answer
from biascheck.results.items import ItemScore
from support.handmade import result_of


class Chooser:
    """A masked model that knows how probable the male pronoun is in every sentence."""

    kind, name, is_fake = "masked", "chooser", True

    def __init__(self, corpus, male):
        self._male = {s.text: male(pair) for pair in corpus for s in pair.sentences.values()}
        self.fingerprint = str(hash(frozenset(self._male.items())))

    def fill(self, queries, **_how):
        male = [(self._male[q.text], q.target.of(q.text) in ("he", "him", "his")) for q in queries]
        return [Answer(log(p if he else 1 - p), 1) for p, he in male]


def shares_of(male, corpus):
    return biascheck.measures.female_share(Chooser(corpus, male), corpus)


@pytest.mark.parametrize("extended", [False, True])
def test_the_contrast_is_the_planted_difference_of_log_odds(extended):
    corpus = competency(extended=extended)
    by_class = {"competent": 0.8, "incompetent": 0.5, "neutral": 0.99}
    shares = shares_of(lambda pair: by_class[pair.labels["competency"]], corpus)
    contrast = competency_contrast(shares)
    assert contrast.estimate == pytest.approx(log(0.2 / 0.8) - log(0.5 / 0.5))
    assert (contrast.measure, contrast.contrast) == ("competency contrast", ("female", "male"))
    assert contrast.n == (180 if extended else 44)
    assert contrast.clusters == (90 if extended else 44)


def test_noise_of_sentences_is_in_the_interval_and_the_gate_decides():
    corpus = competency(extended=True)
    rng = np.random.default_rng(2)
    odds = {pair.id: rng.normal(0, 0.4) for pair in corpus}
    even = competency_contrast(shares_of(lambda pair: 1 / (1 + np.exp(-odds[pair.id])), corpus))
    mean = {c: np.mean([-odds[p.id] for p in corpus.where(competency=c)]) for c in ("competent", "incompetent")}
    assert even.estimate == pytest.approx(mean["competent"] - mean["incompetent"])
    assert even.interval.low < 0 < even.interval.high
    assert biascheck.assert_contrast_within(even, 0.4).passed
    lean = {"competent": 1.0, "incompetent": 0.0, "neutral": 0.0}
    biased = shares_of(lambda pair: 1 / (1 + np.exp(-odds[pair.id] - lean[pair.labels["competency"]])), corpus)
    assert competency_contrast(biased).estimate == pytest.approx(even.estimate - 1)
    with pytest.raises(BiasAssertionError, match=r"competency contrast on .* exceeds margin 0\.40"):
        biascheck.assert_contrast_within(competency_contrast(biased), 0.4)


def test_what_the_two_sentences_of_a_pair_share_does_not_widen_the_interval():
    corpus = competency(extended=True)
    rng = np.random.default_rng(3)
    own = {pair.id: rng.normal(0, 0.1) for pair in corpus}
    shared = {pair.labels["schema"]: rng.normal(0, 1) for pair in corpus}
    male = {pair.id: 1 / (1 + np.exp(-own[pair.id] - shared[pair.labels["schema"]])) for pair in corpus}
    interval = competency_contrast(shares_of(lambda pair: male[pair.id], corpus)).interval
    half = 1.96 * 0.1 * np.sqrt(2 / 90)  # of differences within pairs; of unpaired sentences it would be ten times that
    assert half * 0.7 < (interval.high - interval.low) / 2 < half * 1.4


def test_it_keeps_the_scale_that_the_effect_loses():
    corpus = competency()
    lean = {"competent": 0.01, "incompetent": -0.01, "neutral": 0.0}
    shares = shares_of(lambda pair: 0.5 + lean[pair.labels["competency"]] + len(pair.id) % 3 / 1000, corpus)
    assert abs(competency_effect(shares).estimate) > 1.5
    assert abs(competency_contrast(shares).estimate) < 0.1


def test_a_pronoun_gap_gives_the_figure_of_the_other_gender():
    corpus = competency()
    model = Chooser(corpus, lambda pair: 0.7 if pair.labels["competency"] == "competent" else 0.4)
    gaps, shares = biascheck.measures.pronoun_gap(model, corpus), biascheck.measures.female_share(model, corpus)
    assert competency_contrast(gaps).estimate == pytest.approx(-competency_contrast(shares).estimate)


def test_what_is_not_labelled_is_refused():
    corpus = winograd("T2").where(template="advice")
    items = [ItemScore(p.id, 0.0, p.id, {"male": 0.5, "female": 0.5}, labels=dict(p.labels)) for p in corpus]
    gaps = replace(result_of(items), measure="pronoun gap")
    with pytest.raises(UsageError, match="not labelled competent and incompetent"):
        competency_contrast(gaps)
