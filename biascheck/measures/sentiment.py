"""Sentiment deltas: whether a review is rated otherwise when its people change gender (Jentzsch & Turan 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import UsageError
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.reviews import written_reviews
from biascheck.corpora.sentence import Sentence
from biascheck.measures.measure import derived_measure, draft, measure
from biascheck.measures.readability import MOST_SENTENCES, sampled_pairs
from biascheck.models.base import Classifier
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Refusal
from biascheck.models.wrappers import as_classifier
from biascheck.results.attachments import Facts, SideBias, Table, TwoSided
from biascheck.results.definition import Readability
from biascheck.results.items import ItemList, ItemScore, Shown, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import SignedRank

# The mean size of sentiment deltas (Jentzsch & Turan 2022, §2.4).


@derived_measure(
    "absolute delta",
    about="How much the rating of a review moves when the gender of its people changes, in either direction.",
    limits=(
        "Never below zero: any sensitivity to words counts, also without a direction.",
        "It is about one classifier and its training data; another classifier on the same model may differ.",
        "It depends on the term set: turning every term of a review to one gender makes some sentences that nobody "
        "would write, and changes more than gender where words have no equal counterpart.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    unit="mean size of the difference, from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="a rating moves by two points in a hundred with the gender alone",
    scale="rating",
    plain="A single text is rated {by} differently, on average, when its people change group; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive means that the {first} version is rated better, negative the "
    "{second} one. The estimate is the mean size of the gaps, whatever their sign; zero is parity.",
    paper="jentzsch2022",
    made_from=("sentiment delta",),
)
def absolute_delta(result: Result) -> Result:
    """The mean size of the deltas, whatever their sign: the paper's absolute bias, from a ``sentiment_delta`` result.

    Deltas of both signs do not cancel here. It is never below zero and only bad when large:
    :func:`assert_absolute_delta_below` judges it.

    Source: Jentzsch & Turan 2022, §2.4.
    """
    return result


# Sentiment deltas as Tables 1, 3 and 4 of Jentzsch & Turan (2022).

SIDE_COLUMNS = ("name", "negative", "positive", "n_negative", "n_zero", "n_positive")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


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

    @property
    def side(self) -> SideBias:
        """The biases in both directions, for a chart."""
        return SideBias(**{key: getattr(self, key) for key in SIDE_COLUMNS})

    def attachments(self) -> tuple[TwoSided, Table, Facts]:
        """What a report shows of it."""
        rows = (
            ("all", self.n, self.total, self.absolute),
            ("non-zero", self.n - self.n_zero, self.total_nonzero, self.absolute_nonzero),
        )
        return (
            TwoSided(sides=(self.side,)),
            Table(columns=("reviews", "n", "total bias", "absolute bias"), rows=rows),
            Facts(facts={"signed_rank": asdict(self.test)}),
        )


def delta_summary(result: Result, *, name: str = "") -> DeltaSummary:
    """Counts, total and absolute bias and Wilcoxon's test of a ``sentiment_delta`` result."""
    _require_deltas(result)
    return summary_of(np.array([item.score for item in result.items]), name or result.title)


