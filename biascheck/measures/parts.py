"""Many questions asked in parts, each kept by itself: an interrupted run asks only what it had not asked yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.models.scoring.queries import Refusal

__all__ = ["PART", "in_parts"]

PART = 240
"""Questions in a part; fewer are asked at once, and their result is kept as a whole."""

Asked = TypeVar("Asked")
Answers = list[int | Refusal]


def in_parts(
    model: Any,
    asked: Sequence[Asked],
    answer: Callable[[Sequence[Asked]], Answers],
    *,
    facts: Sequence[object],
    name: Callable[[Asked], object],
) -> Answers:
    """Answer all questions, in parts that are found again by a later run.

    ``facts`` and the ``name`` of each question are all that can change an answer besides the model and this package;
    both are plain values. A model without a lasting identity, such as a function, is asked for everything at once.
    """
    cache = active_cache() if getattr(model, "lasting", True) else None
    if cache is None or len(asked) <= PART:
        return answer(asked)
    found: Answers = []
    for start in range(0, len(asked), PART):
        part = asked[start : start + PART]
        key = digest_of(["part", package_code(), model.fingerprint, list(facts), [name(one) for one in part]])
        found += _read(cache.fetch(key, lambda part=part: _written(answer(part))))  # type: ignore[misc]
    return found


def _written(answers: Answers) -> list[int | str]:
    return [one.reason if isinstance(one, Refusal) else one for one in answers]


def _read(document: Sequence[int | str]) -> Answers:
    return [Refusal(one) if isinstance(one, str) else one for one in document]
