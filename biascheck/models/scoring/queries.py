"""Queries of measures to language models, and their answers.

A query names characters, never tokens: the model's own tokenizer decides which tokens they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from biascheck.core.spans import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MultiToken = Literal["joint", "skip"]
"""What to do with a target of several tokens: their joint probability, or a recorded skip."""

Framing = Literal["raw", "chat"]
"""Whether a text is given to a causal model as it is, or as a turn of a conversation by the model's chat template."""


@dataclass(frozen=True, slots=True)
class MaskedQuery:
    """How probable are the characters under ``target`` once they and ``hidden`` are masked?

    ``people`` are visible words that reveal the group; a model with online mitigation
    (:mod:`biascheck.models.wrappers`) hides them for its prior, every other model ignores them. ``read_at`` reads the
    probability of the target at another position than its own mask. It exists only to reproduce published figures that
    were read there.
    """

    text: str
    target: Span
    hidden: tuple[Span, ...] = ()
    read_at: Span | None = None
    people: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceQuery:
    """How probable is this whole sentence, read from left to right?"""

    text: str


@dataclass(frozen=True, slots=True)
class ContinuationQuery:
    """How probable is ``continuation`` after ``context``? A space between the two belongs to one of them.

    The two are tokenised as one text, and every token that covers a character of the continuation is scored. A token
    that also covers the end of the context is scored whole.
    """

    context: str
    continuation: str


@dataclass(frozen=True, slots=True)
class WordQuery:
    """Which vector does the word under ``span`` have in this text, once ``hidden`` is masked?"""

    text: str
    span: Span
    hidden: tuple[Span, ...] = ()

    @property
    def word(self) -> str:
        """The word as it is written in the text."""
        return self.span.of(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The vector of a word or a sentence, and the number of tokens it is the mean of."""

    vector: NDArray[np.float32]
    pieces: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A log-probability (natural logarithm) and the number of tokens it is the joint of."""

    log_probability: float
    pieces: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a query has no answer; it becomes a skipped item, never a silent gap."""

    reason: str


@dataclass(frozen=True, slots=True)
class Masking:
    """How hidden words become masks.

    ``per="piece"`` puts one mask for every token of this model's tokenizer. ``per="word"`` puts
    one for every whitespace word, and ``pad_to`` cuts or fills the input to a fixed length with
    attended masks; both exist only to reproduce published figures.
    """

    per: Literal["piece", "word"] = "piece"
    pad_to: int | None = None


AS_IN_BARTL_2020 = Masking(per="word", pad_to=16)
