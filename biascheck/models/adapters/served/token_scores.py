"""What a server says of a text, token by token, and whether that can be believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from biascheck.errors import EndpointError

__all__ = ["ROUNDING", "UNREADABLE", "ServedTokenScores", "TooLongError", "UnusableError", "checked", "checked_number"]

ROUNDING = 1e-3
"""A log-probability may exceed zero by this much; servers round."""
UNREADABLE = re.compile("�|bytes:")
"""Servers print a token that is part of a character as a replacement character, or as its bytes."""


class UnusableError(EndpointError):
    """An answer that is no log-probability of the text that was asked about."""


class TooLongError(EndpointError):
    """A text that does not fit into what the server reads at once, or of which it says too little."""


@dataclass(frozen=True, slots=True)
class ServedTokenScores:
    """The tokens of a text as the server spells them, and ln P of each after all before it."""

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """ln P of the whole text."""
        return sum(self.log_probabilities)


def checked(text: str, tokens: Sequence[str], log_probabilities: Sequence[Any]) -> ServedTokenScores:
    """The scores of a text; UnusableError unless the tokens spell it and each has a log-probability."""
    if len(tokens) != len(log_probabilities):
        raise UnusableError(f"{len(tokens)} tokens with {len(log_probabilities)} log-probabilities")
    if not _spell(tokens, text):
        raise UnusableError(f"the tokens spell {_short(''.join(tokens))}, and the text is {_short(text)}")
    return ServedTokenScores(tuple(tokens), tuple(map(checked_number, log_probabilities)))


def checked_number(value: Any) -> float:
    """A log-probability; UnusableError where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value > ROUNDING:
        raise UnusableError(f"a log-probability is {value!r}")
    return min(float(value), 0.0)


def _spell(tokens: Sequence[str], text: str) -> bool:
    if not any(UNREADABLE.search(token) for token in tokens):
        return "".join(tokens) == text
    # what is readable must be in the text, in its order; a token that is no whole character may be part of any
    pattern = "".join(".*" if UNREADABLE.search(token) else re.escape(token) for token in tokens)
    return re.fullmatch(pattern, text, flags=re.DOTALL) is not None


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
