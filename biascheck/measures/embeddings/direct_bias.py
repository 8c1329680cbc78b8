"""How far neutral words lean along the gender direction (Bolukbasi et al. 2016, §5.2; Basta et al. 2019, §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.embeddings.drawn_items import drawn_items
from biascheck.measures.embeddings.states_of_words import draw_words, embedding_of, gender_subspace_of
from biascheck.results.attachments import Draws, Table
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["direct_bias"]

ONE_SIDED = 0.7


@measure(
    "direct bias",
    version=1,
    about="How strongly words that should be neutral point along the axis of gender, on average.",
    limits=(
        "Never zero: random directions of d dimensions give √(2 / πd) on average, 0.11 for 50 dimensions and 0.04 for "
        "384. Models of different width are not on one scale.",
        "Hidden states that share one direction can all lean one way; the result then carries a warning.",
        "Words can carry gender outside this axis; clustering and classification find it.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    unit="mean size of the cosine, from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="a fiftieth of the greatest possible projection",
    plain="Words that should be neutral lean to one gender: a mean cosine of {by}, where 1 is entirely; "
    "allowed: {allowed}.",
    sign="A cosine with the gender direction is positive towards {first} and negative towards {second}. The estimate "
    "is the mean of the magnitudes, whatever the sign; zero is parity.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def direct_bias(model: Any, lexicon: Lexicon, *, strictness: float = 1.0, draws: int = 10, seed: int = 0) -> Result:
    """The mean of ``|cos(w, g)|^c`` over neutral words w, with g the first axis of the gender subspace.

    ``c`` is ``strictness``. The score of an item, one word in one draw, keeps its sign: positive leans to the first
    group (male). The estimate is the mean magnitude; items of one word are one cluster. What random directions give,
    √(2 / πd) on average, is in the attached table. Contextual states of many models share one dominant direction;
    where it is not orthogonal to the gender axis all words lean one way, and the result carries a warning.
    :func:`assert_direct_bias_below` judges it.
    """
    if not strictness > 0:
        raise UsageError(f"strictness {strictness} counts every word alike; give a number above 0, 1 in the papers")
    embedding = embedding_of(model)
    direction = gender_subspace_of(embedding, lexicon.pairs).axes[0]
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    cosines = np.stack([stats.cosines(vectors, direction) for vectors in drawn.vectors])
    scores = np.sign(cosines) * np.abs(cosines) ** strictness
    form = draft(
        embedding,
        lexicon,
        drawn_items(drawn, scores),
        drawn.skipped,
        contrast=lexicon.groups,
        seed=seed,
        unit="words in sentences",
    )
    form = replace(form, warnings=(*form.warnings, *_one_sided(cosines, lexicon.groups)))
    drawn_figures = Draws(values=tuple(np.abs(scores).mean(axis=1).tolist()))
    return summarise(form).with_attachments(drawn_figures, _table(cosines, len(direction)))


def _table(cosines: NDArray[np.float64], dimensions: int) -> Table:
    by_chance = float(np.sqrt(2 / (np.pi * dimensions)))
    columns = ("dimensions", "expected of random directions", "mean cosine with its sign")
    return Table(columns=columns, rows=((dimensions, by_chance, float(cosines.mean())),))


def _one_sided(cosines: NDArray[np.float64], groups: tuple[str, str]) -> tuple[str, ...]:
    """Say so where nearly all words lean the same way: that is a direction all states share, not their meaning."""
    mean, magnitude = float(cosines.mean()), float(np.abs(cosines).mean())
    if abs(mean) < ONE_SIDED * magnitude:
        return ()
    group = groups[0] if mean > 0 else groups[1]
    return (
        f"the words lean to {group} by {abs(mean):.2f} on average, most of the direct bias: these vectors share a "
        "direction that is not orthogonal to the gender axis, and the figure says little about single words",
    )
