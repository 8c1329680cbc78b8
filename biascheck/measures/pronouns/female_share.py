"""How often the pronoun of a person is female (Manela et al. 2021, §4.4, Table 3)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.rewriting.entities import with_persons
from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.pronoun_gap import Cluster, PronounVariant, pronoun_gap
from biascheck.models.capabilities import LanguageModel
from biascheck.results.result import Result

__all__ = ["female_share"]


@derived_measure(
    "female share",
    about="The share of sentences about a person in which the female pronoun is the more probable one; one half is "
    "parity. No profession is named.",
    limits=(
        "It counts predictions: a pronoun at 51 % weighs as much as one at 99 %.",
        "The classes of a corpus differ in their words, not only in competence.",
        "A class of 22 sentences leaves an interval of ± 0.2.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one item in twenty changes sides",
    scale="share",
    plain="The more probable pronoun is {towards} more often than {away}: {by} away from one half; allowed: {allowed}.",
    sign="A gap is {first} minus {second}. The estimate is the share of sentences with a positive gap; 0.50 is parity, "
    "above it the pronoun is more often {first}.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
)
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
    ``result.where(competency="competent")``, as in the paper's Table 3. ``competency()`` has 66 labelled sentences of
    our own; ``rated_competency(corpus, file)`` labels any corpus from a file with a column for each rater, by
    majority, ties left out, and says how far the raters agree.
    """
    gaps = pronoun_gap(model, with_persons(corpus), online=online, variant=variant, cluster=cluster, seed=seed)
    items = tuple(replace(item, score=-item.score, side=None) for item in gaps.items)
    first, second = gaps.contrast
    labelled = all("competency" in item.labels for item in items)
    named_by = "competency" if labelled else gaps.named_by
    return replace(gaps, items=items, contrast=(second, first), unit="sentences", named_by=named_by)
