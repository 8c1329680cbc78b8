"""Words in a space of vectors: projections, classification, clusters and neighbours (Basta et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import CorpusError, UsageError
from biascheck.core.progress import progress
from biascheck.core.release import is_installed, require
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.lexicon import Lexicon
from biascheck.measures.measure import draft, measure
from biascheck.measures.subspace import (
    DrawnWords,
    baseline_table,
    draw_words,
    drawn_items,
    embedding_of,
    gender_differences,
)
from biascheck.models.base import Embedding
from biascheck.results.attachments import Draws, MapPoint, Point, Scatter, WordMap
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

# The bias of a word from its vector: the projection on he − she (Gonen & Goldberg 2019; Basta et al. 2019, §4).


def with_projected_bias(
    model: Any, lexicon: Lexicon, *, words: tuple[str, str] = ("he", "she"), draws: int = 10, seed: int = 0
) -> Lexicon:
    """The lexicon with the bias that its words have in this model, or in static vectors.

    The mean over draws of cos(w, he − she), positive towards the first of ``words``. ``most_biased(n)`` then gives the
    lists of the paper's clustering and classification. Limit: classifying words with the vectors that selected them is
    circular; select with one embedding and measure another, as the papers do.
    """
    embedding = embedding_of(model)
    direction = _direction(embedding, lexicon.pairs, words)
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    cosines = np.stack([stats.cosines(vectors, direction) for vectors in drawn.vectors]).mean(axis=0)
    bias = {entry.word: float(value) for entry, value in zip(drawn.entries, cosines, strict=True)}
    return lexicon.with_bias(bias, name=f"{lexicon.name}·by {embedding.name}")


def _direction(embedding: Embedding, pairs: Corpus, words: tuple[str, str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows, places, _ = gender_differences(embedding, pairs)
    chosen = [
        row
        for row, place in zip(rows, places, strict=True)
        if tuple(pairs.pairs[place].sentences[group].target_text.lower() for group in pairs.groups[:2]) == words
    ]
    if not chosen:
        raise UsageError(f"{pairs.name!r} has no pair {'–'.join(words)} to project on; add it or name another pair")
    return np.asarray(np.mean(chosen, axis=0))


# Whether the gender that a word leans to can be predicted from other words (Basta et al. 2019, §5).

TRAINING_SHARE = 0.2


@measure(
    "classifier accuracy",
    version=1,
    about="Whether a classifier that was shown the gender of some words can predict that of others from their vectors.",
    limits=(
        "Words that were chosen by the very vectors that are measured will always be predicted: take the list from "
        "another source.",
        "It finds any regularity that goes with gender, and an application need not use what a classifier can find.",
        "The words and their genders come from a list; what the list leaves out is not measured.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="upwards",
    unit="share of words predicted correctly; 0.5 is chance",
    smallest_change=0.05,
    smallest_change_reason="the gender of one more word in twenty is predicted",
    scale="share",
    plain="The gender bias of unseen words can be predicted from their vectors {by} more often than by "
    "chance; allowed: {allowed}.",
    sign="A score is positive where the gender of an unseen word is predicted correctly. The estimate is the share of "
    "such words; 0.50 is chance.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def classifier_accuracy(
    model: Any,
    lexicon: Lexicon,
    *,
    training_share: float = TRAINING_SHARE,
    draws: int = 10,
    permutations: int = 99,
    seed: int = 0,
) -> Result:
    """The share of unseen words whose gender a support-vector machine (RBF kernel) predicts; 0.5 is chance.

    In each draw a fifth of the words (1,000 of 5,000 in the paper), as many of either gender, train the machine and
    the rest are predicted. The score of an item, one unseen word in one draw, is the machine's decision value times the
    word's gender: positive is right. An attached table has the accuracy of the first draw with the genders of all words
    permuted and the machine trained again. The variation between draws is part of the interval.
    :func:`assert_classifier_accuracy_below` judges it.

    Source: Basta et al. 2019, §5.
    """
    if not 0 < training_share < 1:
        raise UsageError(f"training_share {training_share} leaves nothing to train or nothing to test on; 0.2 is usual")
    embedding = embedding_of(model)
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    genders = np.array([1.0 if lexicon.group_of(e) == lexicon.groups[0] else -1.0 for e in drawn.entries])
    splits = list(_splits(genders, training_share, draws, seed))
    # A static table has one draw of vectors; its draws are splits of the words.
    predicted = [
        _predicted(drawn.vectors[n % len(drawn.vectors)], genders, training) for n, training in enumerate(splits)
    ]
    unseen = ~np.stack(splits)
    repeated = replace(drawn, contexts=tuple(drawn.contexts[n % len(drawn.contexts)] for n in range(len(splits))))
    form = draft(
        embedding,
        lexicon,
        drawn_items(repeated, np.stack(predicted) * genders, chosen=unseen),
        drawn.skipped,
        contrast=lexicon.groups,
        seed=seed,
        unit="unseen words",
    )
    accuracies = [_accuracy(values, genders, training) for values, training in zip(predicted, splits, strict=True)]
    permuted = _permuted(drawn.vectors[0], genders, splits[0], permutations, seed)
    baseline = baseline_table([stats.label_baseline(accuracies[0], permuted)])
    return summarise(form).with_attachments(Draws(values=tuple(accuracies)), baseline)


def _splits(genders: NDArray[np.float64], share: float, count: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """The training words of each draw, the same number of either gender."""
    rng = np.random.default_rng(seed)
    sides = [np.flatnonzero(genders > 0), np.flatnonzero(genders < 0)]
    size = max(1, round(share * len(genders) / 2))
    if min(map(len, sides)) <= size:
        raise UsageError(f"{len(genders)} words leave too few of a gender to train and test on; give more words")
    for _ in range(count):
        training = np.zeros(len(genders), dtype=bool)
        for side in sides:
            training[rng.permutation(side)[:size]] = True
        yield training


def _predicted(vectors: Any, genders: NDArray[np.float64], training: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The decision value of every word, positive for the first group."""
    require("a support-vector machine", "local", ("sklearn",))
    from sklearn.svm import SVC

    machine = SVC(kernel="rbf")
    machine.fit(vectors[training], genders[training])
    return np.asarray(machine.decision_function(vectors), dtype=np.float64)


