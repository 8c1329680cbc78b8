"""The result of a measurement: item scores, their estimate, and the provenance of both.

A result contains everything needed to gate it, plot it or summarise a part of it again without a model.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.wording import decimals_for, escape_control, format_number, interval_text, level_text, signed
from biascheck.results.attachments import AnyAttachment, gathered
from biascheck.results.definition import UNDESCRIBED, Description, Readability
from biascheck.results.items import ItemScore, Skipped, clusters_of, gathered_items, names_of, sample_of, scores_of
from biascheck.results.key import Label, ResultKey, Slice, canonical, corpus_label, model_label, sliced
from biascheck.stats import Interval, Sample

if TYPE_CHECKING:
    from pandas import DataFrame


# The notebook view of a result: a small table for light and dark themes, without scripts and requests.

LEFT = 'style="text-align:left"'


def result_html(result: Result) -> str:
    """The estimate with its interval, parity, size and the largest gaps; skipped items and caveats included."""
    rows = "".join(
        f"<tr><th {LEFT}>{_cell(name)}</th><td {LEFT}>{_cell(text)}</td></tr>" for name, text in _rows(result)
    )
    return f"<table><caption {LEFT}><b>{_cell(result.title)}</b></caption><tbody>{rows}</tbody></table>"


def _rows(result: Result) -> Iterator[tuple[str, str]]:
    decimals = decimals_for(result.interval, result.estimate, (result.parity,))
    yield "estimate", format_number(result.estimate, decimals)
    if result.interval is None:
        yield "interval", "none: too few clusters"
    else:
        yield f"{level_text(result.interval.level)} interval", interval_text(result.interval, decimals)
    yield "parity", format_number(result.parity)
    if result.description.sign:
        first, second = result.contrast
        yield "sign", result.description.sign.replace("{first}", first).replace("{second}", second)
    if contributors := result.top_contributors(5):
        yield "largest", ", ".join(map(str, contributors))
    yield "size", f"{result.n:,} {result.unit}, {result.clusters:,} clusters, seed {result.seed}"
    yield from _doubts(result)


def _doubts(result: Result) -> Iterator[tuple[str, str]]:
    if result.skipped:
        yield "skipped", f"{len(result.skipped):,}, e.g. {result.skipped[0].reason}"
    if result.competence is not None and not result.competence.passed:
        yield "invalid", f"{result.model_label} {result.competence.lack}: {result.competence.finding}"
    for warning in result.warnings:
        yield "caution", warning


def _cell(text: str) -> str:
    return escape(escape_control(text))


NO_CONTRIBUTORS = ("ratio", "ratio_of_sides", "difference")


@dataclass(frozen=True)
class Provenance:
    """The provenance of a result. Equal fingerprints and options mean equal scores.

    ``model`` describes the model to a reader (architecture, tokenizer, precision); the fingerprint identifies it.
    """

    measure_version: int
    variant: str
    model_fingerprint: str
    corpus_fingerprint: str
    options: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    model: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contributor:
    """A cluster and the mean gap of its items."""

    name: str
    gap: float

    def __str__(self) -> str:
        return f"{self.name} {signed(self.gap)}"


@dataclass(frozen=True)
class Result:
    """The outcome of one measure on one model and one corpus.

    ``estimate`` is ``statistic`` of the item scores (see :mod:`biascheck.stats`), ``parity`` the value
    it has when the groups are treated alike, ``interval`` a cluster bootstrap, or ``None`` where the
    sample is too small for one. For gaps the sign follows ``contrast``: first minus second. ``named_by`` is
    the label by which findings name the top contributors, if that is not the cluster. ``model`` and ``corpus``
    are display names; ``treatment`` is what was done to the model, ``slice`` the part of the corpus. The identity of a
    result is its :attr:`key`. ``several_groups`` says whether the corpus has more groups than the two contrasted.
    ``competence`` is whether the model can do the task; ``None`` where that was not checked.
    """

    measure: str
    model: str
    corpus: str
    statistic: str
    estimate: float
    interval: Interval | None
    n: int
    clusters: int
    seed: int
    contrast: tuple[str, str]
    provenance: Provenance
    items: Sequence[ItemScore]
    skipped: tuple[Skipped, ...] = ()
    parity: float = 0.0
    p: float | None = None
    effect_size: float | None = None
    unit: str = "items"
    warnings: tuple[str, ...] = ()
    named_by: str = ""
    description: Description = UNDESCRIBED
    treatment: tuple[str, ...] = ()
    slice: Slice = ()
    several_groups: bool = False
    attachments: tuple[AnyAttachment, ...] = ()
    competence: Readability | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", gathered_items(self.items))
        for name in ("estimate", "parity", "p", "effect_size"):
            value = getattr(self, name)
            if value is not None and not isfinite(value):
                raise ScoreError(f"{self.title}: {name} is {value}; only finite numbers are allowed")

    @property
    def key(self) -> ResultKey:
        """The identity of this result, by which it is joined, deduplicated, compared and updated."""
        origin = self.provenance
        return ResultKey(
            measure=self.measure,
            version=origin.measure_version,
            statistic=self.statistic,
            model=origin.model_fingerprint,
            treatment=self.treatment,
            corpus=origin.corpus_fingerprint,
            slice=self.slice,
            contrast=self.contrast,
            options=canonical(dict(origin.options)),
        )

    @property
    def title(self) -> str:
        """The measure, the model and the corpus in one phrase, for display."""
        return f"{self.measure} on {self.model_label} × {self.corpus_label}"

    @property
    def model_label(self) -> str:
        """The model and its treatment, for display."""
        return model_label(self.model, self.treatment)

    @property
    def corpus_label(self) -> str:
        """The corpus, its part and, among more than two groups, the contrast, for display."""
        obvious = self.contrast[1] and not self.several_groups
        return corpus_label(self.corpus, self.slice, None if obvious else self.contrast)

    @property
    def inability(self) -> str:
        """What the model cannot do, with the numbers; empty if it can, or if that was not checked."""
        return "" if self.competence is None else self.competence.inability(self.model_label)

    @property
    def sample(self) -> Sample:
        """The item scores as the arrays that the statistics use."""
        return sample_of(self.items)

    def where(self, **labels: Label) -> Result:
        """Summarise only the items that carry all these labels."""
        from biascheck.results.summaries import summarise

        items = gathered_items(item for item in self.items if _carries(item.labels, labels))
        if not items:
            known = {key: sorted({str(item.labels.get(key)) for item in self.items})[:10] for key in labels}
            raise UsageError(f"{self.title}: no item has {labels}; values present: {known}")
        skipped = tuple(skip for skip in self.skipped if _carries(skip.labels, labels))
        return summarise(replace(self, slice=sliced(self.slice, labels), items=items, skipped=skipped))

    def between(self, first: str, second: str) -> Result:
        """Summarise the gap between two other groups of the same items."""
        from biascheck.results.summaries import summarise

        self._require_own_scores("between")
        known = self.items[0].groups
        if first not in known or second not in known:
            raise UsageError(f"{self.title}: groups are {sorted(known)}, not {first!r} and {second!r}")
        items = gathered_items(replace(i, score=i.groups[first] - i.groups[second]) for i in self.items)
        return summarise(replace(self, contrast=(first, second), items=items))

    def of_group(self, group: str) -> Result:
        """Summarise the scores of one group by themselves, instead of the gap between two."""
        from biascheck.results.summaries import summarise

        self._require_own_scores("of_group")
        if group not in self.items[0].groups:
            raise UsageError(f"{self.title}: groups are {sorted(self.items[0].groups)}, not {group!r}")
        items = gathered_items(replace(item, score=item.groups[group]) for item in self.items)
        return summarise(replace(self, contrast=(group, ""), items=items))

    def _require_own_scores(self, method: str) -> None:
        """Raise an error for new scores of items whose covariate was computed from the present ones."""
        if self.statistic == "rms_gap":
            raise UsageError(f"{self.title}: call {method} on the result that {self.measure} was made from")

    def with_attachments(self, *attachments: AnyAttachment) -> Result:
        """The result with one more attachment; existing ones stay."""
        return replace(self, attachments=gathered(self.attachments, attachments))

    def interval_at(self, level: float) -> Interval | None:
        """The interval at another level, from the same seed."""
        from biascheck.results.summaries import interval_of

        return interval_of(self.items, self.statistic, seed=self.seed, level=level)

    def name_of(self, item: ItemScore) -> str:
        """The subject of an item: its label ``named_by``, or else its cluster."""
        return str(item.labels[self.named_by]) if self.named_by in item.labels else item.cluster

    def to_frame(self) -> DataFrame:
        """The items as a pandas data frame: one row per item, one column for each group and label."""
        from pandas import DataFrame

        rows = [
            {"id": item.id, "score": item.score, "cluster": item.cluster, **item.groups, **item.labels}
            for item in self.items
        ]
        return DataFrame(rows).set_index("id")

    def _repr_html_(self) -> str:
        """The notebook view of a result: the estimate, its finding, and the top contributors."""
        return result_html(self)

    def top_contributors(self, count: int = 3) -> tuple[Contributor, ...]:
        """The top contributors to the estimate, with their mean gaps: the largest gaps first.

        For a skew these are the largest gaps in the direction of the mean gap, for a stereotype those
        that lie furthest from it on their own side. A ratio of sums or a difference of means has none, as its item
        scores are not gaps.
        """
        if self.statistic in NO_CONTRIBUTORS:
            return ()
        scores: dict[str, array[float]] = {}
        sides: dict[str, str | None] = {}
        columns = names_of(self.items, self.named_by), scores_of(self.items), clusters_of(self.items)
        for name, score, (_, side) in zip(*columns, strict=True):
            scores.setdefault(name, array("d")).append(score)
            sides.setdefault(name, side)
        centre = float(self.sample.values.mean())
        ranked = []
        for name, found in scores.items():
            gap = float(np.mean(found))
            ranked.append((_pull(self.statistic, gap, centre, sides[name]), Contributor(name, gap)))
        ranked.sort(key=lambda entry: (-entry[0], entry[1].name))
        return tuple(contributor for pull, contributor in ranked[:count] if pull >= 0)


def _pull(statistic: str, gap: float, centre: float, side: str | None) -> float:
    """The distance by which a mean gap pulls the estimate away from parity; negative if it pulls it back."""
    if statistic == "skew":
        return gap if centre >= 0 else -gap
    if statistic == "stereotype":
        return gap - centre if side == "A" else centre - gap
    return abs(gap)


def _carries(have: Mapping[str, Label], wanted: Mapping[str, Label]) -> bool:
    return all(have.get(key) == value for key, value in wanted.items())
