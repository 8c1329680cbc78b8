"""Skew: one pronoun for everyone (Manela et al. 2021, §3.1)."""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.certain_gaps import certain_gaps, measured_gaps
from biascheck.measures.pronouns.pronoun_gap import Cluster, PronounVariant
from biascheck.models.capabilities import LanguageModel
from biascheck.results.result import Result

__all__ = ["skew", "skew_of"]

_skew = derived_measure(
    "skew",
    about="How much better the model predicts one gender's pronouns than the other's in sentences about two people at "
    "work, whatever the occupation: half the sum of the differences of F1 on pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero, and it does not say which gender is preferred. The gaps do.",
        "A model that cannot resolve the pronouns guesses, and guesses look like skew: read the name resolution.",
        "It counts predictions: a pronoun at 51 % weighs as much as one at 99 %, unless a cut-off is used.",
        "A model that leans the same way everywhere and one that guesses in half of the sentences can read alike.",
    ),
    statistic="skew",
    direction="upwards",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    scale="share",
    plain="One group's pronouns are predicted better than the other's, whatever the sentence says, by {by} "
    "of F1; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate "
    "has no direction: it is how much better one group's pronouns are predicted than the other's, by F1, whatever the "
    "sentence suggests; zero is parity.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
    made_from=("pronoun gap",),
)


@_skew
def skew(
    model: LanguageModel,
    corpus: Corpus,
    *,
    cutoff: float = 0.0,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """How much better a model predicts one gender than the other, whatever the occupation.

    ``½ (|F1♂pro − F1♀pro| + |F1♂anti − F1♀anti|)`` over the sentences of a Winograd corpus, where the more
    probable pronoun is predicted, pro has the pronoun that most people of the occupation would have, and
    anti the other; ``gender_f1(result)`` has the four F1s. From 0 to 2/3: a model that always says the same pronoun
    reads 2/3 on a balanced corpus and has stereotype 0; one that follows the occupation has skew 0 and stereotype 1.
    It has no sign; the gaps of the items point towards male when positive.

    >>> from biascheck.corpora import winograd
    >>> from biascheck.testing import TableModel
    >>> always_he = TableModel({}, {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1})
    >>> round(skew(always_he, winograd("T2")).estimate, 2)
    0.67

    ``cutoff=0.1`` leaves uncertain items out, as the paper says; without it, as the authors' code did, all
    count. The number left out is among the skipped items. ``online`` and ``variant`` as in
    :func:`pronoun_gap`. The same sentences with Alice and Bob qualify the figure: where the model resolves
    them with an F1 below 75 %, the result is invalid and says so (:func:`name_resolution`).

    Its interval is a percentile interval: BCa would end too low near zero. Findings name the occupations that drive
    the figure. :func:`assert_skew_below` judges it; :func:`assert_trade_off` judges skew and stereotype at once.
    """
    gaps, names = measured_gaps(model, corpus, online, variant, cluster, seed)
    return skew_of(gaps, cutoff=cutoff, resolution=names)


@_skew
def skew_of(gaps: Result, *, cutoff: float = 0.0, resolution: Result | None = None) -> Result:
    """The skew of a :func:`pronoun_gap` result, without another pass over the model; see :func:`skew`."""
    return certain_gaps(gaps, cutoff, resolution)
