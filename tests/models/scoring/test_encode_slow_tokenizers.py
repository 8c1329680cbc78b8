"""Tokenizers written in Python get their offsets by alignment; a fast one of the same vocabulary knows the answer."""

from __future__ import annotations

import pytest
from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

from biascheck.core.errors import ModelError
from biascheck.models.local.loader import load
from biascheck.models.scoring.encode import AlignedTokenizer, aligned
from biascheck.models.scoring.queries import ContinuationQuery, Refusal
from support.oracle import query
from support.tiny import loaded, pair

TEXTS = ["My son is a nurse.", "This  WOMAN works as a phlebotomist, at work.", "boyfriend", ""]


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    fast = pair("bert-uncased")[1]
    vocabulary = sorted(fast.get_vocab(), key=fast.get_vocab().__getitem__)
    file = tmp_path_factory.mktemp("slow") / "vocab.txt"
    file.write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerLegacy(str(file), do_lower_case=True)
    assert not tokenizer.is_fast
    return tokenizer


@pytest.mark.parametrize("special", [True, False])
def test_offsets_are_those_of_the_fast_tokenizer(slow, special):
    fast = pair("bert-uncased")[1]
    given = {"add_special_tokens": special, "return_offsets_mapping": True, "return_special_tokens_mask": True}
    expected, found = fast(TEXTS, **given), AlignedTokenizer(slow)(TEXTS, **given)
    for name in ("input_ids", "offset_mapping", "special_tokens_mask"):
        assert found[name] == expected[name], name


def test_scores_are_those_of_the_fast_tokenizer(slow):
    model = load((pair("bert-uncased")[0], slow), name="slow")
    asked = [query("My son is a nurse.", "son"), query("My boyfriend is a nurse.", "boyfriend", "nurse")]
    expected = [answer.log_probability for answer in loaded("bert-uncased").fill(asked)]
    assert [answer.log_probability for answer in model.fill(asked)] == pytest.approx(expected, abs=1e-5)
    continued = [ContinuationQuery("My son is", " a nurse.")]
    [known] = loaded("bert-uncased").continuations(continued)
    [found] = model.continuations(continued)
    assert (found.log_probability, found.pieces) == (pytest.approx(known.log_probability, abs=1e-5), known.pieces)
    assert model.about["tokenizer"].startswith("BertTokenizerLegacy, ")


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        (["the", "nur@@", "se"], "the nurse", [(0, 3), (4, 7), (7, 9)]),
        (["▁The", "▁nur", "se", "."], "The nurse.", [(0, 3), (4, 7), (7, 9), (9, 10)]),
        (["the</w>", "nur", "se</w>"], "the  nurse ", [(0, 3), (5, 8), (8, 10)]),
        (["a", "b"], "a c", [(0, 0), (0, 0)]),
        (["a"], "a b", [(0, 0)]),
    ],
)
def test_tokens_are_found_in_order_or_not_at_all(tokens, text, expected):
    assert aligned(tokens, text) == expected


class Rewriting:
    """A tokenizer whose tokens are not in the text."""

    is_fast = False

    def tokenize(self, text):
        return [f"<{word}>" for word in text.split()]


def test_a_tokenizer_that_rewrites_every_text_is_refused():
    with pytest.raises(ModelError, match="its tokens do not spell the text; save the model with a fast tokenizer"):
        loaded("bert-uncased")._aligned(Rewriting())


def test_a_text_that_is_rewritten_is_refused_and_not_misread(slow):
    """BERT takes accents off, so that "é" is spelt "e": the tokens do not spell the text."""
    model = load((pair("bert-uncased")[0], slow), name="slow")
    [answer] = model.fill([query("My són is a nurse.", "nurse")])
    assert isinstance(answer, Refusal)
    [continued] = model.continuations([ContinuationQuery("My són is", " a nurse.")])
    assert "leaves no token with this tokenizer" in continued.reason
