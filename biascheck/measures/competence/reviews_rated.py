"""Can a classifier tell a good review from a bad one?"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.reviews import written_reviews
from biascheck.measures.competence.sampled_sentences import MOST_SENTENCES, sampled_pairs
from biascheck.models.adapters.functions import as_classifier
from biascheck.models.scoring.queries import Refusal
from biascheck.results.competence import Readability

__all__ = ["reviews_rated"]

REVIEWS_CHECK = "sentiment"
REVIEWS_ABOUT = "whether texts of a known sentiment are rated so"
REVIEWS_FAILURE = "cannot tell good texts from bad ones"
ACCURATE_RATINGS = 0.65
CHANCE_OF_RATING = 0.5
NORMAL_QUANTILE = 1.96
SENTIMENTS = ("positive", "negative")


def reviews_rated(model: Any, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """The share of rated texts that are on the side of one half where they belong; every sentiment counts alike.

    The texts are the corpus's own where its pairs carry a ``sentiment``, else our written English reviews; a corpus in
    another language without labels cannot be checked. The floor is 0.65, or what chance reaches in one of forty
    samples of this size, ``0.5 + 0.98 / √n``, where that is more.
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
