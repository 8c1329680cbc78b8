"""Every measure of causal models works with the chat template; the catalogue lists them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module

import numpy as np
import pytest

import biascheck
from biascheck import corpora
from biascheck.core.spans import Span
from biascheck.corpora import Documents
from biascheck.corpora.gap import Gap, GapItem
from biascheck.measures.measure import catalogue
from biascheck.measures.topics import topics_of
from biascheck.models.base import FRAMED
from biascheck.report.html import page_of, render_page
from biascheck.runs.run import Run
from support.loaded_tiny import fresh

TEMPLATE = "{% for turn in messages %}<u>{{ turn['content'] }}</u>{% endfor %}<a>"
DEFINING = [entry.functions[0] for entry in catalogue() if FRAMED & set(entry.description.needs)]
ASKING = {function.__name__: function for function in DEFINING}
"""The measures that need running text or a rating of it; what is made from a result only is not asked."""


def some(corpus, every):
    return replace(corpus, pairs=tuple(corpus)[::every])


def crossed():
    """Two professions with both their forms."""
    corpus = corpora.bec_pro_crossed()
    chosen = sorted({pair.attribute for pair in corpus})[:2]
    return replace(corpus, pairs=tuple(pair for pair in corpus if pair.attribute in chosen))


def pages():
    """Pronouns of both genders on thirty pages, with enough different words for two topics."""
    items = []
    for n in range(60):
        places = ("garden", "market", "harbour")[n % 3], ("kitchen", "office", "school", "chapel")[n // 5 % 4]
        text = f"Ann met Bea before she left the {places[0]} for the {places[1]}."
        spans = {"pronoun": Span(19, 22), "a": Span(0, 3), "b": Span(8, 11)}
        about = {"referent": ("A", "B", "neither")[n % 3], "gender": ("male", "female")[n // 2 % 2]}
        items.append(GapItem(id=f"g{n}", text=text, page=f"page {n // 2}", **spans, **about))
    return Gap("pages", items)


def pronouns():
    return some(corpora.builtin_pronouns(), 10)


def triples():
    return corpora.builtin_triples().subsample(0.2)


def questions():
    return corpora.builtin_questions().subsample(0.05)


def reviews():
    return replace(corpora.written_reviews("test"), items=corpora.written_reviews("test").items[:12])


MATERIAL = {
    "association": lambda: some(corpora.bec_pro(), 100),
    "attribute_contrast": lambda: some(corpora.kurita_weat(6), 4),
    "effect_size": lambda: some(corpora.kurita_weat(6), 4),
    "positive_share": lambda: some(corpora.employment("titles"), 20),
    "grammar_balanced": crossed,
    "pronoun_gap": lambda: some(corpora.winograd("T2"), 20),
    "skew": lambda: some(corpora.winograd("T2"), 20),
    "stereotype": lambda: some(corpora.winograd("T2"), 20),
    "name_resolution": lambda: some(corpora.winograd("T2"), 20),
    "female_share": corpora.competency,
    "referent_odds": pronouns,
    "topic_correlation": pages,
    "held_out_loss": lambda: Documents.of(
        "t", ["She left early. He stayed.", "The nurse slept well.", "A dog barked."]
    ),
    "task_error": reviews,
    "sentiment_delta": lambda: corpora.review_pairs(reviews()),
    "preference_share": lambda: corpora.builtin_preferences().subsample(0.2),
    "stereotype_preference": triples,
    "stereotype_score": triples,
    "language_modelling_score": triples,
    "icat_score": triples,
    "question_answers": questions,
    "ambiguous_bias": questions,
    "disambiguated_bias": questions,
    "answer_accuracy": questions,
    "unanswered_share": questions,
    "decision_scores": lambda: corpora.builtin_decisions().subsample(0.05),
}
OPTIONS = {"topic_correlation": {"topics": 2, "top": 3, "folds": 2, "repeats": 1}}


@cache
def chatting():
    """A tiny Llama with a chat template, and a list that grows with every turn that is written by it."""
    model, tokenizer = fresh("llama")
    model.config.max_position_embeddings = 512  # rotary positions have no table that ends
    tokenizer.chat_template = TEMPLATE
    loaded = biascheck.load((model, tokenizer), name="chatty")
    written, write = [], loaded.tokenizer.apply_chat_template

    def counted(turns, **options):
        written.append(turns)
        return write(turns, **options)

    loaded.tokenizer.apply_chat_template = counted
    return loaded, written


def asked(name, framing):
    model, written = chatting()
    del written[:]
    framed = model.framed(framing)
    measure = ASKING[name]
    if "rates text" in measure.description.needs:
        framed = biascheck.as_classifier(framed)
    return measure(framed, MATERIAL[name](), **OPTIONS.get(name, {})), len(written)


@pytest.mark.parametrize("name", sorted(ASKING))
def test_a_measure_is_asked_in_chat_framing(name):
    """A new measure that asks models needs a line in MATERIAL, and a way to be asked in a user's turn."""
    result, turns = asked(name, "chat")
    assert turns > 0
    assert result.treatment[:1] == ("chat",)
    assert result.provenance.options["framing"] == "chat"
    assert result.provenance.model["framing"] == "chat"
    assert not any("scored raw" in warning for warning in result.warnings)
    assert result.measure in render_page(page_of(Run((result,))))


@pytest.mark.parametrize("name", ["association", "sentiment_delta", "question_answers"])
def test_the_same_measure_raw_writes_no_turn_and_says_so(name):
    result, turns = asked(name, "raw")
    assert turns == 0
    assert "chat" not in result.treatment
    assert any("scored raw, without its chat template" in warning for warning in result.warnings)


def test_the_last_digits_of_a_factorisation_decide_no_figure(monkeypatch):
    """Pages that say the same have one bias, whichever way the machine rounds."""
    module = import_module("biascheck.measures.topics")
    plain, _ = asked("topic_correlation", "raw")

    def rounded_otherwise(*texts, **options):
        found = topics_of(*texts, **options)
        noise = np.random.default_rng(0).normal(scale=1e-15, size=found.presence.shape)
        return replace(found, presence=found.presence + noise)

    monkeypatch.setattr(module, "topics_of", rounded_otherwise)
    again, _ = asked("topic_correlation", "raw")
    assert len({item.covariate for item in plain.items}) < len(plain.items)
    assert (again.estimate, again.interval, again.p) == (plain.estimate, plain.interval, plain.p)


def test_no_line_of_material_is_left_over():
    assert set(MATERIAL) == set(ASKING)
