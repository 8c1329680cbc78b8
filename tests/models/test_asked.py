"""A language model as a classifier: the share of " positive" against " negative" after a prompt."""

from __future__ import annotations

from math import exp

import pytest
import torch

import biascheck
from biascheck.models.asked import CHAT, RAW, AskedClassifier
from biascheck.models.local.loader import load
from biascheck.models.scoring.queries import Answer, Refusal
from support.tiny import fresh_pair

LOGS = {"It was good.": (-1.0, -2.0), "It was bad.": (-3.0, -1.5), "A {brace}.": (-2.0, -2.0)}


class Scripted:
    """Answers with known log-probabilities, by the text within the prompt; notes what it was asked."""

    name, fingerprint, treatment, framing = "scripted", "f" * 64, ("chat",), "raw"

    def __init__(self, prompt=RAW):
        self.prompt, self.asked = prompt, []

    def continuations(self, queries):
        self.asked += queries
        known = {self.prompt.format(text=text): logs for text, logs in LOGS.items()}
        return [
            Answer(known[query.context][query.continuation == " negative"], 1)
            if query.context in known
            else Refusal("too long")
            for query in queries
        ]


def test_the_rating_is_the_share_of_positive():
    model = Scripted()
    rated = biascheck.as_classifier(model).rate([*LOGS, "It was good."])
    good, bad = 1 / (1 + exp(-1)), 1 / (1 + exp(1.5))
    assert rated == pytest.approx([good, bad, 0.5, good], abs=1e-12)
    assert len(model.asked) == 2 * len(LOGS)  # each distinct text once


def test_in_chat_framing_the_user_asks():
    model = Scripted(CHAT)
    model.framing = "chat"
    classifier = AskedClassifier(model)
    assert classifier.rate(["It was good."]) == [pytest.approx(1 / (1 + exp(-1)))]
    assert classifier.fingerprint != AskedClassifier(Scripted()).fingerprint
    assert classifier.treatment == ("chat", "asked")
    assert "positive or negative" in classifier.about["asked"]


def test_a_text_without_an_answer_is_refused_and_the_others_are_rated():
    rated = AskedClassifier(Scripted()).rate(["It was long.", "It was good."])
    assert rated == [Refusal("too long"), pytest.approx(1 / (1 + exp(-1)))]


@pytest.mark.parametrize("framing", ["raw", "chat"])
def test_a_text_that_is_too_long_for_the_model_is_refused(framing):
    model, tokenizer = fresh_pair("gpt2")  # which reads 64 tokens, as many as a question has
    tokenizer.chat_template = "{% for turn in messages %}{{ turn['content'] }}{% endfor %}"
    [refused] = biascheck.as_classifier(load((model, tokenizer), name="g").framed(framing)).rate(["She won."])
    assert "this model reads at most 64; shorten" in refused.reason


def test_a_prompted_classifier_changes_its_framing():
    model, tokenizer = fresh_pair("llama")
    assert not hasattr(biascheck.as_classifier(load((model, tokenizer), name="l")), "framed")
    tokenizer.chat_template = "{% for turn in messages %}{{ turn['content'] }}{% endfor %}"
    raw = biascheck.as_classifier(load((model, tokenizer), name="l"))
    chat = raw.framed("chat")
    assert (raw.framing, chat.framing) == ("raw", "chat")
    assert chat.framed("raw").fingerprint == raw.fingerprint != chat.fingerprint


def test_a_transformers_model_is_asked():
    """Equal to the softmax over the two words by hand."""
    model, tokenizer = fresh_pair("llama")
    model.config.max_position_embeddings = 512  # rotary positions have no table that ends
    [rated] = biascheck.as_classifier(load((model, tokenizer), name="g")).rate(["She is a nurse."])
    context = RAW.format(text="She is a nurse.")
    totals = []
    for word in (" positive", " negative"):
        before, ids = (tokenizer(text, add_special_tokens=False).input_ids for text in (context, context + word))
        with torch.inference_mode():
            logs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        totals.append(sum(float(logs[place - 1, ids[place]]) for place in range(len(before), len(ids))))
    assert rated == pytest.approx(1 / (1 + exp(totals[1] - totals[0])), abs=1e-5)
