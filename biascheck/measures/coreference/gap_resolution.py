"""Pronoun resolution with a probe on frozen states (Kurita et al. 2019, §4, Table 4; Webster et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.corpora.datasets.gap import Gap, GapItem
from biascheck.errors import ScoreError
from biascheck.measures.coreference.probe import predicted_by_others
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.models.adapters.encoders import encoder_of
from biascheck.models.capabilities import Encoder
from biascheck.models.scoring.kept_states import cached_states
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["CLASSES", "GENDERS", "by_gender", "gap_resolution"]

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
    """F1 of a probe that tells from frozen states whether a pronoun means the name A, the name B, or neither.

    The states of P, A and B (the mean of their tokens) go side by side into one hidden layer of 31 units (dropout 0.6,
    L2 0.1). Every item is predicted by probes that were trained on other pages: cross-validation over the pages,
    repeated and averaged. As in the GAP scorer, each of A and B is a yes or no, and
    ``F1 = 2 TP / (2 TP + FP + FN)``; ``where(gender="female")`` is the F1 of one gender.

    Score and covariate of an item are its 2 TP and its 2 TP + FP + FN, ``groups`` the three probabilities.
    :func:`resolution_ratio` and :func:`neither_gap` compare the genders. The cluster is the page. Hidden states are
    kept on disk beside the cached results.
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
    """The states of P, A and B side by side, for every item that has them."""
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
