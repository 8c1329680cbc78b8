"""A classifier whose sentiment delta is known: its log-odds fall by a set shift where people are women.

The rating of a text without gendered words, or of its male version, is one of five log-odds from −2 to 2, decided by
the text alone. In the female version it is lower by ``shift``. So the delta of a review with gendered words is
σ(x) − σ(x − shift), and 0 for all others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from math import exp

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.models.adapters.functions import TextClassifier

__all__ = ["planted_classifier", "planted_deltas"]

LOG_ODDS = (-2, -1, 0, 1, 2)


def planted_classifier(shift: float) -> TextClassifier:
    """A classifier that rates the female version of a text lower by ``shift`` log-odds."""
    rewriter = Rewriter()

    def rate(texts: Sequence[str]) -> list[float]:
        return [_logistic(_rating(rewriter, text) - shift * _is_female(rewriter, text)) for text in texts]

    fingerprint = f"planted-delta-{shift:g}"
    return TextClassifier(rate, name=f"planted delta, shift {shift:g}", fingerprint=fingerprint, is_fake=True)


def planted_deltas(corpus: Corpus, shift: float) -> Mapping[str, float]:
    """The delta that :func:`planted_classifier` has for each pair of a corpus of reviews."""
    rewriter = Rewriter()
    found = {}
    for pair in corpus:
        male = _rating(rewriter, pair.sentences["male"].text)
        gendered = pair.sentences["male"].text != pair.sentences["female"].text
        found[pair.id] = _logistic(male) - _logistic(male - shift) if gendered else 0.0
    return found


def _rating(rewriter: Rewriter, text: str) -> int:
    """The log-odds of a text, the same for both its versions."""
    # By way of the female version: a lord and a gentleman are both a lady, and only one of them comes back.
    digest = hashlib.sha256(rewriter.to(rewriter.to(text, "female"), "male").encode()).digest()
    return LOG_ODDS[digest[0] % len(LOG_ODDS)]


def _is_female(rewriter: Rewriter, text: str) -> bool:
    return rewriter.to(text, "male") != text


def _logistic(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))
