"""What a measure needs of a model. Anything that satisfies a protocol can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol, runtime_checkable

from biascheck.models.scoring.queries import (
    Answer,
    MaskedQuery,
    Masking,
    MultiToken,
    Refusal,
    SentenceQuery,
    State,
    WordQuery,
)

__all__ = [
    "CausalModel",
    "Classifier",
    "Embedding",
    "Encoder",
    "LanguageModel",
    "MaskedModel",
    "Model",
    "StaticVectors",
]


@runtime_checkable
class Model(Protocol):
    """What every model carries: a name for people and a fingerprint for caches and provenance."""

    @property
    def name(self) -> str:
        """The name shown in findings and reports."""

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer and precision: two models that share it score alike."""


@runtime_checkable
class MaskedModel(Model, Protocol):
    """A model that fills masks."""

    kind: ClassVar[Literal["masked"]]

    def fill(
        self, queries: Sequence[MaskedQuery], *, masking: Masking = ..., multi_token: MultiToken = ...
    ) -> list[Answer | Refusal]:
        """Answer each query in order."""


@runtime_checkable
class CausalModel(Model, Protocol):
    """A model that reads from left to right."""

    kind: ClassVar[Literal["causal"]]

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """Answer each query in order."""


@runtime_checkable
class Classifier(Model, Protocol):
    """A model that says how positive a text is."""

    kind: ClassVar[Literal["classifier"]]

    def rate(self, texts: Sequence[str]) -> list[float]:
        """P(positive) of each text in order, from 0 to 1."""


@runtime_checkable
class Encoder(Model, Protocol):
    """A model that gives a word, or a sentence, a vector that depends on its text."""

    kind: ClassVar[Literal["encoder"]]

    @property
    def can_mask(self) -> bool:
        """Whether a word of the text can be hidden behind a mask."""

    def words(self, queries: Sequence[WordQuery]) -> list[State | Refusal]:
        """The mean state of the pieces of each word, in order."""

    def sentences(self, texts: Sequence[str]) -> list[State | Refusal]:
        """The pooled state of each text, in order."""


@runtime_checkable
class StaticVectors(Model, Protocol):
    """A table with one vector for each word, whatever its sentence."""

    kind: ClassVar[Literal["static"]]

    @property
    def vocabulary(self) -> Sequence[str]:
        """Every word of the table, in its order (the most frequent first, in most published ones)."""

    def vectors(self, words: Sequence[str]) -> list[State | Refusal]:
        """The vector of each word, in order."""


LanguageModel = MaskedModel | CausalModel
Embedding = Encoder | StaticVectors
