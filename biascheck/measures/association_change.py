"""How far the associations of one gender moved through fine-tuning (Bartl et al. 2020, Table 3, H3)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["association_change"]


@derived_measure(
    "association change",
    about="How far the associations of one group's words moved between two models, in natural log units.",
    limits=(
        "A mean near zero can hide associations that rose and others that fell.",
        "Both models are asked about the same sentences; it says nothing about others.",
    ),
    direction="from parity",
    unit="natural log units: +0.69 means that the profession raises the group's words twice as much as before",
    smallest_change=0.095,
    smallest_change_reason="the probability of the group's words changes by a tenth: ln 1.1",
    scale="log-odds",
    plain="On average the words of {first} moved by {by} through the change of the model; allowed: {allowed}.",
    sign="A change is after minus before, for the words of {first}: positive rose, negative fell. The estimate is the "
    "mean change; zero is no change.",
    paper="bartl2020",
    made_from=("association",),
)
def association_change(before: Result, after: Result, *, person: str) -> Result:
    """The mean of association(after) − association(before) of one group's words, item by item.

    Hypothesis H3 of Bartl et al. says of either gender that its associations with balanced professions do not change
    much; the gap between the genders says nothing about that, as both may move together.
    :func:`assert_within_margin` judges it.
    """
    if before.provenance.corpus_fingerprint != after.provenance.corpus_fingerprint:
        raise UsageError(f"{before.title} and {after.title} are of different corpora; measure both on the same")
    if person not in before.items[0].groups:
        raise UsageError(f"{before.title}: groups are {sorted(before.items[0].groups)}, not {person!r}")
    later = {item.id: item.groups[person] for item in after.items}
    items = tuple(
        replace(item, score=later[item.id] - item.groups[person], groups={}, side=None)
        for item in before.items
        if item.id in later
    )
    if not items:
        raise UsageError(f"{after.title} has none of the pairs of {before.title}; measure the same corpus twice")
    return replace(after, items=items, contrast=(person, ""), attachments=())
