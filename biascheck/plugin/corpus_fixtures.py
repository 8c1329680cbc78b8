"""Fixtures: the shipped corpora under their own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from biascheck.corpora import Corpus

__all__ = ["bec_pro", "bec_pro_german", "religion", "winograd_t1", "winograd_t2"]


@pytest.fixture(scope="session")
def bec_pro() -> Corpus:
    """BEC-Pro, English: 2,700 pairs over 60 professions."""
    from biascheck import corpora

    return corpora.bec_pro("en")


@pytest.fixture(scope="session")
def bec_pro_german() -> Corpus:
    """BEC-Pro, German: 2,700 pairs over 60 professions, with a validity warning."""
    from biascheck import corpora

    return corpora.bec_pro("de")


@pytest.fixture(scope="session")
def religion() -> Corpus:
    """Three religious groups over traits: a corpus with more than two groups."""
    from biascheck import corpora

    return corpora.religion()


@pytest.fixture(scope="session")
def winograd_t1() -> Corpus:
    """Winograd sentences of kind T1, resolved by meaning: 480 pairs over 40 occupations."""
    from biascheck import corpora

    return corpora.winograd("T1")


@pytest.fixture(scope="session")
def winograd_t2() -> Corpus:
    """Winograd sentences of kind T2, resolved by syntax: 480 pairs over 40 occupations."""
    from biascheck import corpora

    return corpora.winograd("T2")
