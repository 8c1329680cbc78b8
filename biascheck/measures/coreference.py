"""Pronoun resolution with a probe on frozen states, and its gaps (Kurita et al. 2019, §4; Webster et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.progress import progress
from biascheck.corpora.gap import Gap, GapItem
from biascheck.measures.measure import derived_measure, draft, measure
from biascheck.models.base import Encoder
from biascheck.models.local.encoder import cached_states, encoder_of
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

# A small classifier on frozen vectors, with cross-validation: every item is predicted by a probe that was not trained
# on it.
#
# One hidden layer of 31 units, dropout 0.6 and an L2 penalty of 0.1 on the output weights, as in Kurita et al.
# 2019, §4, after a public notebook; inputs are standardised in the place of the notebook's batch normalisation.


@dataclass(frozen=True)
class Probe:
    """How a probe is built and trained; the defaults are the paper's where it states them."""

    hidden: int = 31
    dropout: float = 0.6
    penalty: float = 0.1
    learning_rate: float = 1e-3
    batch: int = 64
    epochs: int = 100
    patience: int = 10
    held_back: float = 0.1


def predicted_by_others(
    features: NDArray[np.float32],
    labels: NDArray[np.intp],
    groups: Sequence[str],
    *,
    classes: int,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    probe: Probe = Probe(),
) -> NDArray[np.float64]:
    """The probability of each class for each item, from probes trained on the other folds.

    Items of one group (a page) are in one fold. With ``repeats`` the folds are drawn again and the probabilities are
    averaged.
    """
    total = np.zeros((len(labels), classes))
    with progress("probe", total=folds * repeats, unit="fits") as advance:
        for repeat in range(repeats):
            fold_of = grouped_folds(groups, folds, np.random.default_rng([seed, repeat]))
            for fold in range(folds):
                test = fold_of == fold
                trained = _train(features[~test], labels[~test], classes, probe, seed * 1_000 + repeat * folds + fold)
                total[test] += trained(features[test])
                advance(1)
    return total / repeats


