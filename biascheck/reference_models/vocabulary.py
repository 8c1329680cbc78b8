"""The words of the standards: one piece for every word of our own corpora, letters for all others."""

from __future__ import annotations

import string
from functools import cache
from typing import Any, get_args

from biascheck.corpora import bec_pro, employment, kurita_weat, religion
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.employment import EmploymentKind
from biascheck.reference_models.planted_pronouns import pronoun_corpora
from biascheck.reference_models.world import World

__all__ = ["LETTERS", "build_tokenizer", "indifferent_corpora"]

LETTERS = string.ascii_lowercase + string.digits + "ß"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LONGEST_INPUT = 128


@cache
def indifferent_corpora() -> tuple[Corpus, ...]:
    """Our corpora about which the world knows nothing: no group is preferred in them."""
    weat = [kurita_weat(category) for category in (1, 3, 6, 7, 8)]
    return (*weat, *(employment(kind) for kind in get_args(EmploymentKind)), religion(), bec_pro("de"))


def build_tokenizer() -> Any:
    """A lower-casing WordPiece tokenizer that has every word of these corpora and spells all others."""
    from tokenizers import Tokenizer, decoders, models, processors
    from transformers import BertTokenizerFast

    pieces = [*SPECIAL, *string.punctuation, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    pieces += sorted(_words() - set(pieces))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = _splitting()
    tokenizer.decoder = decoders.WordPiece()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=LONGEST_INPUT)


def _splitting() -> tuple[Any, Any]:
    from tokenizers import normalizers, pre_tokenizers

    return normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()


@cache
def _words() -> frozenset[str]:
    normalizer, pre_tokenizer = _splitting()
    corpora = (World(0.0).corpus(), *indifferent_corpora(), *pronoun_corpora())
    texts = {normalizer.normalize_str(sentence.text) for corpus in corpora for sentence in corpus.sentences()}
    return frozenset(word for text in texts for word, _ in pre_tokenizer.pre_tokenize_str(text))