def _accuracy(values: NDArray[np.float64], genders: NDArray[np.float64], training: NDArray[np.bool_]) -> float:
    right = (np.sign(values * genders) + 1) / 2
    return float(right[~training].mean())


def _permuted(
    vectors: Any, genders: NDArray[np.float64], training: NDArray[np.bool_], permutations: int, seed: int
) -> list[float]:
    rng = np.random.default_rng(seed)
    found: list[float] = []
    with progress("permuted labels", total=permutations, unit="permutations") as advance:
        for _ in range(permutations):
            dealt = genders.copy()
            for part in (training, ~training):  # as many of either gender as before in both parts
                dealt[part] = rng.permutation(genders[part])
            found.append(_accuracy(_predicted(vectors, dealt, training), dealt, training))
            advance(1)
    return found


# Whether the neighbours of professions lean to the same gender (Basta et al. 2019, §5).


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
    is over all draws together, the attached draws have one each; the words are the clusters.
    :func:`assert_neighbour_correlation_below` judges it.

    Source: Basta et al. 2019, §5.
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


# Vectors on a plane, for plots.

MapMethod = Literal["PCA", "UMAP", "t-SNE"]
MapMatrix = NDArray[np.float64]
MOST_POINTS = 400
NEIGHBOURS, PERPLEXITY = 15, 30.0


def word_map(
    vectors: Any,
    words: Sequence[str],
    groups: Sequence[str],
    *,
    method: MapMethod = "PCA",
    most: int = MOST_POINTS,
    seed: int = 0,
) -> WordMap:
    """The words on a plane, at most ``most`` of them, evenly taken.

    "PCA" takes the first two principal components, which show the directions of the largest differences. "UMAP" (as in
    Basta et al. 2019, Figure 2; the package umap-learn) and "t-SNE" (scikit-learn) keep neighbours together; distances
    between far points mean nothing there. :func:`neighbour_method` says which of the two this installation has.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    if len(matrix) < 3:
        return WordMap(points=(), method=method)
    chosen = np.unique(np.linspace(0, len(matrix) - 1, min(most, len(matrix))).astype(int))
    places = _places(matrix[chosen], method, seed)
    points = tuple(
        MapPoint(words[i], round(float(x), 5), round(float(y), 5), groups[i])
        for i, (x, y) in zip(chosen.tolist(), places, strict=True)
    )
    return WordMap(points=points, method=method)


def neighbour_method() -> MapMethod:
    """UMAP where it is installed, else scikit-learn's t-SNE."""
    return "UMAP" if is_installed("umap") else "t-SNE"


