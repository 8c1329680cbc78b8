"""Any text classifier as one: a function, a transformers pipeline, a scikit-learn estimator, or a model to be asked."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from biascheck.cache.fingerprints import fingerprint_of_pair
from biascheck.cache.progress import progress
from biascheck.errors import ScoreError, UsageError
from biascheck.models.capabilities import Classifier, chats, scores_continuations

__all__ = ["TextClassifier", "as_classifier"]

BATCH = 256
Rate = Callable[[list[str]], Sequence[float]]


class TextClassifier:
    """A function from texts to P(positive), with a name and a fingerprint.

    Each distinct text is rated once, short texts first, in batches. Without a fingerprint every object made from a
    function is a model of its own, so its results are not found again in the cache of a later run. One that is
    ``is_fake`` gives the ratings that a test chose; it is not asked whether it can tell good texts from bad ones.
    """

    def __init__(
        self, rate: Rate, *, name: str = "classifier", fingerprint: str | None = None, is_fake: bool = False
    ) -> None:
        self._rate = rate
        self.name = name
        self.is_fake = is_fake
        self.is_persistent = fingerprint is not None
        self.fingerprint = fingerprint or hashlib.sha256(uuid4().bytes).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def rate(self, texts: Sequence[str]) -> list[float]:
        """P(positive) of each text."""
        distinct = sorted(dict.fromkeys(texts), key=len)
        found: dict[str, float] = {}
        with progress(self.name, total=len(distinct), unit="texts") as advance:
            for start in range(0, len(distinct), BATCH):
                batch = distinct[start : start + BATCH]
                found.update(zip(batch, self._rated(batch), strict=True))
                advance(len(batch))
        return [found[text] for text in texts]

    def _rated(self, batch: list[str]) -> list[float]:
        ratings = [float(rating) for rating in self._rate(batch)]
        if len(ratings) != len(batch):
            raise ScoreError(f"{self.name}: {len(batch)} texts, {len(ratings)} ratings; return one for each")
        outside = [rating for rating in ratings if not 0 <= rating <= 1]
        if outside:
            raise ScoreError(f"{self.name}: a rating is {outside[0]:g}; return probabilities, from 0 to 1")
        return ratings


def as_classifier(
    model: Any, *, positive: str | int | None = None, name: str | None = None, fingerprint: str | None = None
) -> Classifier:
    """Make a classifier of a function, a transformers pipeline, a scikit-learn estimator or a language model.

    A function takes a list of texts and returns P(positive) of each, from 0 to 1. An estimator has
    ``predict_proba``, a pipeline is one for text classification; ``positive`` names their positive class, and
    may be left out where exactly one begins with "pos". A language model that scores continuations is asked whether a
    text is positive or negative, raw or by its chat template. What is a classifier already is handed back.
    """
    if isinstance(model, Classifier) and positive is None and fingerprint is None:
        return model
    if scores_continuations(model):
        from biascheck.models.adapters.asked_sentiment import AskedChatClassifier, AskedClassifier

        kind = AskedChatClassifier if chats(model) else AskedClassifier
        return kind(model)
    if hasattr(model, "predict_proba"):
        return _of_estimator(model, positive, name, fingerprint)
    if hasattr(model, "model") and hasattr(model, "tokenizer") and callable(model):
        return _of_pipeline(model, positive, name, fingerprint)
    if callable(model):
        title: str = name or getattr(model, "__name__", "") or "classifier"
        return TextClassifier(model, name=title, fingerprint=fingerprint)
    raise UsageError(
        f"{type(model).__name__} is not a text classifier; pass a function from texts to P(positive), a transformers "
        "pipeline, a scikit-learn estimator with predict_proba, a language model that scores continuations, or a "
        "folder to biascheck.load(…, kind='classifier')"
    )


def _of_estimator(model: Any, positive: str | int | None, name: str | None, fingerprint: str | None) -> TextClassifier:
    classes = list(getattr(model, "classes_", ()))
    if not classes:
        raise UsageError(f"{type(model).__name__} has no classes; fit it first")
    column = classes.index(_positive(classes, positive, type(model).__name__))

    def rate(texts: list[str]) -> list[float]:
        return [float(row[column]) for row in model.predict_proba(texts)]

    digest = fingerprint or hashlib.sha256(pickle.dumps(model) + repr(column).encode()).hexdigest()
    return TextClassifier(rate, name=name or type(model).__name__, fingerprint=digest)


def _of_pipeline(model: Any, positive: str | int | None, name: str | None, fingerprint: str | None) -> TextClassifier:
    labels = list(model.model.config.id2label.values())
    wanted = _positive(labels, positive, "the pipeline")

    def rate(texts: list[str]) -> list[float]:
        answers = model(texts, top_k=None, truncation=True)
        return [next(entry["score"] for entry in row if entry["label"] == wanted) for row in answers]

    pair_digest = fingerprint_of_pair(model.model, model.tokenizer).digest
    digest = fingerprint or hashlib.sha256(f"{pair_digest} {wanted}".encode()).hexdigest()
    return TextClassifier(rate, name=name or model.model.config.name_or_path or "pipeline", fingerprint=digest)


def _positive(classes: Sequence[Any], wanted: str | int | None, title: str) -> Any:
    if wanted is not None:
        matching = [name for name in classes if name == wanted or str(name).lower() == str(wanted).lower()]
    else:
        matching = [name for name in classes if str(name).lower().startswith("pos")]
    if len(matching) == 1:
        return matching[0]
    raise UsageError(
        f"the classes of {title} are {', '.join(map(str, classes))}, and it is unclear which of them is positive; "
        f"set positive={classes[-1]!r}"
    )
