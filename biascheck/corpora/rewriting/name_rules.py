"""The rules of the name finder, in their order; the first that has something to say decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from biascheck.corpora.rewriting.given_names import context_words
from biascheck.corpora.rewriting.name_surroundings import Surroundings

__all__ = ["SURNAME_ODDS", "NameFacts", "NameKind", "Verdict", "verdict_on"]

NameKind = Literal[
    "first name", "middle name", "surname", "name", "month", "place", "organisation", "word", "compound", "unclear"
]
"""``name`` is a first name or a surname, ``unclear`` may be no name at all."""
SURNAME_ODDS = 0.25
"""A name that this many have as a surname, for each who has it as a first name, is no first name without evidence."""
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
_NUMERAL = re.compile(r"II|III|IV|VI{0,3}|IX|XI{0,3}|XIV|XV|XVI")
_SURNAMES_TOO = frozenset({"hall", "park", "house", "church", "lane", "hill", "green", "cross", "bay", "day", "law"})


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What is known of a name before it is looked at in a text.

    ``feminine`` names are those of women that are hardly ever a surname: behind another first name they are a second
    one ("Sarah Jane"), while "Elton John" has a surname.
    """

    kinds: frozenset[str]
    surname_odds: float
    feminine: bool = False

    @property
    def clear(self) -> bool:
        """Whether it is hardly ever anything but a first name."""
        return not self.kinds and self.surname_odds < SURNAME_ODDS


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a word is; ``certain`` where the words around it say so, else by default."""

    kind: NameKind
    certain: bool = True


Rule = Callable[[Surroundings, NameFacts], Verdict | None]


def verdict_on(around: Surroundings, facts: NameFacts) -> Verdict:
    """Ask the rules one by one."""
    for rule in _RULES:
        if (verdict := rule(around, facts)) is not None:
            return verdict
    return Verdict("unclear", certain=False)


def _compound(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """Jean-Paul is two first names, Spencer-Churchill and London-based are none."""
    return Verdict("compound") if around.compound else None


def _prefixed_place(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """San Francisco, Fort Wayne, Lake Charles, St. John."""
    nearest = around.lead[-1].lower() if around.lead else around.before
    return Verdict("place") if nearest in context_words("place prefix") and nearest not in _ADJECTIVES else None


def _month(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """May 1927, 1 August, in June; "April, May and June"."""
    if "month" not in facts.kinds or around.lead or around.title:
        return None
    beside = _NUMBER.fullmatch(around.after) or _NUMBER.fullmatch(around.before)
    apart = around.after in (",", "of") and _NUMBER.fullmatch(around.later)
    months = context_words("calendar")
    listed = around.second.capitalize() in months and around.before in ("and", "or", "to", "through", ",", "–", "-")
    listed = listed or around.before.capitalize() in months or around.later in months
    if (beside or apart or listed) and not around.trail:
        return Verdict("month")
    by_preposition = around.before in context_words("month preposition") and not around.trail
    return Verdict("month", certain=False) if by_preposition and around.before not in ("and", "by", "to") else None


def _organisation(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """Madison County, George Mason University, the Frank Sinatra Show."""
    nouns = [word.lower() for word in around.trail if word.lower().rstrip("'’") in context_words("organisation")]
    if not nouns:
        following = around.after in ("county", "street", "river", "award", "prize")
        return Verdict("organisation") if following and not around.trail else None
    person = len(around.trail) == 1 and nouns[0] in _SURNAMES_TOO and facts.clear
    return (
        None
        if person and around.before not in context_words("place preposition") | {"the"}
        else Verdict("organisation")
    )


def _place(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """In London; Austin, Texas; from Georgia."""
    if not facts.kinds & {"place", "hard place"} or around.lead or around.title:
        return None
    if around.after == "," and around.later in context_words("region") and not around.trail:
        return Verdict("place")
    office = around.trail and around.trail[0].lower() in context_words("surname title") | context_words("role")
    dated = around.trail and _NUMBER.fullmatch(around.before)
    if office or dated or (around.trail and around.trail[0] in context_words("region")):
        return Verdict("place")
    preposition = around.before == "near" or (around.before in context_words("place preposition") and not around.trail)
    return Verdict("place", certain=around.before in ("in", "at")) if preposition else None


def _thing(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """The law firm Stewart McKelvey, the steamer Gertrude."""
    return Verdict("organisation") if around.before in context_words("thing") and not around.lead else None


def _article(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """The Victoria, a Mercedes; but "a Dorothy Parker poem" has a first name."""
    if around.before not in context_words("article") or around.lead or around.title:
        return None
    return None if around.trail and facts.clear else Verdict("word")


def _titled(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """Mr. James Smith and Sir James have a first name, Mr. James has none."""
    if not around.title or around.lead:
        return None
    surname_title = around.title in context_words("surname title")
    if facts.kinds & {"hard word", "hard place"} or around.word.lower() in context_words("noble title"):
        return None
    if around.trail or around.title in context_words("role"):
        return Verdict("first name") if around.trail or facts.clear else Verdict("unclear", certain=False)
    if surname_title or (facts.surname_odds >= 1 and around.title not in _KIN_TITLES):
        return Verdict("surname")
    return Verdict("first name")


def _regnal(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """Conrad III, Elizabeth II: a ruler has no surname."""
    if not _NUMERAL.fullmatch(around.after.upper()) or around.trail:
        return None
    if around.lead and around.title != "pope":
        return None
    return Verdict("middle name" if around.lead else "first name")


def _scripture(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """Luke 18:9, the Gospel of Luke; the 4th Dan."""
    if re.fullmatch(r"\d+(?:st|nd|rd|th)", around.before) and around.alone:
        return Verdict("word")
    verse = _NUMBER.fullmatch(around.after) and around.later == ":"
    book = around.before == "of" and around.second in ("gospel", "book", "epistle")
    return Verdict("word") if verse or book else None


def _dignity(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """The Dean of the college, Prince of Wales."""
    if around.after == "of" and facts.kinds & {"word", "hard word"} and not around.trail:
        return Verdict("word")
    return None


def _behind_a_name(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """Phoebe Thomas: a surname. Sarah Jessica Parker: a middle name, if it is hardly ever a surname."""
    if not around.lead:
        return None
    if not around.behind_given and around.trail and facts.clear:
        return Verdict("first name", certain=False)
    if around.trail and facts.clear and around.trail[0].lower() not in context_words("suffix"):
        return Verdict("middle name", certain=False)
    if facts.feminine and not facts.kinds and around.behind_given:
        return Verdict("middle name", certain=False)
    return Verdict("surname", certain=around.behind_given)


def _full_name(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """A capitalised word behind it is a surname."""
    if not around.trail or facts.kinds & {"hard word", "hard place"}:
        return None
    if "word" in facts.kinds and around.opens and len(around.trail) > 2:
        return None
    return Verdict("first name")


def _kin(around: Surroundings, _facts: NameFacts) -> Verdict | None:
    """His wife Grace; two sons, Austin and Troy; a girl named April."""
    kin = context_words("kin")
    near = around.before in kin or (around.before in (",", ":", "(") and around.second in kin)
    titled = around.word.lower() in context_words("noble title") and bool(around.trail)
    return Verdict("first name") if near and not around.lead and not titled else None


def _acting(around: Surroundings, facts: NameFacts) -> Verdict | None:
    """Somebody who said, married or wrote; a surname does that as well."""
    if around.after not in context_words("person verb") or facts.surname_odds >= SURNAME_ODDS:
        return None
    return Verdict("first name") if not facts.clear and not around.trail else None


def _by_default(around: Surroundings, facts: NameFacts) -> Verdict | None:
    if facts.clear:
        return Verdict("first name", certain=False)
    if facts.kinds & {"hard word", "hard place", "place", "month"}:
        return None
    if facts.surname_odds >= SURNAME_ODDS or (around.opens and "word" in facts.kinds):
        return None
    return Verdict("first name", certain=False)


_KIN_TITLES = frozenset({"aunt", "auntie", "uncle", "cousin", "brother", "sister", "grandma", "grandpa", "granny"})
_ADJECTIVES = frozenset({"new", "royal", "university", "college", "central", "tropical", "el"})
_RULES: tuple[Rule, ...] = (
    _compound,
    _prefixed_place,
    _month,
    _organisation,
    _place,
    _scripture,
    _regnal,
    _titled,
    _dignity,
    _behind_a_name,
    _kin,
    _thing,
    _article,
    _full_name,
    _acting,
    _by_default,
)
