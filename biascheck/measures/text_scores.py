"""Scores of whole texts: by pseudo-likelihood, by likelihood, or as recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from biascheck.core.errors import UsageError
from biascheck.models.base import has_recorded_scores, scores_masked_text, scores_text
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.pseudo_likelihood import MaskOrder, PseudoQuery, TokenScores
from biascheck.models.scoring.queries import Answer, Refusal, SentenceQuery

TextRule = Literal["shared tokens", "whole sentence", "within word", "per token"]
MASKED = ("shared tokens", "whole sentence", "within word")
CAUSAL = ("whole sentence", "per token")
TextScores = list[float | Refusal]


class ComparedText(NamedTuple):
    """A text, the one it is compared with, and whether it is the second of an aligned pair."""

    id: str
    text: str
    other: str
    second: bool = False


def scores_of_texts(model: Any, texts: Sequence[ComparedText], rule: TextRule | None) -> TextScores:
    """A score for each text, by a rule that suits the model."""
    if has_recorded_scores(model):
        return model.recorded([one.id for one in texts])
    if scores_masked_text(model):
        return _masked(model, texts, _checked(rule, MASKED, model.name))
    assert scores_text(model)
    return _causal(model, texts, _checked(rule, CAUSAL, model.name))


def _checked(rule: str | None, known: Sequence[str], name: str) -> str:
    if rule is not None and rule not in known:
        raise UsageError(f"rule {rule!r} does not suit {name}; choose one of {', '.join(map(repr, known))}")
    return rule or known[0]


def _masked(model: Any, texts: Sequence[ComparedText], rule: str) -> TextScores:
    order: MaskOrder = "within word" if rule == "within word" else "one at a time"
    shared = rule == "shared tokens"
    queries = [
        PseudoQuery(one.text, one.other if shared else None, order=order, second=shared and one.second) for one in texts
    ]
    found = asked_in_chunks(model.pseudo_likelihood, queries)
    return [one.total if isinstance(one, TokenScores) else one for one in found]


def _causal(model: Any, texts: Sequence[ComparedText], rule: str) -> TextScores:
    answers = asked_in_chunks(model.likelihood, (SentenceQuery(one.text) for one in texts))
    per_token = rule == "per token"
    return [_score(answer, per_token) for answer in answers]


def _score(answer: Answer | Refusal, per_token: bool) -> float | Refusal:
    if isinstance(answer, Refusal):
        return answer
    return answer.log_probability / answer.pieces if per_token else answer.log_probability
