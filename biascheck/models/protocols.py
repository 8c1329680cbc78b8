"""What a measure needs of a model. Anything that satisfies a protocol can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol, runtime_checkable

from biascheck.models.queries import Answer, MaskedQuery, Masking, MultiToken, Refusal, SentenceQuery

__all__ = ["CausalModel", "Classifier", "LanguageModel", "MaskedModel", "Model"]


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


LanguageModel = MaskedModel | CausalModel
