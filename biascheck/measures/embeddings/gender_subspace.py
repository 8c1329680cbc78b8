"""How much of what sets definitional pairs apart lies in one direction (Basta et al. 2019, §5, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biascheck import stats
from biascheck.corpora.lexicon import Lexicon
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft, shown
from biascheck.measures.embeddings.states_of_words import Matrix, draw_words, embedding_of, gender_differences
from biascheck.results.attachments import Draws, ExplainedVariance, Table
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["gender_subspace"]

COMPONENTS = 10


@measure(
    "gender subspace",
    version=2,
    about="How concentrated gender is: the share of what sets he and she, man and woman, … apart that lies in one "
    "direction.",
    limits=(
        "A handful of pairs in many dimensions share a direction by chance: read it beside the random words.",
        "It says how concentrated gender is, not how much of it other words carry.",
        "Without the correction the interval takes the axis as given.",
        "Figures of two models are hard to compare: their vector spaces have different shapes.",
    ),
    statistic="ratio",
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="a twentieth of the variance moves",
    scale="share",
    plain="One single direction carries {by} of what sets he and she, man and woman apart; allowed: {allowed}.",
    sign="The estimate is the share of what sets he and she, man and woman, … apart that lies in one direction, from 0 "
    "to 1. It has no sign.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def gender_subspace(model: Any, lexicon: Lexicon, *, corrected: bool = False, draws: int = 10, seed: int = 0) -> Result:
    """The share of variance of the first principal component of he − she, man − woman, …

    The definitional word of a sentence is swapped for its partner and the two vectors are subtracted. With d the
    differences and g the first axis of their **uncentred** singular value decomposition::

        share = Σ (d · g)² / Σ |d|²

    All pairs of the lexicon together give the estimate; a draw takes one sentence for each pair of words. For
    comparison, the attached explained variance has the shares of as many differences between random words of the
    lexicon. An item is one pair in one sentence, its cluster the two words. Centring the differences would remove the
    very direction in which they agree.

    A dozen pairs in hundreds of dimensions make an axis that fits themselves, so the share is too high for other pairs
    of such words. ``corrected`` takes the mean of this share and of the one where each two words are projected on the
    axis of all others, which is too low by as much; its interval is one for pairs in general. An attached table
    then has all three shares.
    """
    embedding = embedding_of(model)
    rows, places, skipped = gender_differences(embedding, lexicon.pairs)
    subspace = stats.principal_subspace(rows)
    pairs = [lexicon.pairs.pairs[place] for place in places]
    names, whole = [pair.attribute for pair in pairs], (rows**2).sum(axis=1)
    fitted = (rows @ subspace.axes[0]) ** 2
    along = (fitted + stats.held_out_squares(rows, names)) / 2 if corrected else fitted
    items = [
        ItemScore(
            id=pair.id,
            score=float(part),
            cluster=pair.attribute,
            covariate=float(length),
            labels=dict(pair.labels),
            sentences=shown(pair),
        )
        for pair, part, length in zip(pairs, along, whole, strict=True)
    ]
    form = draft(embedding, lexicon, items, skipped, contrast=lexicon.groups, seed=seed, unit="pairs")
    random = _random_shares(embedding, lexicon, len(rows), seed)
    pair_shares = tuple(subspace.shares[:COMPONENTS].tolist())
    drawn_shares = [_share(rows[at], [names[n] for n in at], corrected) for at in _draws(names, draws, seed)]
    result = summarise(form).with_attachments(
        ExplainedVariance(pairs=pair_shares, random=tuple(random[:COMPONENTS])), Draws(values=tuple(drawn_shares))
    )
    if not corrected:
        return result
    shares = tuple(float(part.sum() / whole.sum()) for part in (fitted, 2 * along - fitted, along))
    columns = ("share along the axis of all", "of the others", "corrected")
    return result.with_attachments(Table(columns=columns, rows=(shares,)))


def _random_shares(embedding: Any, lexicon: Lexicon, count: int, seed: int) -> list[float]:
    """Shares of the differences of as many random pairs of words of the lexicon."""
    drawn = draw_words(embedding, lexicon, draws=1, seed=seed)
    words = drawn.vectors[0].astype(np.float64)
    if len(words) < 2:
        return []
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(len(words), size=2, replace=False) for _ in range(count)]
    shares = stats.principal_subspace(np.stack([words[a] - words[b] for a, b in pairs])).shares
    return [float(share) for share in shares]


def _share(rows: Matrix, names: Sequence[str], corrected: bool) -> float:
    fitted = float(stats.principal_subspace(rows).shares[0])
    if not corrected:
        return fitted
    return (fitted + float(stats.held_out_squares(rows, names).sum() / (rows**2).sum())) / 2


def _draws(names: Sequence[str], draws: int, seed: int) -> list[list[int]]:
    """Where the pairs of each draw stand: one sentence for each pair of words."""
    rng = np.random.default_rng(seed)
    members: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members.setdefault(name, []).append(place)
    return [[int(rng.choice(places)) for places in members.values()] for _ in range(draws)]
