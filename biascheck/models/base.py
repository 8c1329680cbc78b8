"""Capabilities of models, the capabilities that measures need, and the framing of prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeGuard, get_args, runtime_checkable

from biascheck.core.errors import CapabilityError, ModelError, UsageError
from biascheck.models.scoring.queries import (
    Answer,
    ContinuationQuery,
    Framing,
    MaskedQuery,
    Masking,
    MultiToken,
    Refusal,
    SentenceQuery,
    State,
    WordQuery,
)

if TYPE_CHECKING:
    from biascheck.models.scoring.encode import Pooling
    from biascheck.models.scoring.pseudo_likelihood import PseudoQuery, TokenScores


# Capabilities of a model, and what a measure needs of it. Anything with the methods of a protocol can be measured:
#
# - fills masks: ``fill`` (:class:`MaskedModel`)
# - scores text: ``likelihood`` (:class:`CausalModel`)
# - scores continuations: ``continuations`` (:class:`ContinuationModel`)
# - chats: ``framed`` (:class:`ChatModel`)
# - generates: ``generate`` (:class:`Generator`)
# - scores masked text: ``pseudo_likelihood`` (:class:`PseudoModel`)
# - has recorded scores: ``recorded`` (:class:`RecordedModel`)
# - rates text: ``rate`` (:class:`Classifier`)
# - embeds words: ``vectors`` (:class:`StaticVectors`), or the methods that embed them in context
# - embeds words in context: ``words`` and ``sentences``, or ``as_encoder`` (:class:`Encoder`)
# - embeds sentences: ``words`` and ``sentences``, or ``as_encoder`` (:class:`Encoder`)

Capability = Literal[
    "fills masks",
    "scores text",
    "scores masked text",
    "has recorded scores",
    "scores continuations",
    "chats",
    "generates",
    "rates text",
    "embeds words",
    "embeds words in context",
    "embeds sentences",
]

NOUNS: dict[Capability, str] = {
    "fills masks": "a masked language model",
    "scores text": "a causal language model",
    "scores masked text": "a masked language model",
    "has recorded scores": "a record of answers",
    "scores continuations": "a language model",
    "generates": "a generator of text",
    "rates text": "a text classifier",
    "embeds sentences": "an encoder",
    "embeds words": "a table of word vectors",
}
"""The name of a model with this capability; the first that applies."""


@runtime_checkable
class Model(Protocol):
    """The attributes of every model: a name for people and a fingerprint for caches and provenance."""

    @property
    def name(self) -> str:
        """The name shown in findings and reports."""

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer and precision; models with equal digests give equal scores."""


@runtime_checkable
class MaskedModel(Model, Protocol):
    """A model that fills masks."""

    def fill(
        self, queries: Sequence[MaskedQuery], *, masking: Masking = ..., multi_token: MultiToken = ...
    ) -> list[Answer | Refusal]:
        """Answer each query in order."""


@runtime_checkable
class CausalModel(Model, Protocol):
    """A model that scores text: it reads from left to right."""

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """Answer each query in order."""


@runtime_checkable
class PseudoModel(Model, Protocol):
    """A masked model that scores whole texts, one masked token at a time."""

    def pseudo_likelihood(self, queries: Sequence[PseudoQuery]) -> list[TokenScores | Refusal]:
        """Answer each query in order."""


@runtime_checkable
class RecordedModel(Model, Protocol):
    """A record of answers, by this or another program; nothing is computed."""

    def recorded(self, ids: Sequence[str]) -> list[float | Refusal]:
        """The number recorded under each id in order, or why there is none."""


