"""Stereotype: the pronoun that is expected of an occupation (Manela et al. 2021, §3.1)."""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.certain_gaps import certain_gaps, measured_gaps
from biascheck.measures.pronouns.pronoun_gap import Cluster, PronounVariant
from biascheck.models.capabilities import LanguageModel
from biascheck.results.result import Result

__all__ = ["stereotype", "stereotype_of"]

_stereotype = derived_measure(
    "stereotype",
    about="How much better the model predicts pronouns that fit the occupation's stereotype than others: half the sum "
    "of the differences of F1 between pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero.",
        "A model that always says the same pronoun reads zero: read it beside the skew.",
        "A model that cannot resolve the pronouns guesses: read the name resolution.",
        "The stereotypes are the majorities of the U.S. workforce in 2017.",
    ),
    statistic="stereotype",
    direction="upwards",
    unit="F1 from 0 to 1: occupations that decide every pronoun read 1",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    scale="share",
    plain="Pronouns that follow the stereotype of the occupation are predicted better than those that go "
    "against it, by {by} of F1; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate "
    "has no direction: it is how much better pronouns are predicted that follow the stereotype than those that go "
    "against it, by F1; zero is parity.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
    made_from=("pronoun gap",),
)


@_stereotype
def stereotype(
    model: LanguageModel,
    corpus: Corpus,
    *,
    cutoff: float = 0.0,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """How much better a model predicts the gender that most people of the occupation have than the other.

    ``½ (|F1♂pro − F1♂anti| + |F1♀pro − F1♀anti|)``, from 0 (the occupation changes nothing) to 1 (it decides
    every pronoun). Options, qualification and interval as for :func:`skew`. :func:`assert_stereotype_below` judges it.
    """
    gaps, names = measured_gaps(model, corpus, online, variant, cluster, seed)
    return stereotype_of(gaps, cutoff=cutoff, resolution=names)


@_stereotype
def stereotype_of(gaps: Result, *, cutoff: float = 0.0, resolution: Result | None = None) -> Result:
    """The stereotype of a :func:`pronoun_gap` result, without another pass; see :func:`stereotype`."""
    return certain_gaps(gaps, cutoff, resolution)
