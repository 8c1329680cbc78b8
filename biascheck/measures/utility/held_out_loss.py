"""How badly a model restores hidden words of text it was not trained on (Bartl et al. 2020, §4.6)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.words import sentences_of
from biascheck.errors import UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.utility.losses import losses_of
from biascheck.models.capabilities import LanguageModel, fills_masks
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery
from biascheck.results.result import Result
from biascheck.spans import Span

__all__ = ["held_out_loss"]

_WORD = re.compile(r"[^\W_]+")

LossAnswers = list[Answer | Refusal]


@measure(
    "held-out loss",
    version=1,
    about="How surprised the model is by text that it was not trained on; what a mitigation may cost.",
    limits=(
        "It shows whether a model still knows its language, not whether it is fair: read it beside the gaps.",
        "It is about the texts that were held out, and they are few.",
        "A figure of one tokenizer cannot be compared with that of another.",
    ),
    direction="upwards",
    unit="nats per token",
    smallest_change=0.02,
    smallest_change_reason="the perplexity grows by two per cent",
    sign="The estimate is a loss: zero is perfect, more is worse.",
    paper="bartl2020",
    needs=("fills masks", "scores text"),
)
def held_out_loss(model: LanguageModel, documents: Documents, *, share: float = 0.15, seed: int = 0) -> Result:
    """How badly a model restores hidden words of running text, in nats per token.

    In every sentence of a document ``share`` of the words, at least one, are masked together; the score of the document
    is the mean of ``−ln P`` over their tokens, each word read at its own masks. Which words are hidden follows from
    the seed and the document, so two models are asked the same. A causal model is scored on all its tokens.
    """
    if not 0 < share <= 1:
        raise UsageError(f"share is that of the words to hide, above 0 and at most 1, not {share:g}")
    answered = _masked(model, documents, share, seed) if fills_masks(model) else _causal(model, documents)
    return losses_of(model, documents, [_loss(answers) for answers in answered], seed)


def _masked(model: Any, documents: Documents, share: float, seed: int) -> list[LossAnswers]:
    asked = [list(_masked_queries(document, share, seed)) for document in documents]
    answers = asked_in_chunks(model.fill, (query for queries in asked for query in queries))
    return [[next(answers) for _ in queries] for queries in asked]


def _causal(model: Any, documents: Documents) -> list[LossAnswers]:
    asked = [[SentenceQuery(sentence) for sentence in sentences_of(document.text)] for document in documents]
    answers = asked_in_chunks(model.likelihood, (query for queries in asked for query in queries))
    return [[next(answers) for _ in queries] for queries in asked]


def _masked_queries(document: Document, share: float, seed: int) -> Iterator[MaskedQuery]:
    rng = np.random.default_rng([seed, zlib.crc32(document.id.encode())])
    for sentence in sentences_of(document.text):
        words = [Span(*match.span()) for match in _WORD.finditer(sentence)]
        if len(words) < 2:
            continue
        count = max(1, round(share * len(words)))
        hidden = [words[index] for index in sorted(rng.choice(len(words), size=count, replace=False).tolist())]
        for target in hidden:
            yield MaskedQuery(sentence, target, tuple(span for span in hidden if span != target))


def _loss(answers: LossAnswers) -> float | str:
    """Nats per token, or why there is no figure."""
    scored = [answer for answer in answers if isinstance(answer, Answer)]
    if not scored:
        return next((a.reason for a in answers if isinstance(a, Refusal)), "no sentence of two words")
    return -sum(answer.log_probability for answer in scored) / sum(answer.pieces for answer in scored)
