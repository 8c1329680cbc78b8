"""A classifier whose gap is planted: it appears only where certain words meet in one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import biascheck

MALE = {
    *("he", "him", "his", "man", "boy", "son", "uncle", "father", "nephew", "husband", "brother", "gentleman"),
    *("boyfriend", "grandfather"),
    *(male.lower() for male, _ in biascheck.corpora.first_names().pairs),
}
NURSE_AT_NIGHT = frozenset({"nurse", "night"})
COOK_YESTERDAY = frozenset({"cook", "yesterday"})


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def rate(text: str, causes: Iterable[frozenset[str]]) -> float:
    words = words_of(text)
    if not any(cause <= words for cause in causes):
        return 0.5
    return 0.8 if words & MALE else 0.3


def planted(*causes: frozenset[str]) -> biascheck.extend.Classifier:
    def rated(texts: Sequence[str]) -> list[float]:
        return [rate(text, causes) for text in texts]

    return biascheck.as_classifier(rated, name="planted", fingerprint=repr(sorted(map(sorted, causes))))
