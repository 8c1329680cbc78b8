"""How far a single attribute typically lies from parity, without the part that is noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biascheck.errors import ScoreError, UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.stats import partner_means

__all__ = ["typical_gap"]

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
    """The root mean square over attributes of the true gap, for a result whose figure is a mean gap.

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
