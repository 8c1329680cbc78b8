"""A language model in place of another kind: asked for a rating, or for whole sentences by their continuations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.core.store import digest_of
from biascheck.models.base import ContinuationModel, capabilities_of, scores_continuations
from biascheck.models.scoring.continuations import SENTENCE_REQUEST, Choice, ChoiceQuery, choose
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery

# A language model as a sentiment classifier: it is asked, not trained.
#
# A text is put after two reviews with their sentiment, and the model chooses how to go on: " positive" or "
# negative". In chat framing the user asks for one of the two words. Served models are asked in the same way.

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

    Whether the answers mean anything is for the competence check to say: a model that cannot tell good reviews from bad
    ones has no sentiment to speak of.
    """

    def __init__(self, model: ContinuationModel) -> None:
        self.model = model
        self.name = model.name
        self.treatment: tuple[str, ...] = (*getattr(model, "treatment", ()), "asked")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def framing(self) -> Framing:
        """How the model is asked."""
        found: Framing = getattr(self.model, "framing", "raw")
        return found

    @property
    def prompt(self) -> str:
        """The text around what is rated."""
        return CHAT if self.framing == "chat" else RAW

    @property
    def fingerprint(self) -> str:
        """A digest of the model and of how it is asked."""
        return digest_of(["asked", self.prompt, OPTIONS, self.model.fingerprint])

    @property
    def about(self) -> dict[str, str]:
        """The model in words for a reader of its results."""
        described: dict[str, str] = getattr(self.model, "about", {})
        return {**described, "asked": self.prompt.strip()}

    def rate(self, texts: Sequence[str]) -> list[float | Refusal]:
        """P(positive) of each text, or why the model cannot be asked about it: it may be too long."""
        distinct = list(dict.fromkeys(texts))
        chosen = choose(self.model, [ChoiceQuery(self.prompt.format(text=text), OPTIONS) for text in distinct])
        found = dict(zip(distinct, map(_share, chosen), strict=True))
        return [found[text] for text in texts]


class AskedChatClassifier(AskedClassifier):
    """An asked model with a chat template: the question can be a user's turn."""

    def framed(self, framing: Framing) -> AskedChatClassifier:
        """The same model, asked raw or by its chat template."""
        other: Any = self.model
        return AskedChatClassifier(other.framed(framing))


def _share(choice: Choice | Refusal) -> float | Refusal:
    return choice if isinstance(choice, Refusal) else choice.shares[0]


# Whole sentences from a model that scores continuations only: a sentence is what follows nothing, or a request.


class SentencesByContinuation:
    """A model asked for ``ln P(sentence | "")``; in chat framing, for the sentence as the answer to a request."""

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
    """The model, able to score whole sentences where that is needed and continuations are all that it scores."""
    found = capabilities_of(model)
    if "scores text" in needs and not found & set(needs) and scores_continuations(model):
        return SentencesByContinuation(model)
    return model