def _places(matrix: MapMatrix, method: MapMethod, seed: int) -> MapMatrix:
    centred = matrix - matrix.mean(axis=0)
    if method == "PCA":
        return _principal(centred)
    if method == "t-SNE":
        require("a map by t-SNE", "local", ("sklearn",), instead=", or choose PCA")
        from sklearn.manifold import TSNE

        perplexity = min(PERPLEXITY, (len(matrix) - 1) / 3)
        # starting from principal components makes the map reproducible, whatever the seed
        return np.asarray(TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(centred))
    if method != "UMAP":
        raise UsageError(f"no map by {method!r}; choose PCA, UMAP or t-SNE")
    require("a map by UMAP", "umap", instead=", or choose t-SNE or PCA")
    from umap import UMAP

    neighbours = min(NEIGHBOURS, len(matrix) - 1)
    return np.asarray(UMAP(n_neighbors=neighbours, random_state=seed).fit_transform(centred), dtype=np.float64)


def _principal(centred: MapMatrix) -> MapMatrix:
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # The sign of a singular vector is arbitrary: its largest component is made positive, so that maps are reproducible.
    signs = np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])
    return np.asarray(centred @ (axes[:2] * signs[:, None]).T)


# Whether words that lean to one gender form clusters of their own (Basta et al. 2019, §5).

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

    Clusters are unlabelled, so an accuracy is aligned: ``max(a, 1 − a)``. The attached draws have the paper's figure,
    each draw aligned by itself. The estimate aligns once: the clusters of the draws are matched with each other
    ignoring the genders, and all are flipped together, because ten separate alignments of noise would read as bias.
    Where there are clusters by gender the two agree.

    The score of an item, one word in one draw, is how much nearer it lies to the centre of its own gender's cluster
    than to the other; positive means its own cluster. An attached table has the figure of permuted genders. How the
    clusterings of different draws differ is part of the interval. :func:`assert_cluster_accuracy_below` judges it.

    Source: Basta et al. 2019, §5.
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
    permuted = _permuted_clusters(sides, genders, permutations, seed)
    return summarise(form).with_attachments(
        Draws(values=tuple(max(share, 1 - share) for share in map(_share, scores))),
        baseline_table([stats.label_baseline(_share(scores), permuted)]),
        _map(drawn, lexicon),
    )


def matched(sides: ClusterScores) -> ClusterScores:
    """Align the clusterings of several draws with each other as far as possible."""
    signs = np.sign(sides)
    leading = np.linalg.svd(signs, full_matrices=False)[0][:, 0]
    return sides * np.where(leading < 0, -1.0, 1.0)[:, None]


def _sides(vectors: NDArray[np.float32], seed: int) -> ClusterScores:
    return stats.side_of_centres(vectors, stats.two_centres(vectors, seed=seed))


def _share(scores: ClusterScores) -> float:
    return float(((np.sign(scores) + 1) / 2).mean())


def _permuted_clusters(sides: ClusterScores, genders: ClusterScores, permutations: int, seed: int) -> list[float]:
    """The aligned accuracy with permuted genders: the same clusters, so only chance remains."""
    rng = np.random.default_rng(seed)
    tally = np.sign(sides).mean(axis=0)
    shares = [(float((tally * rng.permutation(genders)).mean()) + 1) / 2 for _ in range(permutations)]
    return [max(share, 1 - share) for share in shares]


def _map(drawn: DrawnWords, lexicon: Lexicon) -> WordMap:
    groups = [lexicon.group_of(entry) for entry in drawn.entries]
    return word_map(drawn.vectors[0], [entry.word for entry in drawn.entries], groups)
