"""Vocabularies that are trained here, on words of our own, for the tokenizers of tiny models."""

from __future__ import annotations

import json

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

SENTENCES = """
    My son is a nurse. My daughter is a plumber. This man is a nurse. This woman works as a plumber.
    The son of the nurse had a good day at work. The daughter of the plumber had a good day at work.
    Son and daughter work. Daughter and son work. He is the man, she is the woman. son daughter nurse plumber
"""
RARE = "boy friend phlebo tom ist haus halt er in haushalterin logo padin qu vy jx zk kg"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _text() -> list[str]:
    """Whole words often, letters and their joints rarely: the first become pieces, the rest is spelt out."""
    return [SENTENCES] * 60 + [" ".join(LETTERS), " ".join(LETTERS.upper()), RARE]


def _words(lowercase: bool) -> list[str]:
    words = [word.strip(".,") for word in SENTENCES.split()]
    return [word.lower() for word in words] if lowercase else words


def wordpiece_vocabulary(specials: list[str], *, lowercase: bool = True) -> dict[str, int]:
    tokenizer = Tokenizer(models.WordPiece(unk_token=specials[0]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=600, min_frequency=20, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(_text(), trainer)
    # The trainer numbers pieces, and chooses among equals, by chance: keep the whole words, which are always
    # learnt, in a fixed order, and spell all others out.
    letters = LETTERS if lowercase else LETTERS + LETTERS.upper() + "äöü"
    learnt = {piece for piece in tokenizer.get_vocab() if not piece.startswith("##")} & set(_words(lowercase))
    spelling = {*letters, *(f"##{letter}" for letter in letters), ".", ",", "##er", "##nd", "##ist"}
    pieces = [*specials, *sorted(learnt | spelling)]
    return {piece: number for number, piece in enumerate(pieces)}


def byte_vocabulary(specials: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        min_frequency=20,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_text(), trainer)
    return _vocabulary_and_merges(tokenizer)


def metaspace_bpe_vocabulary(specials: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token=specials[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=800, min_frequency=20, special_tokens=specials + fallback, show_progress=False
    )
    tokenizer.train_from_iterator(_text(), trainer)
    return _vocabulary_and_merges(tokenizer)


def _vocabulary_and_merges(tokenizer: Tokenizer) -> tuple[dict[str, int], list[tuple[str, str]]]:
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]


def unigram_vocabulary(specials: list[str], *, lowercase: bool = False) -> list[tuple[str, float]]:
    tokenizer = Tokenizer(models.Unigram())
    if lowercase:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Punctuation(), pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=[], show_progress=False)
    tokenizer.train_from_iterator(_text(), trainer)
    learnt = {piece for piece, _ in json.loads(tokenizer.to_str())["model"]["vocab"]} - {"<unk>"}
    # Whole words win over any spelling, as they do in a vocabulary learnt from much text.
    whole = {f"▁{word}": -1.0 for word in _words(lowercase)}
    spelling = dict.fromkeys(["▁", ".", ",", *LETTERS, *("" if lowercase else LETTERS.upper())], -9.0)
    # The trainer's scores differ in their last digits from run to run; a round number does as well.
    pieces = spelling | dict.fromkeys(sorted(learnt), -5.0) | whole
    return [(special, 0.0) for special in specials] + [p for p in pieces.items() if p[0] not in specials]
