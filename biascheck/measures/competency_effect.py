"""Whether competence moves the pronoun (Manela et al. 2021, §4.4, Table 3)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.rewriting.entities import with_persons
from biascheck.errors import UsageError
from biascheck.measures.pronoun_gap import Cluster, PronounVariant, pronoun_gap
from biascheck.models.capabilities import LanguageModel
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["competency_effect", "female_share"]

SIDES = {"competent": "A", "incompetent": "B"}


def female_share(
    model: LanguageModel,
    corpus: Corpus,
    *,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """The share of sentences in which the female pronoun is the more probable; one half is parity.

    Both people become "the person", so that no occupation can decide. The score of an item is ``P(female) −
    P(male)``. On a corpus with the label ``competency``, take the shares of its classes with
    ``result.where(competency="competent")``, as in the paper's Table 3.

    Limits: the classes differ in their words, not only in competence; a class of 22 sentences leaves an
    interval of ± 0.2.
    """
    gaps = pronoun_gap(model, with_persons(corpus), online=online, variant=variant, cluster=cluster, seed=seed)
    items = tuple(replace(item, score=-item.score, side=None) for item in gaps.items)
    first, second = gaps.contrast
    form = replace(gaps, measure="female share", statistic="share_positive", parity=0.5, items=items)
    labelled = all("competency" in item.labels for item in items)
    named_by = "competency" if labelled else gaps.named_by
    return summarise(replace(form, contrast=(second, first), unit="sentences", named_by=named_by))


def competency_effect(shares: Result) -> Result:
    """How much more female the pronouns of competent people are than those of incompetent ones.

    The effect size d of ``P(female) − P(male)`` between the two classes of a :func:`female_share` result, in
    standard deviations: positive where competence makes the pronoun more female, negative where more male.
    """
    items = tuple(
        replace(item, side=SIDES[str(item.labels["competency"])])
        for item in shares.items
        if item.labels.get("competency") in SIDES
    )
    if {item.side for item in items} != {"A", "B"}:
        raise UsageError(
            f"{shares.title}: its items are not labelled competent and incompetent; use competency() or "
            "rated_competency(corpus, file)"
        )
    form = replace(shares, measure="competency effect", statistic="standardised_difference", parity=0.0, items=items)
    return summarise(form)
