"""Online mitigation: a masked model that divides by what it would have said without seeing who is meant.

::

    ln P_O(word) = ln P(word | sentence) − ln P(word | sentence, people masked)

This is the -O of Manela et al. (2021, section 3.2), read at the word's own mask. It needs no training and changes no
weights. The result is no distribution over the vocabulary any more: compare words of one place with it, as
``pronoun_gap`` does when it normalises over the pair, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biascheck.cache.document_cache import digest_of
from biascheck.errors import UsageError
from biascheck.models.capabilities import MaskedModel, require_capability
from biascheck.models.scoring.queries import Answer, MaskedQuery, Masking, MultiToken, Refusal

__all__ = ["OnlineModel", "online"]


class OnlineModel:
    """A masked model with its prior taken off, wherever a query says who is in sight; elsewhere the model itself."""

    def __init__(self, model: MaskedModel) -> None:
        self.model = model
        self.name = model.name
        self.treatment = (*getattr(model, "treatment", ()), "online")

    def __repr__(self) -> str:
        return f"online({self.model!r})"

    @property
    def fingerprint(self) -> str:
        """A digest of the model inside, under another name."""
        return digest_of(["online", 1, self.model.fingerprint])

    def fill(
        self,
        queries: Sequence[MaskedQuery],
        *,
        masking: Masking = Masking(),  # noqa: B008 - frozen
        multi_token: MultiToken = "joint",
    ) -> list[Answer | Refusal]:
        """Answer each query, divided by the answer with its people hidden; both are one plan of the model inside."""
        priors = [replace(query, hidden=(*query.hidden, *query.people), people=()) for query in queries if query.people]
        answers = self.model.fill([*queries, *priors], masking=masking, multi_token=multi_token)
        rest = iter(answers[len(queries) :])
        return [
            _divided(seen, next(rest)) if query.people else seen for query, seen in zip(queries, answers, strict=False)
        ]


def _divided(seen: Answer | Refusal, prior: Answer | Refusal) -> Answer | Refusal:
    if isinstance(seen, Refusal) or isinstance(prior, Refusal):
        return seen if isinstance(seen, Refusal) else prior
    return Answer(seen.log_probability - prior.log_probability, seen.pieces)


def online(model: MaskedModel) -> OnlineModel:
    """The -O version of a masked model (Manela et al. 2021): probabilities divided by those without the people."""
    if isinstance(model, OnlineModel):
        raise UsageError(f"{model.name} corrects itself already; wrap the model inside it, or use it as it is")
    require_capability(model, ("fills masks",), "online(model), unlike pronoun_gap(model, corpus, online=True),")
    return OnlineModel(model)
