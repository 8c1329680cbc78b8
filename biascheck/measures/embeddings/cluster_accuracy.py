"""Whether words that lean to one gender fall into clusters of their own (Basta et al. 2019, §5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.corpora.lexicon import Lexicon
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.embeddings.drawn_items import baseline_table, drawn_items
from biascheck.measures.embeddings.states_of_words import DrawnWords, draw_words, embedding_of
from biascheck.measures.embeddings.word_map import word_map
from biascheck.results.attachments import Draws, WordMap
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["cluster_accuracy"]

ClusterScores = NDArray[np.float64]


@measure(
    "cluster accuracy",
    version=1,
    about="Whether words that lean to one gender fall into a cluster of their own when they are clustered by their "
    "vectors alone.",
    limits=(
        "Clusters follow topic and part of speech as well, which go with gender in any list of such words.",
        "Static vectors have one clustering, and the interval takes it as given.",
        "The words and their genders come from a list; what the list leaves out is not measured.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="upwards",
    unit="share from 0.5 (chance) to 1",
    smallest_change=0.05,
    smallest_change_reason="one more word in twenty falls into the cluster of its gender",
    scale="share",
    plain="Two clusters separate the words by their gender bias {by} more often than by chance; allowed: {allowed}.",
    sign="A score is positive where a word falls into the cluster of its own gender. The estimate is the share of such "
    "words, from 0.50 (chance) to 1.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def cluster_accuracy(
    model: Any, lexicon: Lexicon, *, draws: int = 10, permutations: int = 999, seed: int = 0
) -> Result:
    """The share of words that k-means (k = 2) puts with their own gender; 0.5 is chance.

    Clusters have no names, so an accuracy is aligned: ``max(a, 1 − a)``. The attached draws have the paper's figure,
    each draw aligned by itself. The estimate aligns once: the clusters of the draws are matched with each other
    without a look at the genders, and all are turned together, because ten alignments of noise would read as bias.
    Where there are clusters by gender the two agree.

    The score of an item, one word in one draw, is how much nearer it lies to the centre of its own gender's cluster
    than to the other; positive is placed with its own. An attached table has the figure of permuted genders. How the
    clusterings of different draws differ is part of the interval. :func:`assert_cluster_accuracy_below` judges it.
    """
    embedding = embedding_of(model)
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    genders = np.array([1.0 if lexicon.group_of(e) == lexicon.groups[0] else -1.0 for e in drawn.entries])
    sides = matched(np.stack([_sides(vectors, seed + n) for n, vectors in enumerate(drawn.vectors)]))
    scores = sides * genders
    if _share(scores) < 0.5:
        scores = -scores
    form = draft(
        embedding,
        lexicon,
        drawn_items(drawn, scores),
        drawn.skipped,
        contrast=lexicon.groups,
        seed=seed,
        unit="words in sentences",
    )
    permuted = _permuted(sides, genders, permutations, seed)
    return summarise(form).with_attachments(
        Draws(values=tuple(max(share, 1 - share) for share in map(_share, scores))),
        baseline_table([stats.label_baseline(_share(scores), permuted)]),
        _map(drawn, lexicon),
    )


def matched(sides: ClusterScores) -> ClusterScores:
    """Turn the clusterings of several draws so that they agree with each other as far as they can."""
    signs = np.sign(sides)
    leading = np.linalg.svd(signs, full_matrices=False)[0][:, 0]
    return sides * np.where(leading < 0, -1.0, 1.0)[:, None]


def _sides(vectors: NDArray[np.float32], seed: int) -> ClusterScores:
    return stats.side_of_centres(vectors, stats.two_centres(vectors, seed=seed))


def _share(scores: ClusterScores) -> float:
    return float(((np.sign(scores) + 1) / 2).mean())


def _permuted(sides: ClusterScores, genders: ClusterScores, permutations: int, seed: int) -> list[float]:
    """The aligned figure with genders dealt out anew: the same clusters, so only chance is left."""
    rng = np.random.default_rng(seed)
    tally = np.sign(sides).mean(axis=0)
    shares = [(float((tally * rng.permutation(genders)).mean()) + 1) / 2 for _ in range(permutations)]
    return [max(share, 1 - share) for share in shares]


def _map(drawn: DrawnWords, lexicon: Lexicon) -> WordMap:
    groups = [lexicon.group_of(entry) for entry in drawn.entries]
    return word_map(drawn.vectors[0], [entry.word for entry in drawn.entries], groups)
