"""Do the vectors have a direction of gender at all?"""

from __future__ import annotations

from typing import Any

import numpy as np

from biascheck import stats
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import ScoreError
from biascheck.measures.embeddings.states_of_words import Matrix, draw_words, embedding_of, gender_differences
from biascheck.results.competence import Readability

__all__ = ["gender_direction"]

GENDER_DIRECTION_CHECK = "gender direction"
GENDER_DIRECTION_ABOUT = (
    "whether he − she, man − woman, … share one direction, more than differences between random words do"
)
GENDER_DIRECTION_FAILURE = "has no direction of gender"
DRAWS = 99
RANDOM_QUANTILE = 0.95


def gender_direction(model: Any, lexicon: Lexicon, *, seed: int = 0) -> Readability | None:
    """The share of a definitional pair's difference that the direction of all other pairs explains.

    With g₋ᵢ the first axis of the differences d without pair i: ``Σ (dᵢ · g₋ᵢ)² / Σ |dᵢ|²``, one mean difference for
    each two words. The same is done for as many differences of random words of the lexicon, 99 times; the floor is
    what 95 of 100 such draws stay below. Without a common direction, nothing can lean along it.

    Not applicable to fewer than three pairs or four words.
    """
    embedding = embedding_of(model)
    try:
        rows, places, _ = gender_differences(embedding, lexicon.pairs)
    except ScoreError:
        return None
    pairs = _mean_by_name(rows, [lexicon.pairs.pairs[place].attribute for place in places])
    words = draw_words(embedding, lexicon, draws=1, seed=seed).vectors[0].astype(np.float64)
    if len(pairs) < 3 or len(words) < 4:
        return None
    rng = np.random.default_rng(seed)
    random = [_held_out_share(_random_differences(words, len(pairs), rng)) for _ in range(DRAWS)]
    share, floor = _held_out_share(pairs), float(np.quantile(random, RANDOM_QUANTILE))
    finding = (
        f"the direction of the other pairs explains {share:.0%} of a pair's difference; differences of random words "
        f"reach {floor:.0%} in one of twenty draws, and more than that is needed"
    )
    figures = {"share": share, "share of random words, mean": float(np.mean(random)), "share of random words": floor}
    return Readability(
        GENDER_DIRECTION_CHECK,
        GENDER_DIRECTION_ABOUT,
        share,
        float(np.nextafter(floor, 1)),
        len(pairs),
        seed,
        finding,
        GENDER_DIRECTION_FAILURE,
        figures,
    )


def _mean_by_name(rows: Matrix, names: list[str]) -> Matrix:
    members: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members.setdefault(name, []).append(place)
    return np.stack([rows[places].mean(axis=0) for places in members.values()])


def _random_differences(words: Matrix, count: int, rng: np.random.Generator) -> Matrix:
    chosen = [rng.choice(len(words), size=2, replace=False) for _ in range(count)]
    return np.stack([words[one] - words[other] for one, other in chosen])


def _held_out_share(rows: Matrix) -> float:
    whole = float((rows**2).sum())
    if whole == 0:
        return 0.0  # all vectors are the same: there is no direction
    return float(stats.held_out_squares(rows, [str(n) for n in range(len(rows))]).sum()) / whole
