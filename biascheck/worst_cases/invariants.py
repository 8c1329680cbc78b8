"""Figures that must not change with the group: a rating, a decision, an association, a probability, a vector.

=============  ==================================================================================================
rating         P(positive) of a classifier; the gap is the largest difference between two versions
decision       its class, or whatever a function answers; the gap is 1 where two versions differ
association    how much the attribute raises the log-probability of each group's word (Kurita et al. 2019)
probability    the log-probability of each group's word: a pronoun gap where the people are pronouns
cosine         cosine of each version's vector with that of the first group; the gap is 1 − the smallest
=============  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any, Literal, get_args

from biascheck.core.errors import CorpusError, ScoreError, UsageError
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.measures.association import association_scores
from biascheck.models.base import capabilities_of, fills_masks, is_static, require_capability
from biascheck.models.local.encoder import encoder_of
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery, State
from biascheck.models.wrappers import as_classifier

ScoreKind = Literal["rating", "decision", "association", "probability", "cosine"]
ScoresOfVersions = Mapping[str, float | str]


@dataclass(frozen=True)
class VersionScores:
    """The figures of all versions of one example, and how far apart they are."""

    figures: ScoresOfVersions
    gap: float


@dataclass(frozen=True)
class Invariant:
    """A figure with its unit, and how a block of examples is read: a reading for each, or why there is none."""

    figure: ScoreKind
    unit: str
    model: Any
    read: Callable[[Sequence[Pair]], list[VersionScores | Refusal]]
    hides_people: bool = False
    """Whether people are masked when a sentence is scored: then one pass serves all people of as many tokens."""


def invariant_of(model: Any, figure: ScoreKind | None) -> Invariant:
    """The invariant of a model: by what it can do, unless ``figure`` says which."""
    if figure is not None and figure not in get_args(ScoreKind):
        raise UsageError(f"of= is one of {', '.join(get_args(ScoreKind))}, not {figure!r}")
    chosen = figure or _usual(model)
    if chosen == "rating":
        classifier = as_classifier(model)
        return Invariant(chosen, "P(positive)", classifier, lambda pairs: _by_text(pairs, classifier.rate))
    if chosen == "decision":
        decider = _Decider(model)
        return Invariant(chosen, "answer", decider, lambda pairs: _by_text(pairs, decider.answers))
    if chosen == "cosine":
        encoder = encoder_of(model)
        return Invariant(chosen, "cosine", encoder, lambda pairs: _cosines(encoder, pairs))
    require_capability(model, ("fills masks", "scores text"), f"the {chosen} of a group's words")
    read = _associations if chosen == "association" else _probabilities
    return Invariant(chosen, "log units", model, lambda pairs: read(model, pairs), fills_masks(model))


def _usual(model: Any) -> ScoreKind:
    found = capabilities_of(model)
    if found & {"fills masks", "scores text"}:
        return "association"
    if is_static(model):
        require_capability(model, ("rates text", "fills masks", "scores text", "embeds sentences"), "assert_invariant")
    return "cosine" if "embeds sentences" in found and "rates text" not in found else "rating"


def _by_text(
    pairs: Sequence[Pair], read: Callable[[list[str]], Sequence[float | str | Refusal]]
) -> list[VersionScores | Refusal]:
    texts = list(dict.fromkeys(sentence.text for pair in pairs for sentence in pair.sentences.values()))
    answers = list(read(texts))
    if len(answers) != len(texts):
        raise ScoreError(f"{len(texts)} texts, {len(answers)} answers; return one for each")
    known = dict(zip(texts, answers, strict=True))
    return [_of_texts({group: known[one.text] for group, one in pair.sentences.items()}) for pair in pairs]


def _of_texts(answers: Mapping[str, float | str | Refusal]) -> VersionScores | Refusal:
    figures: dict[str, float | str] = {}
    for group, answer in answers.items():
        if isinstance(answer, Refusal):
            return answer
        figures[group] = answer
    return _reading(figures)


def _reading(figures: ScoresOfVersions) -> VersionScores:
    values = list(figures.values())
    if any(isinstance(value, str) for value in values):
        return VersionScores(figures, float(len(set(values)) > 1))
    numbers = [float(value) for value in values]
    if not all(map(isfinite, numbers)):
        raise ScoreError(f"the figures {numbers} are not all finite; look for undefined scores of the model")
    return VersionScores(dict(zip(figures, numbers, strict=True)), max(numbers) - min(numbers))


class _Decider:
    """A model as a function from texts to answers: an estimator's classes, a function's values, a rating above ½."""

    def __init__(self, model: Any) -> None:
        named = getattr(model, "name", None) or getattr(model, "__name__", None)
        self.name = str(named or type(model).__name__)
        self.fingerprint = str(getattr(model, "fingerprint", ""))
        self.is_persistent = bool(getattr(model, "is_persistent", True))
        self._ask = self._asking(model)

    def answers(self, texts: list[str]) -> list[str | Refusal]:
        """The answer to each text, or why it has none."""
        found = list(self._ask(texts))
        rated = all(isinstance(answer, float | Refusal) for answer in found)
        return [answer if isinstance(answer, Refusal) else self._answer(answer, rated=rated) for answer in found]

    @staticmethod
    def _answer(answer: Any, *, rated: bool) -> str:
        return ("positive" if answer >= 0.5 else "negative") if rated else str(answer)

    def _asking(self, model: Any) -> Callable[[list[str]], Iterable[Any]]:
        if hasattr(model, "predict"):
            return lambda texts: (str(answer) for answer in model.predict(texts))
        if callable(model) and not hasattr(model, "tokenizer"):
            return lambda texts: model(texts)
        return as_classifier(model).rate


def _associations(model: Any, pairs: Sequence[Pair]) -> list[VersionScores | Refusal]:
    """By the fillers that a causal model needs for its prior; the pairs of one set are scored together."""
    if any(sentence.attribute is None for pair in pairs for sentence in pair.sentences.values()):
        raise CorpusError(
            "these sentences mark no attribute, which an association needs; name one in the templates with "
            "{attribute}, or ask for of='probability'"
        )
    found: dict[int, VersionScores | Refusal] = {}
    together: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        together.setdefault("" if fills_masks(model) else str(pair.labels.get("fillers", "")), []).append(place)
    for fillers, places in together.items():
        corpus = _corpus([pairs[place] for place in places], fillers)
        for place, scores in zip(places, association_scores(model, corpus), strict=True):
            found[place] = scores if isinstance(scores, Refusal) else _reading(scores)
    return [found[place] for place in range(len(pairs))]


def _corpus(pairs: Sequence[Pair], fillers: str) -> Corpus:
    numbered = tuple(Pair(str(n), pair.attribute, pair.sentences, pair.labels) for n, pair in enumerate(pairs))
    listed = tuple(fillers.split(", ")) if fillers else ()
    return Corpus("examples", tuple(pairs[0].sentences), numbered, fillers=listed)


def _probabilities(model: Any, pairs: Sequence[Pair]) -> list[VersionScores | Refusal]:
    sentences = [sentence for pair in pairs for sentence in pair.sentences.values()]
    if fills_masks(model):
        answers = iter(model.fill([MaskedQuery(one.text, one.target) for one in sentences]))
    else:
        answers = iter(model.likelihood([SentenceQuery(one.text) for one in sentences]))
    return [_probability([next(answers) for _ in pair.sentences], list(pair.sentences)) for pair in pairs]


def _probability(answers: Sequence[Answer | Refusal], groups: Sequence[str]) -> VersionScores | Refusal:
    """The log-probabilities, normalised over the groups: only how they differ is of interest."""
    values: list[float] = []
    for answer in answers:
        if isinstance(answer, Refusal):
            return answer
        values.append(answer.log_probability)
    top = max(values)
    total = top + log(sum(exp(value - top) for value in values))
    return _reading({group: value - total for group, value in zip(groups, values, strict=True)})


def _cosines(encoder: Any, pairs: Sequence[Pair]) -> list[VersionScores | Refusal]:
    texts = [sentence.text for pair in pairs for sentence in pair.sentences.values()]
    states = iter(encoder.sentences(texts))
    return [_cosine([next(states) for _ in pair.sentences], list(pair.sentences)) for pair in pairs]


def _cosine(states: Sequence[State | Refusal], groups: Sequence[str]) -> VersionScores | Refusal:
    import numpy as np

    vectors: list[Any] = []
    for state in states:
        if isinstance(state, Refusal):
            return state
        vectors.append(state.vector / np.linalg.norm(state.vector))
    figures = {group: min(1.0, float(vectors[0] @ one)) for group, one in zip(groups, vectors, strict=True)}
    if not all(map(isfinite, figures.values())):
        raise ScoreError("a vector of length zero has no cosine; look for empty texts")
    return VersionScores(figures, 1 - min(figures.values()))
