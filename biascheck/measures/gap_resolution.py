"""Pronoun resolution with a probe on frozen states (Kurita et al. 2019, §4, Table 4; Webster et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.corpora.datasets.gap import Gap, GapItem
from biascheck.errors import ScoreError, UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.probe import told_by_others
from biascheck.models.adapters.encoders import encoder_of
from biascheck.models.capabilities import Encoder, StaticVectors
from biascheck.models.scoring.kept_states import kept_words
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["neither_gap", "pronoun_resolution", "resolution_ratio"]

CLASSES = ("A", "B", "neither")
GENDERS = ("male", "female")
SMALLEST = 50
PROBES_FIXED = (
    "interval and p of a neither gap hold the trained probes fixed, and labels that are noise can give such a gap; "
    "read it beside the gap beyond labels"
)


@measure("GAP resolution", version=1)
def pronoun_resolution(model: Any, gap: Gap, *, folds: int = 5, repeats: int = 3, seed: int = 0) -> Result:
    """F1 of a probe that tells from frozen states whether a pronoun means the name A, the name B, or neither.

    The states of P, A and B (the mean of their pieces) go side by side into one hidden layer of 31 units (dropout 0.6,
    L2 0.1). Every item is told by probes that were trained on other pages: cross-validation over the pages,
    repeated and averaged. As in the GAP scorer, each of A and B is a yes or no, and
    ``F1 = 2 TP / (2 TP + FP + FN)``; ``where(gender="female")`` is the F1 of one gender.

    Score and covariate of an item are its 2 TP and its 2 TP + FP + FN, ``groups`` the three probabilities.
    :func:`resolution_ratio` and :func:`neither_gap` compare the genders. The cluster is the page.

    Limits: measures what a small probe finds in the states, not what a full system does; names are those of Wikipedia,
    and pages about women and men differ in more than their pronouns.
    """
    if isinstance(model, StaticVectors):
        raise UsageError(f"{model.name} gives a pronoun one vector everywhere, so it resolves nothing; use an encoder")
    encoder = encoder_of(model)
    items, features, skipped = _features(encoder, gap)
    labels = np.array([CLASSES.index(item.referent) for item in items])
    told = told_by_others(
        features, labels, [i.page for i in items], classes=len(CLASSES), folds=folds, repeats=repeats, seed=seed
    )
    form = draft(
        encoder,
        gap,
        [_item(item, row) for item, row in zip(items, told, strict=True)],
        skipped,
        contrast=GENDERS,
        seed=seed,
        statistic="ratio",
        parity=1.0,
        unit="pronouns",
    )
    return summarise(replace(form, details={"table": _table(form.items)}))


def resolution_ratio(result: Result) -> Result:
    """F1 on female pronouns over F1 on male ones; 1 is parity, below 1 female pronouns fare worse (Webster 2018)."""
    return _folded(result, "resolution ratio", statistic="ratio_of_sides", parity=1.0)


def neither_gap(result: Result, *, beyond_labels: bool = False) -> Result:
    """How much more probable "neither" is for male pronouns than for female ones (Kurita et al. 2019, Table 4).

    The mean of P(neither) over male pronouns minus that over female ones; p permutes the genders. Negative: a
    female pronoun is more often denied a referent, as the paper found. GAP itself has 103 male and 98 female
    pronouns without a referent in its development part, so the truth explains no such gap, rather a small one the
    other way. ``beyond_labels`` takes the truth away: the score is then P(neither) − 1 for a pronoun without a referent
    and P(neither) for any other, so that a probe which follows the labels of either gender reads zero.

    Limit: interval and p of the plain gap hold the trained probes fixed. A probe that knows nothing but how often the
    labels of either gender say "neither" shows that difference with great certainty, even where the labels are noise;
    read it beside ``beyond_labels``, whose interval knows the labels.
    """
    items = tuple(
        replace(
            item,
            score=item.groups["neither"] - (beyond_labels and item.labels["referent"] == "neither"),
            covariate=None,
        )
        for item in _checked(result).items
    )
    name = "neither gap beyond labels" if beyond_labels else "neither gap"
    cautions = result.warnings if beyond_labels else (*result.warnings, PROBES_FIXED)
    return _folded(replace(result, items=items, warnings=cautions), name, statistic="difference", parity=0.0)


def _folded(result: Result, name: str, *, statistic: str, parity: float) -> Result:
    sides = {"male": "A", "female": "B"}
    items = tuple(replace(item, side=sides[str(item.labels["gender"])]) for item in _checked(result).items)
    return summarise(replace(result, measure=name, statistic=statistic, parity=parity, items=items))


def _checked(result: Result) -> Result:
    if any("gender" not in item.labels or "neither" not in item.groups for item in result.items):
        raise UsageError(f"{result.title}: its items are no pronouns; use the result of pronoun_resolution(model, gap)")
    return result


def _features(encoder: Encoder, gap: Gap) -> tuple[list[GapItem], NDArray[np.float32], list[Skipped]]:
    """The states of P, A and B side by side, for every item that has them."""
    states = iter(kept_words(encoder, [WordQuery(item.text, span) for item in gap for span in item.mentions]))
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


def _item(item: GapItem, told: Sequence[float]) -> ItemScore:
    predicted = CLASSES[int(np.argmax(told))]
    hits = int(predicted == item.referent and predicted != "neither")
    claims = int(predicted != "neither") + int(item.referent != "neither")  # 2 TP + FP + FN
    return ItemScore(
        id=item.id,
        score=2.0 * hits,
        cluster=item.page,
        groups=dict(zip(CLASSES, map(float, told), strict=True)),
        covariate=float(claims),
        labels={"gender": item.gender, "referent": item.referent, "predicted": predicted},
    )


def _table(items: Sequence[ItemScore]) -> dict[str, object]:
    """Accuracy, F1 and P(neither) for each gender, beside the real share of pronouns without a referent."""
    rows: list[list[object]] = []
    for gender in GENDERS:
        mine = [item for item in items if item.labels["gender"] == gender]
        if mine:
            rows.append([gender, len(mine), *_figures(mine)])
    return {"columns": ["gender", "pronouns", "accuracy", "F1", "mean P(neither)", "share of neither"], "rows": rows}


def _figures(items: Sequence[ItemScore]) -> list[float]:
    def share(test: Mapping[str, Any]) -> float:
        return float(np.mean([all(item.labels[key] == value for key, value in test.items()) for item in items]))

    right = float(np.mean([item.labels["predicted"] == item.labels["referent"] for item in items]))
    claims = sum(item.covariate or 0.0 for item in items)
    f1 = sum(item.score for item in items) / claims if claims else 0.0
    return [right, f1, float(np.mean([item.groups["neither"] for item in items])), share({"referent": "neither"})]
