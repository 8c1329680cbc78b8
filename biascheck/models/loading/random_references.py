"""Reference models that need no download. ``reference:tiny`` is a small BERT with random weights.

It knows nothing, so it shows what chance looks like; and it is built in a second, so a suite can be
tried where there is no other model.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from biascheck.errors import UsageError

__all__ = ["REFERENCES", "build_reference"]

SEED = 20_190_607
FREQUENT_WORDS = """
    he she him her his hers man woman men women boy girl boys girls brother sister son daughter husband wife
    boyfriend girlfriend father mother uncle aunt dad mom my this the a an is are was works work as wants to
    become applied for position of had good day at like likes interested in people person flower flowers insect
    insects black white can do er sie mein meine dieser diese mann frau bruder schwester sohn tochter freund
    freundin vater mutter onkel tante papa mama ehemann ist arbeitet als hat sich auf die der stelle beworben
    hatte einen guten will werden
"""


def build_reference(spec: str) -> tuple[Any, Any]:
    """Build the (model, tokenizer) pair that ``reference:…`` names."""
    name = spec.removeprefix("reference:")
    if name not in REFERENCES:
        raise UsageError(f"no reference model {name!r}; there are: {', '.join(sorted(REFERENCES))}")
    return REFERENCES[name]()


def _tiny() -> tuple[Any, Any]:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = _wordpiece(FREQUENT_WORDS.split())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = BertForMaskedLM(
            BertConfig(
                vocab_size=len(tokenizer),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=64,
                max_position_embeddings=128,
            )
        )
    return model.eval(), tokenizer


def _wordpiece(words: list[str]) -> Any:
    """A lower-casing WordPiece tokenizer of these words, with single letters to spell all others."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import BertTokenizerFast

    letters = string.ascii_lowercase + string.digits + "ß"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.punctuation, *letters]
    pieces += [f"##{letter}" for letter in letters] + sorted(set(words) - set(pieces))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    ends = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=128)


REFERENCES: Mapping[str, Callable[[], tuple[Any, Any]]] = MappingProxyType({"tiny": _tiny})
