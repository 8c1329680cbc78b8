"""Tiny random models with real tokenizers, one of each family, built in memory from words of our own.

Every tokenizer is the family's own class over a vocabulary trained here, so its pieces look as they do in a
published model: ``##er``, ``Ġson``, ``▁son``. Words of ``SENTENCES`` are one piece each; ``boyfriend``,
``phlebotomist`` and ``Haushälterin`` are several.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import AddedToken

from support.tiny_vocabularies import (
    byte_vocabulary,
    metaspace_bpe_vocabulary,
    unigram_vocabulary,
    wordpiece_vocabulary,
)

SEED = 3
ONE_PIECE = ("son", "daughter", "nurse", "plumber")
SEVERAL_PIECES = ("boyfriend", "phlebotomist")


@dataclass(frozen=True)
class Family:
    """How to build one architecture, and how its tokenizer marks the beginning of a word."""

    name: str
    kind: Literal["masked", "causal"]
    pieces: Literal["wordpiece", "bytes", "metaspace"]
    build: Callable[[], tuple[Any, Any]]


def _seeded(make: Callable[[], Any]) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return make().eval()


SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    # Wide enough that a wrong position or a missing mask moves a score by far more than any rounding.
    "initializer_range": 0.25,
}
BERT_SPECIALS = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]


def wordpiece_tokenizer(*, lowercase: bool = True) -> Any:
    vocabulary = wordpiece_vocabulary(BERT_SPECIALS, lowercase=lowercase)
    return hf.BertTokenizerFast(vocab=vocabulary, do_lower_case=lowercase)


def roberta_tokenizer() -> Any:
    vocabulary, merges = byte_vocabulary([*ROBERTA_SPECIALS, "<mask>"])
    return hf.RobertaTokenizerFast(vocab=vocabulary, merges=merges, mask_token=_eats_space("<mask>"))


def _eats_space(mask: str) -> AddedToken:
    return AddedToken(mask, lstrip=True, rstrip=False, normalized=False, special=True)


def _bert(lowercase: bool) -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer(lowercase=lowercase)
    config = hf.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=64, pad_token_id=1, **SIZES)
    return _seeded(lambda: hf.BertForMaskedLM(config)), tokenizer


def _distilbert() -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer()
    config = hf.DistilBertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        dim=32,
        n_layers=2,
        n_heads=2,
        hidden_dim=48,
        initializer_range=0.25,
        pad_token_id=1,
    )
    return _seeded(lambda: hf.DistilBertForMaskedLM(config)), tokenizer


def _roberta() -> tuple[Any, Any]:
    tokenizer = roberta_tokenizer()
    config = hf.RobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=66, type_vocab_size=1, pad_token_id=1, **SIZES
    )
    return _seeded(lambda: hf.RobertaForMaskedLM(config)), tokenizer


def _xlm_roberta() -> tuple[Any, Any]:
    vocabulary = [*unigram_vocabulary(ROBERTA_SPECIALS), ("<mask>", 0.0)]
    tokenizer = hf.XLMRobertaTokenizerFast(vocab=vocabulary, mask_token=_eats_space("<mask>"))
    config = hf.XLMRobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=66, type_vocab_size=1, pad_token_id=1, **SIZES
    )
    return _seeded(lambda: hf.XLMRobertaForMaskedLM(config)), tokenizer


def _albert() -> tuple[Any, Any]:
    vocabulary = unigram_vocabulary(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], lowercase=True)
    tokenizer = hf.AlbertTokenizerFast(vocab=vocabulary, mask_token=_eats_space("[MASK]"))
    config = hf.AlbertConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, embedding_size=16, pad_token_id=0, **SIZES
    )
    return _seeded(lambda: hf.AlbertForMaskedLM(config)), tokenizer


def _electra() -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer()
    config = hf.ElectraConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, embedding_size=16, pad_token_id=1, **SIZES
    )
    return _seeded(lambda: hf.ElectraForMaskedLM(config)), tokenizer


def _mpnet() -> tuple[Any, Any]:
    vocabulary = wordpiece_vocabulary(["<s>", "<pad>", "</s>", "<unk>", "<mask>", "[UNK]"])
    tokenizer = hf.MPNetTokenizerFast(vocab=vocabulary)
    config = hf.MPNetConfig(vocab_size=len(tokenizer), max_position_embeddings=66, **SIZES)
    return _seeded(lambda: hf.MPNetForMaskedLM(config)), tokenizer


def _deberta() -> tuple[Any, Any]:
    vocabulary = [*unigram_vocabulary(["[PAD]", "[CLS]", "[SEP]", "[UNK]"]), ("[MASK]", 0.0)]
    tokenizer = hf.DebertaV2TokenizerFast(vocab=vocabulary)
    config = hf.DebertaV2Config(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        relative_attention=True,
        position_buckets=8,
        pos_att_type=["p2c", "c2p"],
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        position_biased_input=False,
        type_vocab_size=0,
        **SIZES,
    )
    return _seeded(lambda: hf.DebertaV2ForMaskedLM(config)), tokenizer


def _modernbert() -> tuple[Any, Any]:
    vocabulary, merges = byte_vocabulary(BERT_SPECIALS)
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.post_processor = _wrapped(vocabulary, "[CLS]", "[SEP]")
    names = {f"{name.lower()}_token": f"[{name}]" for name in ("UNK", "PAD", "CLS", "SEP")}
    tokenizer = hf.PreTrainedTokenizerFast(tokenizer_object=backend, mask_token=_eats_space("[MASK]"), **names)
    ids = {"pad_token_id": 1, "cls_token_id": 2, "bos_token_id": 2, "sep_token_id": 3, "eos_token_id": 3}
    config = hf.ModernBertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        local_attention=4,
        global_attn_every_n_layers=2,
        initializer_cutoff_factor=3.0,
        **ids,
        **SIZES,
    )
    return _seeded(lambda: hf.ModernBertForMaskedLM(config)), tokenizer


def _wrapped(vocabulary: Mapping[str, int], first: str, last: str) -> Any:
    from tokenizers.processors import TemplateProcessing

    ends = [(first, vocabulary[first]), (last, vocabulary[last])]
    return TemplateProcessing(single=f"{first} $A {last}", special_tokens=ends)


def _gpt2() -> tuple[Any, Any]:
    vocabulary, merges = byte_vocabulary(["<|endoftext|>"])
    tokenizer = hf.GPT2TokenizerFast(vocab=vocabulary, merges=merges)
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = hf.GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=2, n_head=2, initializer_range=0.25, **ends
    )
    return _seeded(lambda: hf.GPT2LMHeadModel(config)), tokenizer


def _llama() -> tuple[Any, Any]:
    vocabulary, merges = metaspace_bpe_vocabulary(["<unk>", "<s>", "</s>"])
    tokenizer = hf.LlamaTokenizerFast(vocab=vocabulary, merges=merges)
    config = hf.LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=64, num_key_value_heads=1, **SIZES)
    return _seeded(lambda: hf.LlamaForCausalLM(config)), tokenizer


def _qwen() -> tuple[Any, Any]:
    _, tokenizer = _gpt2()
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = hf.Qwen2Config(
        vocab_size=len(tokenizer), max_position_embeddings=64, num_key_value_heads=1, **ends, **SIZES
    )
    return _seeded(lambda: hf.Qwen2ForCausalLM(config)), tokenizer


def _mistral(sliding_window: int | None = 48) -> tuple[Any, Any]:
    _, tokenizer = _llama()
    config = hf.MistralConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        num_key_value_heads=1,
        sliding_window=sliding_window,
        **SIZES,
    )
    return _seeded(lambda: hf.MistralForCausalLM(config)), tokenizer


def _gemma() -> tuple[Any, Any]:
    _, tokenizer = _llama()
    config = hf.Gemma2Config(
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        num_key_value_heads=1,
        head_dim=16,
        query_pre_attn_scalar=16,
        sliding_window=48,
        bos_token_id=1,
        eos_token_id=2,
        **SIZES,
    )
    return _seeded(lambda: hf.Gemma2ForCausalLM(config)), tokenizer


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("bert-uncased", "masked", "wordpiece", lambda: _bert(lowercase=True)),
        Family("bert-cased", "masked", "wordpiece", lambda: _bert(lowercase=False)),
        Family("distilbert", "masked", "wordpiece", _distilbert),
        Family("roberta", "masked", "bytes", _roberta),
        Family("xlm-roberta", "masked", "metaspace", _xlm_roberta),
        Family("albert", "masked", "metaspace", _albert),
        Family("electra", "masked", "wordpiece", _electra),
        Family("mpnet", "masked", "wordpiece", _mpnet),
        Family("deberta-v2", "masked", "metaspace", _deberta),
        Family("modernbert", "masked", "bytes", _modernbert),
        Family("gpt2", "causal", "bytes", _gpt2),
        Family("llama", "causal", "metaspace", _llama),
        Family("qwen2", "causal", "bytes", _qwen),
        Family("mistral", "causal", "metaspace", _mistral),
        Family("gemma2", "causal", "metaspace", _gemma),
    )
}
MASKED = tuple(name for name, family in FAMILIES.items() if family.kind == "masked")
CAUSAL = tuple(name for name, family in FAMILIES.items() if family.kind == "causal")


@cache
def pair(name: str) -> tuple[Any, Any]:
    """The (model, tokenizer) of a family, shared by all tests: none may change it."""
    return FAMILIES[name].build()


def fresh_pair(name: str) -> tuple[Any, Any]:
    """The same pair again, for a test that damages it."""
    return FAMILIES[name].build()


@cache
def loaded(name: str) -> Any:
    """The family's pair behind this project's adapter."""
    from biascheck.models.local.loader import load

    return load(pair(name), name=name)


def with_budget(name: str, tokens: int) -> Any:
    """The same with a token budget of its own; :func:`loaded` is shared by all tests of a process."""
    model = copy.copy(loaded(name))
    model.token_budget = tokens
    return model
