"""Whether the gender a word leans to can be learnt from other words (Basta et al. 2019, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.cache.progress import progress
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.embeddings.drawn_items import baseline_table, drawn_items
from biascheck.measures.embeddings.states_of_words import draw_words, embedding_of
from biascheck.release import require
from biascheck.results.attachments import Draws
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["classifier_accuracy"]

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
    word's gender: positive is right. An attached table has the same for the first draw with the genders of all words
    permuted and the machine trained anew. How the machines of different draws differ is part of the interval.
    :func:`assert_classifier_accuracy_below` judges it.
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
    """Which words train, drawn anew for each draw, the same number of either gender."""
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
