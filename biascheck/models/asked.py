"""Language models used as another kind: asked for a rating, or scoring whole sentences as continuations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.core.store import digest_of
from biascheck.models.base import ContinuationModel, capabilities_of, scores_continuations
from biascheck.models.scoring.continuations import SENTENCE_REQUEST, Choice, ChoiceQuery, choose
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery

# A language model as a sentiment classifier: it is prompted, not trained.
#
# A text is put after two reviews with their sentiment, and the model chooses how to continue: " positive" or "
# negative". In chat framing the user asks for one of the two words. Served models are prompted in the same way.

OPTIONS = (" positive", " negative")
RAW = (
    "Review: I loved every minute of it.\nSentiment: positive\n\n"
    "Review: It was a waste of time and money.\nSentiment: negative\n\n"
    "Review: {text}\nSentiment:"
)
CHAT = "Is the sentiment of this review positive or negative? Answer with one word.\n\n{text}"
"""Two examples confuse small chat models, which copy the last answer; a plain question does not."""


class AskedClassifier:
    """P(positive) of a text: the share of " positive" against " negative" as the answer of a language model.

    The readability check shows whether the answers mean anything: a model that cannot separate good reviews from bad
    ones has no meaningful sentiment.
    """

    def __init__(self, model: ContinuationModel) -> None:
        self.model = model
        self.name = model.name
        self.treatment: tuple[str, ...] = (*getattr(model, "treatment", ()), "asked")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def framing(self) -> Framing:
        """The framing in which the model is prompted."""
        found: Framing = getattr(self.model, "framing", "raw")
        return found

    @property
    def prompt(self) -> str:
        """The text around the rated one."""
        return CHAT if self.framing == "chat" else RAW

    @property
    def fingerprint(self) -> str:
        """A digest of the model and of the prompt."""
        return digest_of(["asked", self.prompt, OPTIONS, self.model.fingerprint])

    @property
    def about(self) -> dict[str, str]:
        """A description of the model for readers of its results."""
        described: dict[str, str] = getattr(self.model, "about", {})
        return {**described, "asked": self.prompt.strip()}

    def rate(self, texts: Sequence[str]) -> list[float | Refusal]:
        """P(positive) of each text, or why it cannot be rated: it may be too long, for example."""
        distinct = list(dict.fromkeys(texts))
        chosen = choose(self.model, [ChoiceQuery(self.prompt.format(text=text), OPTIONS) for text in distinct])
        found = dict(zip(distinct, map(_share, chosen), strict=True))
        return [found[text] for text in texts]


class AskedChatClassifier(AskedClassifier):
    """A prompted model with a chat template: the question can be a user's turn."""

    def framed(self, framing: Framing) -> AskedChatClassifier:
        """The same model, prompted raw or by its chat template."""
        other: Any = self.model
        return AskedChatClassifier(other.framed(framing))


def _share(choice: Choice | Refusal) -> float | Refusal:
    return choice if isinstance(choice, Refusal) else choice.shares[0]


# Whole sentences from a model that scores only continuations: the sentence continues nothing, or a request.


class SentencesByContinuation:
    """A model that scores ``ln P(sentence | "")``; in chat framing, the sentence as the answer to a request."""

    def __init__(self, model: ContinuationModel) -> None:
        self.model = model

    def __repr__(self) -> str:
        return f"sentences({self.model!r})"

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # a copy under construction has none yet
            raise AttributeError(name)
        return getattr(self.model, name)  # name, fingerprint, treatment, framing … are those of the model inside

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence."""
        context = SENTENCE_REQUEST if getattr(self.model, "framing", "raw") == "chat" else ""
        return self.model.continuations([ContinuationQuery(context, query.text) for query in queries])


def with_sentences(model: Any, needs: Sequence[str]) -> Any:
    """The model, able to score whole sentences if they are needed and continuations are all that it scores."""
    found = capabilities_of(model)
    if "scores text" in needs and not found & set(needs) and scores_continuations(model):
        return SentencesByContinuation(model)
    return model