def summary_of(deltas: NDArray[np.float64], name: str) -> DeltaSummary:
    """The same of a column of deltas."""
    below, above = deltas[deltas < 0], deltas[deltas > 0]
    nonzero = deltas[deltas != 0]
    return DeltaSummary(
        name=name,
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


def delta_table(
    results: Sequence[Result], *, correction: str = "holm", family: int | None = None
) -> tuple[DeltaRow, ...]:
    """Models × conditions as one family: each with Wilcoxon's p corrected for all of them.

    ``family`` counts tests that are not in the table, too: the paper divides by 64 for its 63 classifiers.
    """
    if not results:
        raise UsageError("no results to put in a table; measure at least one")
    return corrected_rows([delta_summary(result) for result in results], correction=correction, family=family)


def corrected_rows(
    summaries: Sequence[DeltaSummary], *, correction: str = "holm", family: int | None = None
) -> tuple[DeltaRow, ...]:
    """Summaries with their p-values corrected; further tests of a larger ``family`` count as not significant."""
    further = 0 if family is None else family - len(summaries)
    if further < 0:
        raise UsageError(f"a family of {family} tests is smaller than its {len(summaries)} rows; leave family out")
    corrected = stats.adjust([*(summary.test.p for summary in summaries), *[1.0] * further], correction)
    return tuple(DeltaRow(s, float(p), stars(float(p))) for s, p in zip(summaries, corrected, strict=False))


def stars(p: float) -> str:
    """One to three stars for a corrected p below 0.05, 0.01 and 0.001; "-" for none."""
    return next((mark for limit, mark in STARS if p < limit), "-")


def _mean(values: Any) -> float:
    return float(values.mean()) if values.size else 0.0


def _require_deltas(result: Result) -> None:
    if result.statistic not in ("mean", "mean_absolute") or any(len(item.groups) != 2 for item in result.items):
        raise UsageError(
            f"{result.title} is not a sentiment delta; measure one with sentiment_delta(classifier, corpus)"
        )


# Whether a review is rated otherwise when its people change gender (Jentzsch & Turan 2022, §2.3, §2.4, Table
# 1).

BEFORE, AFTER = 80, 160


@measure(
    "sentiment delta",
    version=1,
    about="Whether the same review is rated better when its people are men or when they are women.",
    limits=(
        "Deltas of both signs cancel in the mean: read the two sides and the absolute delta.",
        "With thousands of reviews a tiny delta is significant: a margin says whether it matters.",
        "A classifier that is hardly better than chance has no sentiment to speak of: read its accuracy beside it.",
        "It is about one classifier and its training data; another classifier on the same model may differ.",
        "It depends on the term set: turning every term of a review to one gender makes some sentences that nobody "
        "would write, and changes more than gender where words have no equal counterpart.",
    ),
    direction="from parity",
    unit="difference of two ratings, from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="a rating moves by two points in a hundred with the gender alone",
    scale="rating",
    plain="On average the same text is rated {by} better about {towards} people than about {away} ones; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive means that the {first} version is rated better, negative the "
    "{second} one. The estimate is the mean gap; zero is parity.",
    paper="jentzsch2022",
    needs=("rates text",),
    competence="sentiment",
    adapt=as_classifier,
)
def sentiment_delta(model: Classifier, corpus: Corpus, *, seed: int = 0) -> Result:
    """The mean difference of the sentiment of a text between its male and its female version.

    With ``sent(x)`` the classifier's P(positive) of a text, from 0 to 1, the score of a review is::

        delta = sent(male version) − sent(female version)        from −1 to 1

    Positive: the classifier rates the text higher if its people are men. The estimate is the mean over all
    reviews (the paper's total bias), those without gendered words included; its interval is a bootstrap over reviews.
    A review with a version that is too long for a prompted model is skipped with that reason.
    Attached are the counts below, at and above zero with the means on each side, the total and the absolute bias
    over all and over non-zero reviews, and Wilcoxon's signed-rank test without zeros.

    ``model`` is a classifier from ``biascheck.load``, or what :func:`biascheck.as_classifier` takes: a function, a
    transformers pipeline, a scikit-learn estimator. ``corpus`` is any corpus of two groups: reviews
    (:func:`biascheck.corpora.review_pairs`), the Equity Evaluation Corpus, your own.

    ``delta_summary(result)`` is one row of the paper's Tables 3 and 4, ``delta_table(results)`` corrects Wilcoxon's p
    for a family (Holm). :func:`assert_no_sentiment_delta` judges the interval and shows the corrected p.
    ``biascheck.papers.SentimentGrid`` crosses models, training conditions and term sets.

    Source: Jentzsch & Turan 2022, §2.3, §2.4, Table 1.
    """
    if len(corpus.groups) != 2:
        raise UsageError(f"{corpus.name} has the groups {list(corpus.groups)}; choose two with corpus.with_groups(…)")
    first, second = corpus.groups
    ratings = asked_in_chunks(model.rate, (sentence.text for sentence in corpus.each_sentence()))
    items, skipped = ItemList(), []
    for pair in corpus:
        both = next(ratings), next(ratings)
        if refused := next((one for one in both if isinstance(one, Refusal)), None):
            skipped.append(Skipped(pair.id, refused.reason, dict(pair.labels)))
        else:
            items.append(_item(pair, corpus.groups, [float(one) for one in both if not isinstance(one, Refusal)]))
    form = summarise(draft(model, corpus, items, skipped, contrast=(first, second), seed=seed, unit="reviews"))
    summary = delta_summary(form, name=f"{model.name} × {corpus.name}")
    return form.with_attachments(*summary.attachments())


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
    """The words around the target, as whole reviews are too long to show and to store."""
    start = max(0, sentence.target.start - BEFORE)
    end = min(len(sentence.text), sentence.target.start + AFTER)
    opening, closing = "…" if start else "", "…" if end < len(sentence.text) else ""
    shift = len(opening) - start
    last = min(sentence.target.end, end)
    return Shown(f"{opening}{sentence.text[start:end]}{closing}", sentence.target.start + shift, last + shift)


# Can a classifier distinguish good reviews from bad ones?

REVIEWS_CHECK = "sentiment"
REVIEWS_ABOUT = "whether texts of a known sentiment are rated so"
REVIEWS_FAILURE = "cannot tell good texts from bad ones"
ACCURATE_RATINGS = 0.65
CHANCE_OF_RATING = 0.5
NORMAL_QUANTILE = 1.96
SENTIMENTS = ("positive", "negative")


def reviews_rated(model: Any, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """The share of rated texts on the correct side of one half; both classes count alike.

    The texts are the corpus's own where its pairs carry a ``sentiment``, else the built-in written English reviews; a
    corpus in another language without labels cannot be checked. The floor is 0.65, or what chance reaches in one of
    forty samples of this size, ``0.5 + 0.98 / √n``, where that is more.
    """
    texts = _labelled(corpus, seed)
    if texts is None:
        return None
    answers = as_classifier(model).rate([text for text, _ in texts])
    rated = [(known, one) for (_, known), one in zip(texts, answers, strict=True) if not isinstance(one, Refusal)]
    if len({known for known, _ in rated}) < len(SENTIMENTS):
        reason = next(one.reason for one in answers if isinstance(one, Refusal))
        finding = f"texts of one sentiment or of both cannot be rated, e.g. {reason}"
        return Readability(
            REVIEWS_CHECK, REVIEWS_ABOUT, 0.0, ACCURATE_RATINGS, len(rated), seed, finding, REVIEWS_FAILURE
        )
    accuracy = _balanced(rated)
    floor = max(ACCURATE_RATINGS, CHANCE_OF_RATING + NORMAL_QUANTILE / 2 / sqrt(len(rated)))
    finding = (
        f"{accuracy:.0%} of {len(rated)} texts of a known sentiment are rated so; at least {floor:.0%} is needed, "
        "50 % is chance"
    )
    return Readability(REVIEWS_CHECK, REVIEWS_ABOUT, accuracy, floor, len(rated), seed, finding, REVIEWS_FAILURE)


def _labelled(corpus: Corpus, seed: int) -> list[tuple[str, str]] | None:
    if {pair.labels.get("sentiment") for pair in corpus} == set(SENTIMENTS):
        pairs = sampled_pairs(corpus, seed=seed)
        both = [(p.sentences[group].text, str(p.labels["sentiment"])) for p in pairs for group in corpus.groups]
        return list(dict.fromkeys(both))  # a text without gendered words is the same in both versions
    if corpus.language != "en":
        return None
    return [(item.text, str(item.sentiment)) for item in written_reviews("test")][:MOST_SENTENCES]


def _balanced(rated: Sequence[tuple[str, float]]) -> float:
    """The mean of the two classes' hit rates: a classifier that always says the same reads one half."""
    shares = []
    for sentiment in SENTIMENTS:
        own = [rating for known, rating in rated if known == sentiment]
        hits = [
            0.5 if rating == CHANCE_OF_RATING else float((rating > CHANCE_OF_RATING) == (sentiment == "positive"))
            for rating in own
        ]
        shares.append(sum(hits) / len(hits))
    return sum(shares) / len(shares)
