"""Hard debiasing against its definition, word by word."""

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import UsageError

WORDS = ["he", "she", "king", "queen", "nurse", "plumber", "the"]


def table(seed=0, width=6):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(len(WORDS), width))
    rows[:4, 0] += [4, -4, 4, -4]
    return biascheck.load_vectors((WORDS, rows), name="six")


PAIRS = [("he", "she"), ("king", "queen")]


def direction(vectors):
    rows = vectors.matrix.astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    differences = np.stack([rows[0] - rows[1], rows[2] - rows[3]])
    return np.linalg.svd(differences)[2][0]


def test_neutral_words_lose_the_direction_and_keep_their_length():
    vectors = table()
    debiased = biascheck.mitigation.hard_debiased(vectors, pairs=PAIRS)
    neutral = debiased.matrix[4:].astype(float)
    assert neutral @ direction(vectors) == pytest.approx(0, abs=1e-6)
    assert np.linalg.norm(neutral, axis=1) == pytest.approx(1, abs=1e-6)
    assert (debiased.name, debiased.treatment) == ("six", ("hard-debiased",))
    assert debiased.vocabulary == vectors.vocabulary
    assert debiased.fingerprint != vectors.fingerprint


def test_a_neutral_word_is_equally_near_to_both_words_of_a_pair():
    rows = biascheck.mitigation.hard_debiased(table(), pairs=PAIRS).matrix.astype(float)
    for male, female in ((0, 1), (2, 3)):
        assert rows[4:] @ rows[male] == pytest.approx(rows[4:] @ rows[female], abs=1e-6)
        assert np.linalg.norm(rows[[male, female]], axis=1) == pytest.approx(1, abs=1e-6)
        assert rows[male] @ direction(table()) * np.sign(rows[0] @ direction(table())) > 0  # male stays male


def test_only_listed_pairs_are_equalised():
    vectors = table()
    rows = vectors.matrix.astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    debiased = biascheck.mitigation.hard_debiased(vectors, pairs=PAIRS, equalise=PAIRS[:1]).matrix
    assert debiased[2:4] == pytest.approx(rows[2:4], abs=1e-6)


def test_the_original_is_left_alone():
    vectors = table()
    before = vectors.matrix.copy()
    biascheck.mitigation.hard_debiased(vectors, pairs=PAIRS)
    assert (vectors.matrix == before).all()


def test_unknown_pairs_are_named():
    with pytest.raises(UsageError, match="six knows none of the pairs"):
        biascheck.mitigation.hard_debiased(table(), pairs=[("rey", "reina")])
    with pytest.raises(UsageError, match="a subspace of 0 axes removes nothing"):
        biascheck.mitigation.hard_debiased(table(), pairs=PAIRS, components=0)


def test_the_published_pairs_can_be_used(shared_data):
    from biascheck.corpora import published_gender_pairs

    pairs = published_gender_pairs(shared_data)
    assert ("man", "woman") in pairs
    equalise = published_gender_pairs(shared_data / "debiaswe" / "equalize_pairs.json")
    assert ("spokesman", "spokeswoman") in equalise
    debiased = biascheck.mitigation.hard_debiased(table(), pairs=pairs, equalise=equalise)
    assert debiased.matrix.shape == (7, 6)
