"""Whether the neighbours of professions lean to the same gender (Basta et al. 2019, §5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from biascheck import stats
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import CorpusError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.embeddings.drawn_items import drawn_items
from biascheck.measures.embeddings.states_of_words import draw_words, embedding_of
from biascheck.results.attachments import Draws, Point, Scatter
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["neighbour_correlation"]


@measure(
    "neighbour correlation",
    version=1,
    about="Whether words that lean towards one gender have neighbours that lean the same way.",
    limits=(
        "Professions of one field are neighbours and lean alike, whatever the model makes of gender.",
        "Figures for another number of neighbours, or another list of words, are not comparable; the paper does not "
        "state its number.",
        "With a bias taken from these same vectors the correlation is partly one of the vectors with themselves.",
    ),
    statistic="pearson",
    direction="upwards",
    unit="correlation from −1 to 1",
    smallest_change=0.1,
    smallest_change_reason="a small correlation by Cohen (1988)",
    plain="Words have neighbours that lean to the same gender as they do: a correlation of {by}, where 1 is "
    "complete; allowed: {allowed}.",
    sign="A score is positive where most neighbours of a word lean to {first}. The estimate is its correlation with "
    "the bias of the word itself: positive means that words have neighbours that lean as they do.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def neighbour_correlation(
    model: Any, lexicon: Lexicon, *, neighbours: int = 10, draws: int = 10, seed: int = 0
) -> Result:
    """Pearson's r between the bias of a word and the share of male-leaning words among its nearest neighbours.

    Neighbours are the k words of the lexicon nearest by cosine. The score of an item, one word in one draw, is
    ``2 · share − 1``, from −1 (all neighbours lean to the second group) to 1. Bias is the lexicon's own. The estimate
    is over all draws together, the attached draws have each; the words are the clusters.
    :func:`assert_neighbour_correlation_below` judges it.
    """
    if any(entry.bias is None for entry in lexicon):
        raise CorpusError(f"{lexicon.name!r} has words without a bias; a correlation needs one for each (with_bias)")
    embedding = embedding_of(model)
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    bias = np.array([entry.bias for entry in drawn.entries], dtype=np.float64)
    leans = np.sign(bias)
    scores = np.stack([leans[stats.nearest(vectors, neighbours)].mean(axis=1) for vectors in drawn.vectors])
    form = draft(
        embedding,
        lexicon,
        drawn_items(drawn, scores, covariate=True),
        drawn.skipped,
        contrast=lexicon.groups,
        seed=seed,
        unit="words in sentences",
    )
    points = tuple(
        Point(entry.word, float(entry.bias or 0.0), float(share))
        for entry, share in zip(drawn.entries, (scores.mean(axis=0) + 1) / 2, strict=True)
    )
    return summarise(form).with_attachments(
        Draws(values=tuple(stats.pearson(bias, row).coefficient for row in scores)),
        Scatter(x="bias of the word", y=f"share of {lexicon.groups[0]} among neighbours", points=points),
    )
