"""Models built from other objects: functions and pipelines, online mitigation, recorded scores."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any
from uuid import uuid4

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.identity import fingerprint_of_pair
from biascheck.core.progress import progress
from biascheck.core.store import digest_of
from biascheck.models.base import Classifier, MaskedModel, chats, require_capability, scores_continuations
from biascheck.models.scoring.queries import Answer, MaskedQuery, Masking, MultiToken, Refusal

# Any text classifier as a model: a function, a transformers pipeline, a scikit-learn estimator, or a prompted language
# model.

BATCH = 256
Rate = Callable[[list[str]], Sequence[float]]


class TextClassifier:
    """A function from texts to P(positive), with a name and a fingerprint.

    Each distinct text is rated once, short texts first, in batches. Without a fingerprint every object made from a
    function gets its own fingerprint, so a later run does not find its results in the cache. One that is
    ``is_fake`` gives the ratings that a test chose; it skips the readability check.
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
    """Make a classifier from a function, a transformers pipeline, a scikit-learn estimator or a language model.

    A function takes a list of texts and returns P(positive) of each, from 0 to 1. An estimator has
    ``predict_proba``, a pipeline is one for text classification; ``positive`` names their positive class, and
    may be left out where exactly one begins with "pos". A language model that scores continuations is asked whether a
    text is positive or negative, raw or by its chat template. A classifier is returned unchanged.
    """
    if isinstance(model, Classifier) and positive is None and fingerprint is None:
        return model
    if scores_continuations(model):
        from biascheck.models.asked import AskedChatClassifier, AskedClassifier

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


# Online mitigation: a masked model divided by its own prediction without the people.
#
# ::
#
#     ln P_O(word) = ln P(word | sentence) − ln P(word | sentence, people masked)
#
# This is the -O of Manela et al. (2021, section 3.2), read at the word's own mask. It needs no training and
# changes no weights. The result is no longer a distribution over the vocabulary: use it only to compare words at one
# position, as ``pronoun_gap`` does when it normalises over the pair.


class OnlineModel:
    """A masked model with its prior divided out, if a query names visible people; otherwise the model itself."""

    def __init__(self, model: MaskedModel) -> None:
        self.model = model
        self.name = model.name
        self.treatment = (*getattr(model, "treatment", ()), "online")

    def __repr__(self) -> str:
        return f"online({self.model!r})"

    @property
    def fingerprint(self) -> str:
        """A digest of the model inside, under another name."""
        return digest_of(["online", 1, self.model.fingerprint])

    def fill(
        self,
        queries: Sequence[MaskedQuery],
        *,
        masking: Masking = Masking(),  # noqa: B008 - frozen
        multi_token: MultiToken = "joint",
    ) -> list[Answer | Refusal]:
        """Answer each query, divided by the answer with its people masked; both are one plan of the inner model."""
        priors = [replace(query, hidden=(*query.hidden, *query.people), people=()) for query in queries if query.people]
        answers = self.model.fill([*queries, *priors], masking=masking, multi_token=multi_token)
        rest = iter(answers[len(queries) :])
        return [
            _divided(seen, next(rest)) if query.people else seen for query, seen in zip(queries, answers, strict=False)
        ]


def _divided(seen: Answer | Refusal, prior: Answer | Refusal) -> Answer | Refusal:
    if isinstance(seen, Refusal) or isinstance(prior, Refusal):
        return seen if isinstance(seen, Refusal) else prior
    return Answer(seen.log_probability - prior.log_probability, seen.pieces)


def online(model: MaskedModel) -> OnlineModel:
    """The -O version of a masked model (Manela et al. 2021): probabilities divided by those with masked people."""
    if isinstance(model, OnlineModel):
        raise UsageError(f"{model.name} corrects itself already; wrap the model inside it, or use it as it is")
    require_capability(model, ("fills masks",), "online(model), unlike pronoun_gap(model, corpus, online=True),")
    return OnlineModel(model)


# Answers recorded by this or another program, evaluated by the same code as a model's.


class RecordedScores:
    """A number for every item: a score, or the index of the chosen option.

    ``scores`` are by the id that a measure uses: of a sentence (StereoSet: the sentence's id; pairs: the pair's id
    followed by ``/more`` or ``/less``), of a question (the index of the chosen option, from 0), of a decision
    (ln P(yes) − ln P(no)). A text instead of a number is the reason why there is no score: it is counted under that
    reason.
    """

    def __init__(self, name: str, scores: Mapping[str, float | str], *, about: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.about = dict(about or {"architecture": "recorded answers"})
        self._scores = dict(scores)
        if not self._scores:
            raise UsageError(f"{name}: there are no recorded answers; missing data never passes")
        for id_, value in self._scores.items():
            if not isinstance(value, str) and not isfinite(value):
                raise UsageError(f"{name}: the score of {id_!r} is {value}; give a finite number, or a reason as text")

    def __repr__(self) -> str:
        return f"RecordedScores({self.name!r}, {len(self._scores)} answers)"

    @property
    def fingerprint(self) -> str:
        """A digest of all answers."""
        return hashlib.sha256(json.dumps(sorted(self._scores.items())).encode()).hexdigest()

    def recorded(self, ids: Sequence[str]) -> list[float | Refusal]:
        """The number recorded under each id in order, or the reason why there is none."""
        return [self._found(id_) for id_ in ids]

    def _found(self, id_: str) -> float | Refusal:
        value = self._scores.get(id_, "nothing is recorded for this item")
        return Refusal(value) if isinstance(value, str) else float(value)