@runtime_checkable
class ContinuationModel(Model, Protocol):
    """A model that gives the probability of a text after another."""

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P(continuation | context) of each query in order, and the number of tokens of the continuation."""


@runtime_checkable
class ChatModel(Model, Protocol):
    """A model that can also be prompted by its chat template. The framing is part of its fingerprint."""

    @property
    def framing(self) -> Framing:
        """The present framing."""

    def framed(self, framing: Framing) -> ChatModel:
        """The same model in this framing."""


@runtime_checkable
class Generator(Model, Protocol):
    """A model that generates text."""

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """What the model writes after each prompt, in order: the most probable token each time."""


@runtime_checkable
class Classifier(Model, Protocol):
    """A model that rates how positive a text is."""

    def rate(self, texts: Sequence[str]) -> Sequence[float | Refusal]:
        """P(positive) of each text in order, from 0 to 1, or the reason why a text has none."""


@runtime_checkable
class Encoder(Model, Protocol):
    """A model that gives a word, or a sentence, a vector that depends on its text."""

    @property
    def can_mask(self) -> bool:
        """Whether a word of the text can be masked."""

    def words(self, queries: Sequence[WordQuery]) -> list[State | Refusal]:
        """The mean state of the tokens of each word, in order."""

    def sentences(self, texts: Sequence[str]) -> list[State | Refusal]:
        """The pooled state of each text, in order."""


@runtime_checkable
class HasStates(Model, Protocol):
    """A model for another task, whose hidden states can be read."""

    def as_encoder(self, *, layer: int = -1, pooling: Pooling = "mean") -> Encoder:
        """The same model as an encoder."""


@runtime_checkable
class StaticVectors(Model, Protocol):
    """A table with one vector for each word, independent of its sentence."""

    @property
    def vocabulary(self) -> Sequence[str]:
        """Every word of the table, in its order (the most frequent first, in most published ones)."""

    def vectors(self, words: Sequence[str]) -> list[State | Refusal]:
        """The vector of each word, in order."""


LanguageModel = MaskedModel | CausalModel
Embedding = Encoder | StaticVectors


def _has(model: object, *methods: str) -> bool:
    # Only methods are checked: a property such as can_mask would load the weights.
    return all(callable(getattr(model, method, None)) for method in methods)


def fills_masks(model: object) -> TypeGuard[MaskedModel]:
    """Whether a model fills masks."""
    return _has(model, "fill")


def scores_text(model: object) -> TypeGuard[CausalModel]:
    """Whether a model gives whole texts a likelihood."""
    return _has(model, "likelihood")


def scores_masked_text(model: object) -> TypeGuard[PseudoModel]:
    """Whether a masked model scores texts token by token."""
    return _has(model, "pseudo_likelihood")


def has_recorded_scores(model: object) -> TypeGuard[RecordedModel]:
    """Whether a model is a record of answers."""
    return _has(model, "recorded")


def scores_continuations(model: object) -> TypeGuard[ContinuationModel]:
    """Whether a model gives the probability of a text after another."""
    return _has(model, "continuations")


def chats(model: object) -> TypeGuard[ChatModel]:
    """Whether a model has a chat template."""
    return _has(model, "framed")


def generates(model: object) -> TypeGuard[Generator]:
    """Whether a model generates text."""
    return _has(model, "generate")


def rates_text(model: object) -> TypeGuard[Classifier]:
    """Whether a model rates how positive a text is."""
    return _has(model, "rate")


def is_static(model: object) -> TypeGuard[StaticVectors]:
    """Whether a model has one vector per word, independent of its sentence."""
    return _has(model, "vectors")


def has_states(model: object) -> TypeGuard[HasStates]:
    """Whether a model can be turned into an encoder."""
    return _has(model, "as_encoder")


def embeds_in_context(model: object) -> TypeGuard[Encoder]:
    """Whether a model gives words vectors that depend on their sentence."""
    return _has(model, "words", "sentences")


def capabilities_of(model: object) -> frozenset[Capability]:
    """Everything a model can do, by its methods. This check loads nothing."""
    found: set[Capability] = set()
    if fills_masks(model):
        found.add("fills masks")
    if scores_text(model):
        found.add("scores text")
    if scores_masked_text(model):
        found.add("scores masked text")
    if has_recorded_scores(model):
        found.add("has recorded scores")
    if scores_continuations(model):
        found.add("scores continuations")
    if chats(model):
        found.add("chats")
    if generates(model):
        found.add("generates")
    if rates_text(model):
        found.add("rates text")
    if embeds_in_context(model) or has_states(model):
        found |= {"embeds words", "embeds words in context", "embeds sentences"}
    if is_static(model):
        found.add("embeds words")
    return frozenset(found)


def capabilities_in_words(model: object) -> str:
    """A model and its capabilities: "glove is a table of word vectors: it embeds words"."""
    name = getattr(model, "name", None) or type(model).__name__
    found = capabilities_of(model)
    noun = next((noun for capability, noun in NOUNS.items() if capability in found), None)
    if noun is None:
        return f"{name} ({type(model).__name__}) has no capability that biascheck knows, see biascheck.extend"
    # what embeds words in context embeds words
    listed = [one for one in Capability.__args__ if one in found]  # type: ignore[attr-defined]
    listed = [one for one in listed if not (one == "embeds words" and "embeds words in context" in found)]
    return f"{name} is {noun}: it {_joined(listed, 'and')}"


def require_capability(model: Any, needs: Sequence[str], what: str) -> None:
    """Raise CapabilityError for a model that has none of the capabilities that ``what`` needs."""
    if needs and not capabilities_of(model) & set(needs):
        raise CapabilityError(f"{capabilities_in_words(model)}; {what} needs a model that {_joined(needs, 'or')}")


def _joined(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


# Raw or by the chat template: the framing of a model, and its caveats.

FramingChoice = Literal["raw", "chat", "auto"]
"""``auto`` uses the chat template of a model if there is one, and prompts it raw otherwise."""

READS_ON = {"scores text", "scores continuations", "generates"}
FRAMED = READS_ON | {"rates text"}
"""Rating a text by prompting needs a framing, too."""


def in_framing(model: Any, choice: FramingChoice) -> Any:
    """The model in the requested framing. A model that is not prompted with running text has none, and is unchanged."""
    if choice not in get_args(FramingChoice):
        raise UsageError(f"framing {choice!r} is not one of {', '.join(get_args(FramingChoice))}")
    if chats(model):
        return model.framed("raw" if choice == "raw" else "chat")
    found = capabilities_of(model)
    if getattr(model, "framing", None) == choice:  # an endpoint that does nothing but chat
        return model
    if choice == "chat" and found & READS_ON and "fills masks" not in found:
        raise ModelError(f"{model.name} has no chat template; use framing 'raw', or 'auto' for several models")
    return model


def unframed(model: Any) -> Any:
    """The model raw: weights and hidden states do not depend on a framing."""
    return model.framed("raw") if chats(model) else model


def framing_of(model: Any, needs: tuple[str, ...]) -> str | None:
    """The framing of a model for a measure with these needs; ``None`` where there is no running text to frame."""
    if not FRAMED & set(needs) or "fills masks" in capabilities_of(model):
        return None
    found: str | None = getattr(model, "framing", None)
    return found


def framing_note(model: Any, needs: tuple[str, ...]) -> tuple[str, ...]:
    """A warning about an instruct model that is prompted without its chat template."""
    if not chats(model) or framing_of(model, needs) != "raw":
        return ()
    return (
        f"{model.name} is an instruct model and was scored raw, without its chat template; --bias-framing chat, or "
        "model.framed('chat') in Python, prompts it as it is used.",
    )
