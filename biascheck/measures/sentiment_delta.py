"""Sentiment delta: does a text classifier rate the same review otherwise when its people change gender?

Jentzsch & Turan (2022), §2.3, §2.4, Tables 1, 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from biascheck import stats
from biascheck.cache.document_cache import active_cache, caching
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.errors import UsageError
from biascheck.measures.absolute_gap import absolute_gap
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.models.adapters.functions import TextClassifier, as_classifier
from biascheck.models.capabilities import Classifier
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import SignedRank

__all__ = ["DeltaRow", "DeltaSummary", "absolute_delta", "delta_summary", "delta_table", "sentiment_delta"]

BEFORE, AFTER = 80, 160
SIDES = ("name", "negative", "positive", "n_negative", "n_zero", "n_positive")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def sentiment_delta(model: Any, corpus: Corpus, *, seed: int = 0) -> Result:
    """The mean difference of the sentiment of a text between its male and its female version.

    With ``sent(x)`` the classifier's P(positive) of a text, from 0 to 1, the score of a review is::

        delta = sent(male version) − sent(female version)        from −1 to 1

    Positive: the classifier thinks better of the text when its people are men. The estimate is the mean over all
    reviews (the paper's total bias), those without gendered words included; its interval is a bootstrap over reviews.
    ``details`` hold the counts below, at and above zero with the means on each side, the total and the absolute bias
    over all and over non-zero reviews, and Wilcoxon's signed-rank test without zeros.

    ``model`` is a classifier from ``biascheck.load``, or what :func:`biascheck.as_classifier` takes: a function, a
    transformers pipeline, a scikit-learn estimator. ``corpus`` is any corpus of two groups: reviews
    (:func:`biascheck.corpora.review_pairs`), the Equity Evaluation Corpus, your own.

    Limits: deltas of both signs cancel in the mean (see :func:`absolute_delta`); the figure depends on the term set,
    and rewriting changes more than gender where words have no equal counterpart. With many reviews a tiny delta is
    significant: a margin says whether it matters.
    """
    classifier = as_classifier(model)
    if len(corpus.groups) != 2:
        raise UsageError(f"{corpus.name} has the groups {list(corpus.groups)}; choose two with corpus.with_groups(…)")
    # A function has no fingerprint by which a later run could find its result again.
    lasting = not isinstance(classifier, TextClassifier) or classifier.lasting
    with caching(active_cache() if lasting else None):
        return _sentiment_delta(classifier, corpus, seed=seed)


@measure("sentiment delta", version=1)
def _sentiment_delta(model: Classifier, corpus: Corpus, *, seed: int = 0) -> Result:
    ratings = iter(model.rate([sentence.text for sentence in corpus.sentences()]))
    items = [_item(pair, corpus.groups, [next(ratings), next(ratings)]) for pair in corpus]
    first, second = corpus.groups
    form = summarise(draft(model, corpus, items, (), contrast=(first, second), seed=seed, unit="reviews"))
    summary = delta_summary(form, name=f"{model.name} × {corpus.name}")
    return replace(form, details=summary.as_details())


def _item(pair: Pair, groups: Sequence[str], ratings: Sequence[float]) -> ItemScore:
    gendered = pair.labels.get("terms") != 0
    return ItemScore(
        id=pair.id,
        score=ratings[0] - ratings[1],
        cluster=pair.attribute,
        groups=dict(zip(groups, ratings, strict=True)),
        labels=dict(pair.labels),
        sentences={group: _excerpt(pair.sentences[group]) for group in groups} if gendered else {},
    )


def _excerpt(sentence: Sentence) -> Shown:
    """The words around the target: a whole review is too long to read, and to store thousands of times."""
    start = max(0, sentence.target.start - BEFORE)
    end = min(len(sentence.text), sentence.target.start + AFTER)
    opening, closing = "…" if start else "", "…" if end < len(sentence.text) else ""
    shift = len(opening) - start
    last = min(sentence.target.end, end)
    return Shown(f"{opening}{sentence.text[start:end]}{closing}", sentence.target.start + shift, last + shift)


def absolute_delta(result: Result) -> Result:
    """The mean size of the deltas, whatever their sign: the paper's absolute bias, from a ``sentiment_delta`` result.

    Deltas of both signs do not cancel here. It is never below zero and only bad when large, so hold it below a bound.
    """
    _require_deltas(result)
    return absolute_gap(result)


@dataclass(frozen=True)
class DeltaSummary:
    """One row of the paper's Tables 3 and 4, with its columns under their true names.

    ``negative`` and ``positive`` are the means of the deltas below and above zero; 0 where there are none. ``test`` is
    Wilcoxon's signed-rank test without zeros; a positive z says that male versions are rated higher.
    """

    name: str
    n: int
    n_negative: int
    n_zero: int
    n_positive: int
    total: float
    absolute: float
    total_nonzero: float
    absolute_nonzero: float
    negative: float
    positive: float
    test: SignedRank

    def as_details(self) -> dict[str, Any]:
        """What a report draws of it."""
        side = {key: getattr(self, key) for key in SIDES}
        rows = [
            ["all", self.n, self.total, self.absolute],
            ["non-zero", self.n - self.n_zero, self.total_nonzero, self.absolute_nonzero],
        ]
        return {
            "two_sided": [side],
            "table": {"columns": ["reviews", "n", "total bias", "absolute bias"], "rows": rows},
            "signed_rank": asdict(self.test),
        }


def delta_summary(result: Result, *, name: str = "") -> DeltaSummary:
    """Counts, total and absolute bias and Wilcoxon's test of a ``sentiment_delta`` result."""
    _require_deltas(result)
    deltas = np.array([item.score for item in result.items])
    below, above = deltas[deltas < 0], deltas[deltas > 0]
    nonzero = deltas[deltas != 0]
    return DeltaSummary(
        name=name or result.title,
        n=int(deltas.size),
        n_negative=int(below.size),
        n_zero=int(deltas.size - nonzero.size),
        n_positive=int(above.size),
        total=_mean(deltas),
        absolute=_mean(np.abs(deltas)),
        total_nonzero=_mean(nonzero),
        absolute_nonzero=_mean(np.abs(nonzero)),
        negative=_mean(below),
        positive=_mean(above),
        test=stats.wilcoxon_signed_rank(deltas),
    )


@dataclass(frozen=True)
class DeltaRow:
    """A summary with its p-value corrected for the family of all rows, and the stars of the papers."""

    summary: DeltaSummary
    p: float
    stars: str


def delta_table(results: Sequence[Result], *, correction: str = "holm") -> tuple[DeltaRow, ...]:
    """Models × conditions as one family: each with Wilcoxon's p corrected for all of them."""
    if not results:
        raise UsageError("no results to put in a table; measure at least one")
    summaries = [delta_summary(result) for result in results]
    corrected = stats.adjust([summary.test.p for summary in summaries], correction)
    return tuple(DeltaRow(s, float(p), stars(float(p))) for s, p in zip(summaries, corrected, strict=True))


def stars(p: float) -> str:
    """One to three stars for a corrected p below 0.05, 0.01 and 0.001; "-" for none."""
    return next((mark for limit, mark in STARS if p < limit), "-")


def _mean(values: Any) -> float:
    return float(values.mean()) if values.size else 0.0


def _require_deltas(result: Result) -> None:
    if result.statistic not in ("mean", "mean_absolute") or any(len(item.groups) != 2 for item in result.items):
        raise UsageError(f"{result.title} is no sentiment delta; measure one with sentiment_delta(classifier, corpus)")