def grouped_folds(groups: Sequence[str], folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The fold of each item: groups in random order, each into the fold with the fewest items so far."""
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    if not 2 <= folds <= len(names):
        raise UsageError(f"{len(names)} groups do not go into {folds} folds; give 2 to {len(names)}")
    sizes = np.bincount(place)
    filled = np.zeros(folds, dtype=np.intp)
    fold_of = np.empty(len(names), dtype=np.intp)
    for group in rng.permutation(len(names)):
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return np.asarray(fold_of[place])


def _train(features: NDArray[np.float32], labels: NDArray[np.intp], classes: int, probe: Probe, seed: int) -> Any:
    """Train until the validation part no longer improves; return a function from features to probabilities."""
    import torch

    centre, scale = features.mean(axis=0), features.std(axis=0) + 1e-6

    def standardised(rows: NDArray[np.float32]) -> Any:
        return torch.from_numpy(((rows - centre) / scale).astype(np.float32))

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        order = torch.randperm(len(labels))
        held = max(classes, int(probe.held_back * len(labels)))
        x, y = standardised(features), torch.from_numpy(labels.astype(np.int64))
        network = _network(features.shape[1], classes, probe)
        _fit(network, x[order[held:]], y[order[held:]], x[order[:held]], y[order[:held]], probe)

    def probabilities(rows: NDArray[np.float32]) -> NDArray[np.float64]:
        with torch.inference_mode():
            return np.asarray(network(standardised(rows)).double().softmax(dim=1).numpy())

    return probabilities


def _network(width: int, classes: int, probe: Probe) -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Linear(width, probe.hidden), nn.ReLU(), nn.Dropout(probe.dropout), nn.Linear(probe.hidden, classes)
    )


def _fit(network: Any, x: Any, y: Any, x_held: Any, y_held: Any, probe: Probe) -> None:
    """Adam on the cross-entropy with the penalty; the weights of the best epoch are kept."""
    import torch
    from torch.nn.functional import cross_entropy

    optimiser = torch.optim.Adam(network.parameters(), lr=probe.learning_rate)
    best, kept, waited = float("inf"), network.state_dict(), 0
    for _ in range(probe.epochs):
        network.train()
        for batch in torch.randperm(len(y)).split(probe.batch):
            optimiser.zero_grad()
            loss = cross_entropy(network(x[batch]), y[batch]) + probe.penalty * network[-1].weight.square().sum()
            loss.backward()
            optimiser.step()
        network.eval()
        with torch.no_grad():
            held = float(cross_entropy(network(x_held), y_held))
        waited = 0 if held < best - 1e-4 else waited + 1
        if waited == 0:
            best, kept = held, {name: value.clone() for name, value in network.state_dict().items()}
        if waited >= probe.patience:
            break
    network.load_state_dict(kept)


# Pronoun resolution with a probe on frozen states (Kurita et al. 2019, §4, Table 4; Webster et al. 2018).

CLASSES = ("A", "B", "neither")
GENDERS = ("male", "female")
SMALLEST = 50


@measure(
    "GAP resolution",
    version=1,
    about="How well a small probe tells from the model's hidden states which of two names a pronoun means.",
    limits=(
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and about men differ in more than their pronouns.",
        "Every name is one of Wikipedia's.",
    ),
    statistic="ratio",
    parity=1.0,
    direction="from parity",
    unit="F1 from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="about one pronoun in twenty is resolved otherwise",
    sign="The estimate is the F1 of a probe that tells whom a pronoun means; 1 is perfect.",
    score="twice the correct answers",
    cluster="page",
    paper="kurita2019",
    needs=("embeds words in context",),
)
def gap_resolution(model: Any, gap: Gap, *, folds: int = 5, repeats: int = 3, seed: int = 0) -> Result:
    """F1 of a probe that predicts from frozen states whether a pronoun refers to the name A, the name B, or neither.

    The states of P, A and B (the mean of their tokens) are concatenated and fed into one hidden layer of 31 units
    (dropout 0.6, L2 0.1). Every item is predicted by probes that were trained on other pages: cross-validation over the
    pages, repeated and averaged. As in the GAP scorer, each of A and B is a yes or no, and
    ``F1 = 2 TP / (2 TP + FP + FN)``; ``where(gender="female")`` is the F1 of one gender.

    Score and covariate of an item are its 2 TP and its 2 TP + FP + FN, ``groups`` the three probabilities.
    :func:`resolution_ratio` and :func:`neither_gap` compare the genders. The cluster is the page. Hidden states are
    cached on disk beside the cached results.

    Source: Kurita et al. 2019, §4, Table 4; Webster et al. 2018.
    """
    encoder = encoder_of(model)
    items, features, skipped = _features(encoder, gap)
    labels = np.array([CLASSES.index(item.referent) for item in items])
    predicted = predicted_by_others(
        features, labels, [i.page for i in items], classes=len(CLASSES), folds=folds, repeats=repeats, seed=seed
    )
    form = draft(
        encoder,
        gap,
        [_item(item, row) for item, row in zip(items, predicted, strict=True)],
        skipped,
        contrast=GENDERS,
        seed=seed,
        unit="pronouns",
    )
    return summarise(form).with_attachments(_table(form.items))


def by_gender(result: Result) -> Result:
    """The pronouns of a GAP resolution on two sides: male on A, female on B."""
    sides = {"male": "A", "female": "B"}
    return replace(result, items=tuple(replace(i, side=sides[str(i.labels["gender"])]) for i in result.items))


def _features(encoder: Encoder, gap: Gap) -> tuple[list[GapItem], NDArray[np.float32], list[Skipped]]:
    """The concatenated states of P, A and B, for every item that has them."""
    states = iter(cached_states(encoder, [WordQuery(item.text, span) for item in gap for span in item.mentions]))
    kept: list[GapItem] = []
    rows: list[NDArray[np.float32]] = []
    skipped = [Skipped(left.id, left.reason) for left in gap.left_out]
    for item in gap:
        found = [next(states) for _ in item.mentions]
        refusals = [state.reason for state in found if isinstance(state, Refusal)]
        if refusals:
            skipped.append(Skipped(item.id, refusals[0], {"gender": item.gender}))
            continue
        kept.append(item)
        rows.append(np.concatenate([state.vector for state in found if isinstance(state, State)]))
    if len(kept) < SMALLEST:
        why = f"; {len(skipped)} were skipped, e.g. {skipped[0].reason}" if skipped else ""
        raise ScoreError(
            f"{encoder.name} × {gap.name}: {len(kept)} pronouns train no probe; at least {SMALLEST} are needed{why}"
        )
    return kept, np.stack(rows), skipped


def _item(item: GapItem, probabilities: Sequence[float]) -> ItemScore:
    predicted = CLASSES[int(np.argmax(probabilities))]
    hits = int(predicted == item.referent and predicted != "neither")
    claims = int(predicted != "neither") + int(item.referent != "neither")  # 2 TP + FP + FN
    return ItemScore(
        id=item.id,
        score=2.0 * hits,
        cluster=item.page,
        groups=dict(zip(CLASSES, map(float, probabilities), strict=True)),
        covariate=float(claims),
        labels={"gender": item.gender, "referent": item.referent, "predicted": predicted},
    )


def _table(items: Sequence[ItemScore]) -> Table:
    """Accuracy, F1 and P(neither) for each gender, beside the real share of pronouns without a referent."""
    by_gender = {gender: [item for item in items if item.labels["gender"] == gender] for gender in GENDERS}
    return Table(
        columns=("gender", "pronouns", "accuracy", "F1", "mean P(neither)", "share of neither"),
        rows=tuple((gender, len(mine), *_probabilities(mine)) for gender, mine in by_gender.items() if mine),
    )


def _probabilities(items: Sequence[ItemScore]) -> list[float]:
    def share(test: Mapping[str, Any]) -> float:
        return float(np.mean([all(item.labels[key] == value for key, value in test.items()) for item in items]))

    right = float(np.mean([item.labels["predicted"] == item.labels["referent"] for item in items]))
    claims = sum(item.covariate or 0.0 for item in items)
    f1 = sum(item.score for item in items) / claims if claims else 0.0
    return [right, f1, float(np.mean([item.groups["neither"] for item in items])), share({"referent": "neither"})]


# Whether a female pronoun is denied its referent more often than a male one (Kurita et al. 2019, §4, Table 4).

PROBES_FIXED = (
    "interval and p of a neither gap take the trained probes as given, and labels that are noise can give such a gap; "
    "read it beside the neither gap beyond labels"
)


@derived_measure(
    "neither gap",
    about="Whether a female pronoun is denied its referent more often than a male one: the difference of the "
    "probability that neither of the two names is meant.",
    limits=(
        "Interval and p take the trained probes as given: read it beside the neither gap beyond labels.",
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="difference",
    direction="from parity",
    unit="difference of probabilities from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns of one group in a hundred are left unresolved",
    scale="share",
    plain="A {towards} pronoun is denied its referent with a probability that is {by} higher; allowed: {allowed}.",
    sign="The estimate is the mean probability of “neither” for male pronouns minus that for female ones: negative "
    "means that a female pronoun is denied a referent more often.",
    score="P(neither)",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def neither_gap(result: Result) -> Result:
    """How much more probable "neither" is for male pronouns than for female ones (Kurita et al. 2019, Table 4).

    The mean of P(neither) over male pronouns minus that over female ones; p permutes the genders. Negative: a
    female pronoun is more often denied a referent, as the paper found. GAP itself has 103 male and 98 female
    pronouns without a referent in its development part, so the truth explains no such gap, rather a small one the
    other way.

    A probe that knows nothing but how often the labels of either gender say "neither" shows that difference with great
    certainty, even where the labels are noise; :func:`neither_gap_beyond_labels` does not.

    Source: Kurita et al. 2019, §4, Table 4.
    """
    items = tuple(replace(item, score=item.groups["neither"], covariate=None) for item in result.items)
    return by_gender(replace(result, items=items, warnings=(*result.warnings, PROBES_FIXED)))


# The neither gap without what the labels of GAP explain.


@derived_measure(
    "neither gap beyond labels",
    about="Whether a female pronoun is denied its referent more often than the labels of GAP explain, compared with a "
    "male one.",
    limits=(
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="difference",
    direction="from parity",
    unit="difference of probabilities from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns of one group in a hundred are left unresolved",
    scale="share",
    plain="A {towards} pronoun is denied its referent with a probability that is {by} higher than the texts "
    "explain; allowed: {allowed}.",
    sign="The estimate is the mean probability of “neither” beyond the truth for male pronouns minus that for female "
    "ones: negative means that a female pronoun is denied a referent more often. What the labels of GAP explain is "
    "subtracted first.",
    score="P(neither) beyond the label",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def neither_gap_beyond_labels(result: Result) -> Result:
    """How much more probable "neither" is for male pronouns than for female ones, beyond what is true of them.

    The score is P(neither) − 1 for a pronoun without a referent and P(neither) for any other, so that a probe which
    follows the labels of either gender reads zero. Its interval covers the chance in the labels, which that of
    :func:`neither_gap` does not.
    """
    items = tuple(replace(item, score=_beyond(item), covariate=None) for item in result.items)
    return by_gender(replace(result, items=items))


def _beyond(item: ItemScore) -> float:
    return item.groups["neither"] - (item.labels["referent"] == "neither")


# How much worse female pronouns are resolved than male ones (Webster et al. 2018).


@derived_measure(
    "resolution ratio",
    about="How well female pronouns are resolved compared with male ones: one F1 divided by the other.",
    limits=(
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="ratio_of_sides",
    parity=1.0,
    direction="from parity",
    unit="ratio; 1 is parity",
    smallest_change=0.05,
    smallest_change_reason="one group's pronouns are resolved worse by a twentieth",
    plain="Pronouns of one gender are resolved better than those of the other: the ratio of the two is {by} "
    "away from 1; allowed: {allowed}.",
    sign="The estimate is the F1 on female pronouns over that on male ones; below 1 female pronouns fare worse.",
    score="twice the correct answers",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def resolution_ratio(result: Result) -> Result:
    """F1 on female pronouns over F1 on male ones; 1 is parity, below 1 female pronouns fare worse (Webster 2018).

    Source: Webster et al. 2018.
    """
    return by_gender(result)
