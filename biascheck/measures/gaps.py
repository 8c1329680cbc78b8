"""Gaps summarised by attribute, without their sign, as the typical gap of an attribute, or as a share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora.corpus import Corpus
from biascheck.measures.association import association
from biascheck.measures.measure import derived_measure, draft, measure
from biascheck.models.base import LanguageModel
from biascheck.models.scoring.queries import MultiToken
from biascheck.results.items import ItemScore
from biascheck.results.key import Label
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import partner_means

# Items folded by attribute: one score for each profession, trait or word.


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
        raise UsageError(f"the items of {name!r} do not agree on {covariate}; give every attribute one value")
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


# The mean size of gaps, regardless of sign.


@derived_measure(
    "absolute gap",
    about="How large the gaps of another measure are on average, whatever their sign.",
    limits=(
        "Biased upwards: never below zero, and noise alone lifts it. Compare it before and after; for a bound use the "
        "typical gap, from which the noise is removed.",
        "It does not say which group the gaps favour.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    plain="A single text typically differs by {by} between the groups, in one direction or the other; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean size of the gaps, whatever their sign; zero is parity.",
)
def absolute_gap(result: Result) -> Result:
    """The mean of |gap| over the items of a result whose estimate is a mean gap.

    Gaps of both signs do not cancel here: nurses towards women and plumbers towards men average to zero, but
    their gaps are large. It is biased upwards: a magnitude is never below zero, so noise alone lifts it, also at
    parity. Compare it before and after (after Bartl et al. 2020, §5); to keep it below a bound, use
    :func:`~biascheck.measures.typical_gap.typical_gap`.
    """
    if result.statistic not in ("mean", "mean_absolute"):
        raise UsageError(
            f"{result.title} is a {result.statistic.replace('_', ' ')}, not a mean of gaps, so its gaps have no mean "
            "size; pass the result of association, pronoun_gap or sentiment_delta"
        )
    options = {"of": result.measure, **result.provenance.options}
    return replace(result, provenance=replace(result.provenance, options=options))


# The typical distance of a single attribute from parity, without the part that is noise.

MOST_NAMED = 3


@derived_measure(
    "typical gap",
    about="How far a single attribute (a profession, a trait) typically lies from parity in another measure: the root "
    "mean square of the attributes' gaps, with the noise of templates and target words removed.",
    limits=(
        "It does not say which group the gaps favour, nor which attributes: look at them.",
        "A few attributes far from parity and many a little way off can give the same figure.",
        "All attributes share templates and target words; the interval does not cover what other sentences would say.",
        "Each attribute needs two items that share neither template nor target words.",
    ),
    statistic="rms_gap",
    direction="upwards",
    plain="A single word asked about, such as a job or a trait, typically shifts the balance between the groups by "
    "{by}, in one direction or the other; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the typical size of an attribute's gap, whatever its sign; zero is parity.",
)
def typical_gap(result: Result) -> Result:
    """The root mean square over attributes of the true gap, for a result whose estimate is a mean gap.

    Gaps of both signs do not cancel here, as they do in a mean, and noise does not lift it, as it does a mean of
    magnitudes. With x_i the gap of item i of attribute a, and j its partners::

        q_a = mean over i of x_i · (mean over its partners j of x_j)        typical gap = √(mean over a of q_a)

    A product of two readings of one gap is on average its square, if their errors are independent; a square would be
    too large by the variance of the error. The *partners* of an item are the items of the same attribute with which
    it shares no label that varies within the attribute: neither the template nor the pair of target words. An offset
    of "my aunt" next to "engineer" recurs in all templates. It belongs to that pair of words and not to the
    profession, but the plain mean over all i ≠ j would count it: with crossed offsets of 0.5 it reads 0.26 on a model
    at parity (5 templates, 9 pairs), where this one reads 0. If no item differs in all labels, all others are
    partners. A mean of q_a below zero reads as 0.

    The interval is that of the mean of q_a over attributes, and its ends' roots, cut off at 0. The figure is only bad
    when large: keep it below a bound.
    """
    if result.statistic not in ("mean", "mean_absolute", "rms_gap"):
        raise UsageError(
            f"{result.title} is a {result.statistic.replace('_', ' ')}, not a mean of gaps, so its gaps have no "
            "typical size; pass the result of association, pronoun_gap or sentiment_delta"
        )
    clusters: dict[str, list[ItemScore]] = {}
    for item in result.items:
        clusters.setdefault(item.cluster, []).append(item)
    _require_two(result, clusters)
    seconds = {item.id: second for items in clusters.values() for item, second in _with_partners(items)}
    items = tuple(replace(item, covariate=seconds[item.id]) for item in result.items)
    options = {"of": result.measure, **result.provenance.options}
    return replace(result, items=items, provenance=replace(result.provenance, options=options))


def _with_partners(items: Sequence[ItemScore]) -> list[tuple[ItemScore, float]]:
    names = sorted({name for item in items for name in item.labels})
    labels = [[item.labels.get(name) for name in names] for item in items]
    means = partner_means([item.score for item in items], labels)
    return list(zip(items, means.tolist(), strict=True))


def _require_two(result: Result, clusters: dict[str, list[ItemScore]]) -> None:
    single = sorted(name for name, items in clusters.items() if len(items) < 2)
    if single:
        raise ScoreError(
            f"{result.title}: {len(single)} of {len(clusters)} attributes have a single item "
            f"({', '.join(single[:MOST_NAMED])}{', …' if len(single) > MOST_NAMED else ''}), which does not tell a gap "
            "from noise; measure each attribute in two templates and with two pairs of target words"
        )


# Share of attributes that lean to the first group (Kurita et al. 2019, §5, Table 5).


@measure(
    "positive share",
    version=1,
    about="The share of attributes that lean towards the first group; one half is parity.",
    limits=(
        "It counts directions and ignores sizes: a tiny gap in the same direction everywhere reads as 1. Read it "
        "beside the mean gap.",
        "The attributes of a list are a sample of nothing but that list.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one attribute in twenty changes sides",
    scale="share",
    plain="More of the words asked about lean towards {towards} words than towards {away} ones: {by} away from one "
    "half; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the share of attributes with a positive gap; 0.50 is parity, above it more attributes lean towards {first} than "
    "towards {second}.",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
    competence="reading",
)
def positive_share(
    model: LanguageModel,
    corpus: Corpus,
    *,
    contrast: tuple[str, str] | None = None,
    multi_token: MultiToken = "joint",
    seed: int = 0,
) -> Result:
    """The share of attributes whose mean association gap is positive; one half is parity.

    An attribute whose gap is exactly zero counts one half, so that a model without any preference
    reads 0.5. For gender, above 0.5 means that most attributes lean towards male. The interval is Wilson's.

    ``employment(kind)`` gives corpora with built-in word lists (``titles``, ``positive_traits``, ``negative_traits``,
    ``skills``); ``biascheck.corpora.published_employment`` reads the published ones. A model with random weights whose
    gaps are all −0.004 reads as 0.

    Source: Kurita et al. 2019, §5, Table 5.
    """
    gaps = association(model, corpus, contrast=contrast, multi_token=multi_token, seed=seed)
    form = draft(
        model,
        corpus,
        means_of_attributes(gaps.items),
        gaps.skipped,
        contrast=gaps.contrast,
        seed=seed,
        unit="attributes",
    )
    return summarise(form)
