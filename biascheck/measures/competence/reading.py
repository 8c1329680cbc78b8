"""Can a language model read a corpus? Masked models are asked about words, causal ones about sentences."""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.competence.sentence_order import sentence_order
from biascheck.measures.competence.words_at_their_place import words_at_their_place
from biascheck.models.adapters.online import OnlineModel
from biascheck.models.capabilities import LanguageModel, fills_masks, scores_text
from biascheck.results.competence import Readability

__all__ = ["reading"]


def reading(model: LanguageModel | OnlineModel, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """Check words at their place (masked models) or the order of sentences (causal models); nothing for others."""
    if isinstance(model, OnlineModel):
        # its answers are ratios, which are no probabilities; what can be read is the model inside
        return reading(model.model, corpus, seed=seed)
    if fills_masks(model):
        return words_at_their_place(model, corpus, seed=seed)
    return sentence_order(model, corpus, seed=seed) if scores_text(model) else None
