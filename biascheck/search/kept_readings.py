"""Readings of examples that an earlier run asked the same model for: a search that is made again asks nothing new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.models.scoring.queries import Refusal
from biascheck.search.invariants import Invariant, VersionScores

__all__ = ["cached_version_scores"]

FORMAT = "readings of examples 1"


def cached_version_scores(invariant: Invariant, pairs: Sequence[Pair]) -> list[VersionScores | Refusal]:
    """The readings of a block of examples, from the cache where this model has given them to this code before."""
    cache, model = active_cache(), invariant.model
    # A function has no fingerprint by which a later run could find its answers again.
    if cache is None or not getattr(model, "is_persistent", True) or not model.fingerprint:
        return invariant.read(pairs)
    facts = [FORMAT, package_code(), invariant.figure, str(model.fingerprint), getattr(model, "framing", "")]
    key = digest_of([*facts, list(getattr(model, "treatment", ())), [_facts(pair) for pair in pairs]])
    document = cache.fetch(key, lambda: [_document(one) for one in invariant.read(pairs)])
    return [_reading(entry) for entry in document]


def _facts(pair: Pair) -> list[object]:
    return [pair.attribute, [[g, *_spans(s)] for g, s in pair.sentences.items()], sorted(pair.labels.items())]


def _spans(sentence: Sentence) -> list[object]:
    spans = [sentence.target, sentence.attribute, *sentence.others]
    return [sentence.text, *(None if span is None else [span.start, span.end] for span in spans)]


def _document(found: VersionScores | Refusal) -> dict[str, Any]:
    if isinstance(found, Refusal):
        return {"refusal": found.reason}
    return {"figures": dict(found.figures), "gap": found.gap}


def _reading(entry: dict[str, Any]) -> VersionScores | Refusal:
    return Refusal(entry["refusal"]) if "refusal" in entry else VersionScores(entry["figures"], entry["gap"])
