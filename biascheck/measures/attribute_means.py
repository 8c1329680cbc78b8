"""Items folded by attribute: one score for each profession, trait or word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biascheck.errors import UsageError
from biascheck.results.items import ItemScore, Label

__all__ = ["means_of_attributes"]


def means_of_attributes(items: Sequence[ItemScore], covariate: str | None = None, by: str = "") -> list[ItemScore]:
    """One item for each cluster, its scores the means over templates and targets.

    Labels on which all items of the cluster agree are kept; ``covariate`` names the label that becomes
    the new item's covariate. ``by`` names a label to gather by instead of the cluster.
    """
    clusters: dict[str, list[ItemScore]] = {}
    for item in items:
        clusters.setdefault(str(item.labels.get(by, item.cluster)), []).append(item)
    return [_mean(name, members, covariate) for name, members in clusters.items()]


def _mean(name: str, members: Sequence[ItemScore], covariate: str | None) -> ItemScore:
    labels = _shared_labels(members)
    if covariate is not None and covariate not in labels:
        raise UsageError(f"the items of {name!r} do not agree on {covariate}; give every attribute one figure")
    side = labels.get("side")
    return ItemScore(
        id=name,
        score=float(np.mean([m.score for m in members])),
        cluster=name,
        groups={group: float(np.mean([m.groups[group] for m in members])) for group in members[0].groups},
        side=None if side is None else str(side),
        covariate=None if covariate is None else float(labels[covariate]),
        labels=labels,
        sentences=members[0].sentences,
    )


def _shared_labels(members: Sequence[ItemScore]) -> dict[str, Label]:
    first = members[0].labels
    return {key: value for key, value in first.items() if all(m.labels.get(key) == value for m in members)}
