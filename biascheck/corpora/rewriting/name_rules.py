"""The rules of the name finder, in their order; the first that has something to say decides."""

from __future__ import annotations

import re

from biascheck.corpora.rewriting import thing_rules as things
from biascheck.corpora.rewriting.given_names import context_words
from biascheck.corpora.rewriting.name_surroundings import Surroundings
from biascheck.corpora.rewriting.name_verdicts import SURNAME_ODDS, NameFacts, NameVerdict, Rule

__all__ = ["verdict_on"]

_NUMERAL = re.compile(r"II|III|IV|VI{0,3}|IX|XI{0,3}|XIV|XV|XVI")
_KIN_TITLES = frozenset({"aunt", "auntie", "uncle", "cousin", "brother", "sister"})
_PARTICLES = frozenset({"de", "la", "van", "von", "der", "den", "du", "di", "da", "del", "della", "dos", "bin", "ibn"})


def verdict_on(around: Surroundings, facts: NameFacts) -> NameVerdict:
    """Ask the rules one by one."""
    for rule in _RULES:
        if (verdict := rule(around, facts)) is not None:
            return verdict
    return NameVerdict("unclear", certain=False)


def _regnal(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """Conrad III, Elizabeth II: a ruler has no surname; but King Edward VI High School is a school."""
    if not _NUMERAL.fullmatch(around.after.upper()) or around.trail:
        return None
    if around.later[:1].isupper() and around.later.lower() in context_words("organisation"):
        return NameVerdict("organisation")
    if around.lead and around.title != "pope":
        return None
    return NameVerdict("middle name" if around.lead else "first name")


def _titled(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Mr. James Smith and Sir James have a first name, Mr. James has none."""
    if not around.title or around.lead:
        return None
    surname_title = around.title in context_words("surname title")
    if facts.kinds & {"hard word", "hard place"} or around.word.lower() in context_words("noble title"):
        return None
    if around.trail or around.title in context_words("role"):
        return NameVerdict("first name") if around.trail or facts.clear else NameVerdict("unclear", certain=False)
    if surname_title or (facts.surname_odds >= 1 and around.title not in _KIN_TITLES):
        return NameVerdict("surname")
    return NameVerdict("first name", certain=around.title != "lady") if facts.clear or around.title != "lady" else None


def _surname_by_its_place(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """Anna "Rocket" Paul, von der Mark, Omar Ben Salah."""
    behind = around.nicknamed or around.before in _PARTICLES
    arabic = bool(around.lead and around.trail) and around.word in ("Ben", "Al")
    return NameVerdict("surname") if (behind and not around.lead) or arabic else None


def _behind_a_name(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Phoebe Thomas: a surname. Sarah Jessica Parker: a middle name, if it is hardly ever a surname."""
    if not around.lead:
        return None
    if not around.behind_given and around.trail and facts.clear:
        return NameVerdict("first name")
    if around.trail and facts.clear and around.trail[0].lower() not in context_words("suffix"):
        return NameVerdict("middle name", certain=False)
    if facts.feminine and not facts.kinds and around.behind_given:
        return NameVerdict("middle name", certain=False)
    return NameVerdict("surname", certain=around.behind_given)


def _full_name(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """A capitalised word behind it is a surname, which two people may share."""
    if around.of_a_couple and around.alone and facts.clear:
        return NameVerdict("first name")
    if not around.trail or facts.kinds & {"hard word", "hard place"}:
        return None
    if "word" in facts.kinds and around.opens and (len(around.trail) > 2 or around.trail == ("I",)):
        return None
    return NameVerdict("first name")


def _kin(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """His wife Grace; two sons, Austin and Troy; a girl named April."""
    kin = context_words("kin")
    near = around.before in kin or (around.before in (",", ":", "(") and around.second in kin)
    titled = around.word.lower() in context_words("noble title") and bool(around.trail)
    return NameVerdict("first name") if near and not around.lead and not titled else None


def _styled(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Caroline, Princess of Hanover."""
    noble = around.later[:1].isupper() and around.later.lower() in context_words("noble title")
    return NameVerdict("first name") if around.alone and around.after == "," and noble and not facts.kinds else None


def _acting(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Somebody who said, married or wrote; a surname does that as well."""
    if around.after not in context_words("person verb") or facts.surname_odds >= SURNAME_ODDS:
        return None
    return NameVerdict("first name", certain=False) if not facts.clear and not around.trail else None


def _by_default(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    if facts.clear:
        return NameVerdict("first name", certain=False)
    if around.before in ("in", "at", "near"):
        return NameVerdict("place", certain=False)
    if facts.kinds & {"hard word", "hard place", "place", "month"}:
        return None
    if facts.surname_odds >= SURNAME_ODDS or (around.opens and "word" in facts.kinds):
        return None
    return NameVerdict("first name", certain=False)


_RULES: tuple[Rule, ...] = (
    things.compound,
    things.work,
    things.prefixed_place,
    things.month,
    things.organisation,
    things.named_after,
    things.owned,
    things.place,
    things.scripture,
    _regnal,
    _surname_by_its_place,
    _titled,
    things.dignity,
    _behind_a_name,
    _kin,
    things.thing,
    things.article,
    _full_name,
    _styled,
    _acting,
    _by_default,
)
