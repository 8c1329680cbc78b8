"""What a model still knows: figures on held-out text, to be compared before and after fine-tuning.

All of them are **losses**: 0 is perfect, more is worse, one item is one document. So :func:`biascheck.compare` reads
them like any other distance, and :func:`biascheck.assert_utility_kept` holds their increase below a margin. A model can
become unbiased by forgetting the language; these figures are what it pays with.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from biascheck.corpora.datasets.reviews import Reviews
from biascheck.corpora.documents import Document, Documents, sentences_of
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms
from biascheck.errors import UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.models.capabilities import CausalModel, Classifier, LanguageModel, MaskedModel
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.spans import Span

__all__ = ["held_out_loss", "pronoun_error", "task_error"]

LOSS = ("measured", "perfect")
_WORD = re.compile(r"[^\W_]+")

Found = list[Answer | Refusal]


@measure("held-out loss", version=1)
def held_out_loss(model: LanguageModel, documents: Documents, *, share: float = 0.15, seed: int = 0) -> Result:
    """How badly a model restores hidden words of running text, in nats per word piece.

    In every sentence of a document ``share`` of the words, at least one, are masked together; the score of the document
    is the mean of ``−ln P`` over their pieces, each word read at its own masks. Which words are hidden follows from
    the seed and the document, so two models are asked the same. A causal model is scored on all its pieces.

    Limits: a figure of one tokenizer cannot be compared with that of another.
    """
    if not 0 < share <= 1:
        raise UsageError(f"share is that of the words to hide, above 0 and at most 1, not {share:g}")
    if isinstance(model, MaskedModel):
        asked = [list(_masked_queries(document, share, seed)) for document in documents]
        answers = iter(model.fill([query for queries in asked for query in queries]))
    elif isinstance(model, CausalModel):
        sentences = [[SentenceQuery(sentence) for sentence in sentences_of(document.text)] for document in documents]
        answers = iter(model.likelihood([query for queries in sentences for query in queries]))
        asked = sentences  # type: ignore[assignment]
    else:
        raise UsageError(f"{model!r} is neither a masked nor a causal language model; see biascheck.extend")
    found = [[next(answers) for _ in queries] for queries in asked]
    return _folded(model, documents, [_loss(answers) for answers in found], seed)


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


def _loss(answers: Found) -> float | str:
    """Nats per piece, or why there is no figure."""
    scored = [answer for answer in answers if isinstance(answer, Answer)]
    if not scored:
        return next((a.reason for a in answers if isinstance(a, Refusal)), "no sentence of two words")
    return -sum(answer.log_probability for answer in scored) / sum(answer.pieces for answer in scored)


@measure("pronoun error", version=1)
def pronoun_error(model: MaskedModel, documents: Documents, *, seed: int = 0) -> Result:
    """The share of gendered pronouns in running text for which a masked model prefers the other gender.

    Each pronoun is masked alone and P of the pronoun is compared with P of its counterpart at that place (he–she,
    him–her, his–her …). The score of a document is the share of its pronouns on which the counterpart is more
    probable, a tie counting one half. A document without a pronoun is skipped.
    """
    if not isinstance(model, MaskedModel):
        raise UsageError(f"{model!r} fills no masks; measure held_out_loss for the utility of a causal model")
    asked = [list(_pronoun_queries(document)) for document in documents]
    answers = iter(model.fill([query for queries in asked for pair in queries for query in pair]))
    found = [[(next(answers), next(answers)) for _ in queries] for queries in asked]
    return _folded(model, documents, [_error(pairs) for pairs in found], seed)


def _pronoun_queries(document: Document) -> Iterator[tuple[MaskedQuery, MaskedQuery]]:
    for sentence in sentences_of(document.text):
        for edit in _pronouns().edits(sentence):
            start, end = edit.span.start, edit.span.end
            other = f"{sentence[:start]}{edit.replacement}{sentence[end:]}"
            place = Span(start, start + len(edit.replacement))
            yield MaskedQuery(sentence, edit.span), MaskedQuery(other, place)


@cache
def _pronouns() -> Rewriter:
    return Rewriter(gender_terms("pro"))


def _error(pairs: Sequence[tuple[Answer | Refusal, Answer | Refusal]]) -> float | str:
    wrong: list[float] = []
    for there, other in pairs:
        if isinstance(there, Answer) and isinstance(other, Answer):
            gap = other.log_probability - there.log_probability
            wrong.append(0.5 if gap == 0 else float(gap > 0))
    if not wrong:
        refused = (answer.reason for pair in pairs for answer in pair if isinstance(answer, Refusal))
        return next(refused, "no gendered pronoun in it")
    return sum(wrong) / len(wrong)


@measure("task error", version=1)
def task_error(model: Classifier, reviews: Reviews, *, seed: int = 0) -> Result:
    """The share of labelled reviews that a classifier rates on the wrong side of one half; one item a review."""
    ratings = model.rate(reviews.texts)
    wrong = [
        float((rating > 0.5) != (item.sentiment == "positive")) for item, rating in zip(reviews, ratings, strict=True)
    ]
    documents = Documents.of_reviews(reviews)
    return _folded(model, documents, list(wrong), seed, unit="reviews")


def _folded(
    model: LanguageModel | Classifier,
    documents: Documents,
    scores: Sequence[float | str],
    seed: int,
    unit: str = "documents",
) -> Result:
    """One item a document; versions of one document are one cluster."""
    pairs = list(zip(documents, scores, strict=True))
    items = [ItemScore(d.id, score, d.source) for d, score in pairs if not isinstance(score, str)]
    skipped = [Skipped(document.id, reason) for document, reason in pairs if isinstance(reason, str)]
    return summarise(draft(model, documents, items, skipped, contrast=LOSS, seed=seed, unit=unit))
