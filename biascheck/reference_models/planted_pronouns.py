"""The pronouns of the generated world: who is meant decides, and how much is set.

In a Winograd sentence the pronoun is male with the log-odds::

    dose · ln((1 − share of women) / share of women) + (1 − dose) · lean + tilt

of the occupation it means. ``lean`` is +0.25 for half of the occupations of either stereotype and −0.25 for the
others, so that at dose 0 every prediction is clear and none has to do with the stereotype: skew and stereotype
are 0. ``tilt`` moves all occupations alike: it plants a skew. Between the ends some occupations follow their lean
and some the workforce, so that both figures take values between 0 and their largest.

With both people masked nothing is known but the sentence around them, and the pronoun has the mean probability of
the sentences that look the same. A name tells the gender: "she" means Alice with 98 %, so the standards can tell whom a
pronoun means. Sentences about competence, in which everybody is "the person", lean one way and the other in turn, both
sentences of a matched pair alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp, log
from typing import get_args

import numpy as np

from biascheck.corpora import competency, winograd
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.datasets.winograd import Occupation, WinogradKind, occupations
from biascheck.corpora.rewriting.entities import NAMES, with_names
from biascheck.reference_models.world import (
    LARGEST_SHARE,
    SMALLEST_SHARE,
    World,
    learnable_share,
    log_odds_of_male,
    pieces_of,
)
from biascheck.stats import SideF1, side_f1

__all__ = ["LEAN_OF_OCCUPATIONS", "leaning_of", "male_probability", "planted_f1", "planted_gaps", "pronoun_corpora"]

LEAN_OF_OCCUPATIONS = 0.25
"""Log-odds; larger than the error of training, so that a direction is a direction, and small enough for a gate."""
_SIGNS = (1, -1, -1, 1)
"""In the order of the shares of women, so that leaning and share are not correlated."""


@cache
def pronoun_corpora() -> tuple[Corpus, ...]:
    """The sentences whose pronouns the world decides: by occupation, by name, and by neither."""
    by_occupation = [winograd(kind) for kind in get_args(WinogradKind)]
    return (*by_occupation, *map(with_names, by_occupation), competency(extended=True))


@cache
def leaning_of() -> Mapping[str, float]:
    """The log-odds by which each occupation leans to male at dose 0."""
    found: dict[str, float] = {}
    for stereotype in ("male", "female"):
        members = sorted((o for o in occupations() if o.stereotype == stereotype), key=_by_share)
        found |= {o.name: LEAN_OF_OCCUPATIONS * _SIGNS[n % 4] for n, o in enumerate(members)}
    return found


def male_probability(world: World, pair: Pair) -> float:
    """P(male pronoun) in a sentence of :func:`pronoun_corpora`, with the people in sight."""
    meant = str(pair.sentences["male"].attribute_text)
    if meant in NAMES.values():
        return LARGEST_SHARE if meant == NAMES["male"] else SMALLEST_SHARE
    if meant in _shares():
        return _logistic(_male_log_odds(world, meant))
    number = int(str(pair.labels["schema"]).rpartition("/")[2])  # one for both sentences of a matched pair
    lean = LEAN_OF_OCCUPATIONS if number % 2 else -LEAN_OF_OCCUPATIONS
    return _logistic(lean + world.tilt)


def planted_gaps(world: World, kind: WinogradKind, *, online: bool = False) -> dict[str, float]:
    """The gap P(male) − P(female) that is planted in each sentence; ``online``, divided by the prior without people."""
    pairs = list(winograd(kind))
    male = {pair.id: male_probability(world, pair) for pair in pairs}
    if online:
        prior = _without_people(pairs, male)
        male = {name: _divided(p, prior[name]) for name, p in male.items()}
    return {name: 2 * p - 1 for name, p in male.items()}


def planted_f1(world: World, kind: WinogradKind, *, online: bool = False) -> SideF1:
    """The F1 figures, and with them skew and stereotype, that the planted gaps amount to."""
    gaps = planted_gaps(world, kind, online=online)
    sides = ["A" if pair.labels["stereotype"] == "male" else "B" for pair in winograd(kind)]
    return side_f1(np.array(list(gaps.values())), sides)


def _male_log_odds(world: World, occupation: str) -> float:
    share = learnable_share(_shares()[occupation] / 100)
    return world.dose * log_odds_of_male(share) + (1 - world.dose) * leaning_of()[occupation] + world.tilt


def _without_people(pairs: list[Pair], male: Mapping[str, float]) -> dict[str, float]:
    """The mean probability over the sentences that look alike once both people are masked."""
    alike: dict[str, list[str]] = {}
    for pair in pairs:
        alike.setdefault(_looks(pair), []).append(pair.id)
    return {name: float(np.mean([male[other] for other in names])) for names in alike.values() for name in names}


def _looks(pair: Pair) -> str:
    sentence = pair.sentences["male"]
    return sentence.with_words({s: " ".join("_" * pieces_of(s.of(sentence.text))) for s in sentence.people}).text


def _divided(male: float, prior: float) -> float:
    return _logistic(log(male / (1 - male)) - log(prior / (1 - prior)))


@cache
def _shares() -> Mapping[str, float]:
    return {o.name: o.share_of_women for o in occupations()}


def _by_share(occupation: Occupation) -> tuple[float, str]:
    return occupation.share_of_women, occupation.name


def _logistic(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))
