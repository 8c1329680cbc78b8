"""How often a classifier is wrong at its task (Jentzsch & Turan 2022, §3)."""

from __future__ import annotations

from biascheck.corpora.datasets.reviews import Review, Reviews
from biascheck.corpora.documents import Documents
from biascheck.measures.declaration import measure
from biascheck.measures.utility.losses import losses_of
from biascheck.models.capabilities import Classifier
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Refusal
from biascheck.results.result import Result

__all__ = ["task_error"]


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
    """The share of labelled reviews that a classifier rates on the wrong side of one half; one item for each review."""
    ratings = list(asked_in_chunks(model.rate, reviews.texts))
    wrong = [_wrong(item, rating) for item, rating in zip(reviews, ratings, strict=True)]
    return losses_of(model, Documents.of_reviews(reviews), wrong, seed, unit="reviews")


def _wrong(review: Review, rating: float | Refusal) -> float | str:
    if isinstance(rating, Refusal):
        return rating.reason
    return float((rating > 0.5) != (review.sentiment == "positive"))
