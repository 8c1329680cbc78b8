"""Utility: losses and errors on held-out text, compared before and after mitigation."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from biascheck.core.errors import UsageError
from biascheck.core.spans import Span
from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.reviews import Review, Reviews
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms
from biascheck.corpora.sentence import sentences_of
from biascheck.measures.measure import draft, measure
from biascheck.models.base import Classifier, LanguageModel, MaskedModel, Model, fills_masks
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

# Scores of documents as a result: one item for each document.

LOSS = ("measured", "perfect")


def losses_of(
    model: Model,
    documents: Documents,
    scores: Sequence[float | str],
    seed: int,
    unit: str = "documents",
) -> Result:
    """One item for each document, or the reason why it has no score; versions of one document are one cluster."""
    pairs = list(zip(documents, scores, strict=True))
    items = [ItemScore(d.id, score, d.source) for d, score in pairs if not isinstance(score, str)]
    skipped = [Skipped(document.id, reason) for document, reason in pairs if isinstance(reason, str)]
    return summarise(draft(model, documents, items, skipped, contrast=LOSS, seed=seed, unit=unit))


# Loss on hidden words of held-out text (Bartl et al. 2020, §4.6).

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
    the seed and the document, so two models get the same queries. A causal model is scored on all its tokens.

    Source: Bartl et al. 2020, §4.6.
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
    """Nats per token, or the reason why there is no loss."""
    scored = [answer for answer in answers if isinstance(answer, Answer)]
    if not scored:
        return next((a.reason for a in answers if isinstance(a, Refusal)), "no sentence of two words")
    return -sum(answer.log_probability for answer in scored) / sum(answer.pieces for answer in scored)


# Preference for the other gender's pronoun in running text (Manela et al. 2021, appendix A).


@measure(
    "pronoun error",
    version=1,
    about="How often the model prefers the other gender's pronoun to the one that the text has.",
    limits=(
        "It shows whether a model still knows its language, not whether it is fair: read it beside the gaps.",
        "It is about the texts that were held out, and they are few.",
    ),
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns in a hundred are wrong",
    sign="The estimate is a loss: zero is perfect, one half is chance.",
    paper="manela2021",
    needs=("fills masks",),
)
def pronoun_error(model: MaskedModel, documents: Documents, *, seed: int = 0) -> Result:
    """The share of gendered pronouns in running text for which a masked model prefers the other gender.

    Each pronoun is masked alone and P of the pronoun is compared with P of its counterpart at that place (he–she,
    him–her, his–her …). The score of a document is the share of its pronouns on which the counterpart is more
    probable, a tie counting one half. A document without a pronoun is skipped. For the utility of a causal model
    measure :func:`held_out_loss`.

    Source: Manela et al. 2021, appendix A.
    """
    asked = [list(_pronoun_queries(document)) for document in documents]
    answers = asked_in_chunks(model.fill, (query for queries in asked for pair in queries for query in pair))
    found = [[(next(answers), next(answers)) for _ in queries] for queries in asked]
    return losses_of(model, documents, [_error(pairs) for pairs in found], seed)


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


# Error of a classifier at its task (Jentzsch & Turan 2022, §3).


@measure(
    "task error",
    version=1,
    about="How often the classifier is wrong at the task it was trained for.",
    limits=(
        "It shows whether a classifier still does its task, not whether it is fair: read it beside the deltas.",
        "It is about the reviews that were held out, and they are few.",
    ),
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more texts in a hundred are rated wrongly",
    sign="The estimate is a loss: zero is perfect, one half is chance.",
    paper="jentzsch2022",
    needs=("rates text",),
)
def task_error(model: Classifier, reviews: Reviews, *, seed: int = 0) -> Result:
    """The share of labelled reviews that a classifier rates on the wrong side of one half; one item for each review.

    Source: Jentzsch & Turan 2022, §3.
    """
    ratings = list(asked_in_chunks(model.rate, reviews.texts))
    wrong = [_wrong(item, rating) for item, rating in zip(reviews, ratings, strict=True)]
    return losses_of(model, Documents.of_reviews(reviews), wrong, seed, unit="reviews")


def _wrong(review: Review, rating: float | Refusal) -> float | str:
    if isinstance(rating, Refusal):
        return rating.reason
    return float((rating > 0.5) != (review.sentiment == "positive"))
