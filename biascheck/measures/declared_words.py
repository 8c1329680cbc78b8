"""The words in which a measure is declared, whether it is taken of a model or made from another result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from biascheck.results.description import Description, Direction, Scale

__all__ = ["Words", "described", "first_line"]


class Words(TypedDict, total=False):
    """The fields of a :class:`Description` that a declaration may state; the others are filled in."""

    about: str
    limits: Sequence[str]
    statistic: str
    parity: float
    direction: Direction
    unit: str
    sign: str
    paper: str
    needs: Sequence[str]
    smallest_change: float | None
    smallest_change_reason: str
    scale: Scale
    plain: str
    score: str
    covariate: str
    cluster: str


def described(function: Callable[..., Any], declared: Description, **words: Unpack[Words]) -> Description:
    """The description of a measure; without ``about`` it is the first line of the docstring."""
    stated: dict[str, Any] = {**words}
    return replace(declared, **{**stated, "about": stated.get("about") or first_line(function)})


def first_line(thing: object) -> str:
    """The first line of a docstring: what a function or a module is about."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]
