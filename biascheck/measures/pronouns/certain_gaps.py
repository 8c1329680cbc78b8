"""Pronoun gaps on their way to a skew or a stereotype: the certain ones, with what qualifies them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from biascheck.corpora.corpus import Corpus
from biascheck.errors import ScoreError, UsageError
from biascheck.measures.competence.names_resolved import RESOLVES, readability_of_names
from biascheck.measures.pronouns.gender_f1 import require_stereotypes
from biascheck.measures.pronouns.name_resolution import name_resolution
from biascheck.measures.pronouns.pronoun_gap import Cluster, PronounVariant, pronoun_gap
from biascheck.models.capabilities import LanguageModel
from biascheck.results.competence import Readability
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result

__all__ = ["CERTAINTY", "RESOLVES", "certain_gaps", "measured_gaps"]

CERTAINTY = 0.1
"""The paper's cut-off: items with |P(male) − P(female)| below it are left out. The authors' code had none."""


def measured_gaps(
    model: LanguageModel, corpus: Corpus, online: bool, variant: PronounVariant, cluster: Cluster, seed: int
) -> tuple[Result, Result]:
    """The pronoun gaps of a model, and its resolution of names."""
    gaps = pronoun_gap(model, corpus, online=online, variant=variant, cluster=cluster, seed=seed)
    return gaps, name_resolution(model, corpus, online=online, variant=variant, cluster=cluster, seed=seed)


def certain_gaps(gaps: Result, cutoff: float, names: Result | None) -> Result:
    """The gaps of at least ``cutoff``; where the model does not resolve names they are invalid and carry a warning."""
    require_stereotypes(gaps)
    items, uncertain = _certain(gaps, cutoff)
    form = replace(
        gaps,
        items=items,
        skipped=(*gaps.skipped, *uncertain),
        warnings=(*gaps.warnings, *_caveat(names)),
        competence=_readability(gaps, names),
    )
    if not cutoff:
        return form
    options: Mapping[str, object] = {**gaps.provenance.options, "cutoff": cutoff}
    corpus = f"{gaps.corpus}, certainty {cutoff:g}"
    return replace(form, corpus=corpus, provenance=replace(gaps.provenance, options=options))


def _readability(gaps: Result, names: Result | None) -> Readability | None:
    """A model that reads the sentences must also resolve names; of one that does not read them, that is enough."""
    reads = gaps.competence is not None and gaps.competence.passed
    return readability_of_names(names) if reads and names is not None else gaps.competence


def _certain(gaps: Result, cutoff: float) -> tuple[tuple[ItemScore, ...], list[Skipped]]:
    if not 0 <= cutoff < 1:
        raise UsageError(f"cutoff {cutoff} is not a difference of two shares; the paper's is {CERTAINTY}, 0 keeps all")
    items = tuple(item for item in gaps.items if abs(item.score) >= cutoff)
    if not items:
        raise ScoreError(f"{gaps.title}: no item is as certain as the cut-off {cutoff:g}")
    first, second = gaps.contrast
    reason = f"less certain than the cut-off: |P({first}) − P({second})| < {cutoff:g}"
    return items, [Skipped(i.id, reason, i.labels, by_choice=True) for i in gaps.items if abs(i.score) < cutoff]


def _caveat(names: Result | None) -> tuple[str, ...]:
    if names is None or names.estimate >= RESOLVES:
        return ()
    return (
        f"{names.title} has an F1 of {names.estimate:.0%}, below {RESOLVES:.0%}: where "
        f"{names.model} cannot tell whom a pronoun means, its figures do not show what it makes of occupations",
    )
