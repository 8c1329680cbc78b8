"""How well a classifier does what it was trained for."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.corpora.datasets.reviews import Reviews, Sentiment
from biascheck.errors import ScoreError
from biascheck.models.capabilities import Classifier
from biascheck.models.scoring.queries import Refusal

__all__ = ["Quality", "quality_of"]

QUALITY_VERSION = 1


@dataclass(frozen=True)
class Quality:
    """Accuracy over both classes; precision, recall and F1 of one, which ``of_class`` names."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    of_class: Sentiment
    n: int

    def as_dict(self) -> dict[str, object]:
        """Plain values for a report."""
        return asdict(self)


def quality_of(classifier: Classifier, reviews: Reviews, *, of_class: Sentiment = "negative") -> Quality:
    """Rate labelled reviews and count those that have a rating. A text is positive where P(positive) is above one half.

    Tables 5 and 6 of Jentzsch & Turan (2022) are for the negative class, without saying so; it is the default here.
    Without a single prediction of the class its precision, and with it F1, is 0.
    """
    cache = active_cache() if getattr(classifier, "is_persistent", True) else None
    if cache is None:
        return _count(classifier, reviews, of_class)
    key = digest_of(["quality", QUALITY_VERSION, classifier.fingerprint, reviews.fingerprint, of_class])
    return Quality(**cache.fetch(key, lambda: _count(classifier, reviews, of_class).as_dict()))


def _count(classifier: Classifier, reviews: Reviews, of_class: Sentiment) -> Quality:
    answers = zip(reviews, classifier.rate(reviews.texts), strict=True)
    rated = [(item.sentiment, rating) for item, rating in answers if not isinstance(rating, Refusal)]
    if not rated:
        raise ScoreError(f"{classifier.name}: not one of {len(reviews):,} reviews can be rated; give shorter ones")
    predicted = ["positive" if rating > 0.5 else "negative" for _, rating in rated]
    truth = [sentiment for sentiment, _ in rated]
    hits = sum(p == t for p, t in zip(predicted, truth, strict=True))
    found = sum(p == t == of_class for p, t in zip(predicted, truth, strict=True))
    precision = found / max(1, predicted.count(of_class))
    recall = found / max(1, truth.count(of_class))
    f1 = 2 * precision * recall / (precision + recall) if found else 0.0
    return Quality(hits / len(truth), precision, recall, f1, of_class, len(truth))
