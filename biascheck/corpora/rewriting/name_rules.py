"""The rules of the name finder, in order; the first that decides wins."""

from __future__ import annotations

import re

from biascheck.corpora.rewriting.name_surroundings import (
    SURNAME_ODDS,
    NameFacts,
    NameVerdict,
    Rule,
    Surroundings,
    context_words,
)

# Rules that find no person in a capitalised word: works, places, months, organisations, things.

_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
_SURNAMES_TOO = frozenset(
    {"hall", "park", "house", "church", "lane", "hill", "green", "cross", "bay", "day", "law", "post"}
)
_ADJECTIVES = frozenset({"new", "royal", "university", "college", "central", "tropical", "el"})
_OF_INNS = frozenset({"king", "queen", "prince", "princess"})
_OWNS = ("'s", "’s")
_BEFORE_VERBS = frozenset({"to", "will", "would", "can", "could", "not", "they", "we", "i", "you", "must", "should"})


def compound(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """Jean-Paul is two first names, Spencer-Churchill and London-based are none."""
    return NameVerdict("compound") if around.compound else None


def work(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """The novel Jane Eyre, "Calling on Mary", How Helga Got Her Boat, The Adventures of Sam Spade, Anne of the Lake."""
    story = around.before == "of" and around.second.capitalize() == around.second_word
    story = story and around.second in context_words("story of")
    of_the = around.alone and around.after == "of" and around.later.lower() == "the"
    if around.in_title or story or of_the or (around.of_a_year and around.trail and around.before != "by"):
        return NameVerdict("work")
    if around.lead or around.title:
        return None
    return NameVerdict("work") if _announced(around) or _staged(around) else None


def _announced(around: Surroundings) -> bool:
    """The song Helga, a comedy series, Helga."""
    owner = around.after in _OWNS and not around.later[:1].isupper()
    if around.before in context_words("work") and around.second not in _BEFORE_VERBS and not owner:
        return True
    apposed = around.before == "," and around.second in context_words("work")
    return apposed and (around.after in (".", "") or (around.alone and around.after in (",", "(")))


def _staged(around: Surroundings) -> bool:
    """An episode in Helga Moss, guest star on Helga Moss, appeared in Helga, The Late Show with Helga Moss."""
    if around.after in _OWNS:
        return False
    if around.before == "of":
        return around.second in context_words("staging")
    if around.before == "with":
        return around.second in context_words("programme") and around.second_word[:1].isupper()
    town = around.after == "," and around.later in context_words("region")
    inside = around.before == "in" and (bool(around.trail) or around.second in context_words("performing"))
    # a person is seldom inside another one
    return (inside and not town) or (around.before == "on" and around.second in context_words("seen on"))


def prefixed_place(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """San Francisco, Fort Wayne, Lake Charles, St. John."""
    nearest = around.lead[-1].lower() if around.lead else around.before
    return NameVerdict("place") if nearest in context_words("place prefix") and nearest not in _ADJECTIVES else None


def month(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """May 1927, 1 August, in June; "April, May and June"."""
    if "month" not in facts.kinds or around.lead or around.title:
        return None
    beside = _NUMBER.fullmatch(around.after) or _NUMBER.fullmatch(around.before)
    apart = around.after in (",", "of") and _NUMBER.fullmatch(around.later)
    months = context_words("calendar")
    listed = around.second.capitalize() in months and around.before in ("and", "or", "to", "through", ",", "–", "-")
    listed = listed or around.before.capitalize() in months or around.later in months
    if (beside or apart or listed) and not around.trail:
        return NameVerdict("month")
    by_preposition = around.before in context_words("month preposition") and not around.trail
    return NameVerdict("month", certain=False) if by_preposition and around.before not in ("and", "by", "to") else None


def organisation(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Madison County, George Mason University, the Frank Sinatra Show, Ebony magazine."""
    nouns = [word.lower() for word in around.trail if word.lower().rstrip("'’") in context_words("organisation")]
    if not nouns:
        following = around.after in ("county", "street", "river", "award", "prize") and not around.trail
        return NameVerdict("organisation") if following or around.after in context_words("goods") else None
    person = len(around.trail) == 1 and nouns[0] in _SURNAMES_TOO and not facts.kinds
    return (
        None
        if person and around.before not in context_words("place preposition") | {"the"}
        else NameVerdict("organisation")
    )


def owned(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """Helga's Bakery: what somebody called by a first name owns has no capital otherwise."""
    if around.title or around.after not in _OWNS or not around.later[:1].isupper():
        return None
    person = around.later in context_words("nationality") | context_words("calendar")
    thing = around.later.lower() in context_words("organisation") or (around.alone and not person)
    return NameVerdict("organisation") if thing else None


def named_after(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """The Helga Moss Awards, the Mona Lisa, the Queen Mary; Ray Lowe and the Rovers; FC Charlotte."""
    twice = bool(facts.kinds) and around.trail[:1] == (around.word,)
    if around.of_a_group or twice or (around.behind_letters and facts.kinds):
        return NameVerdict("organisation")
    if around.before != "the" or (around.title and around.title not in _OF_INNS):
        return None
    whole = around.trail or around.lead or around.title
    return NameVerdict("organisation") if whole and (around.behind_given or not around.lead) else None


def place(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """In London; Austin, Texas; from Georgia; in Helga West, Ontario; the Count of Mark."""
    region = around.after == "," and around.later in context_words("region")
    preposition = around.before in context_words("place preposition")
    battle = around.before == "of" and around.second in ("battle", "siege", "treaty")
    if (region and preposition and not around.title) or _of_a_noble(around) or battle:
        return NameVerdict("place")
    if not facts.kinds & {"place", "hard place"} or around.lead or around.title:
        return None
    if region and not around.trail:
        return NameVerdict("place")
    office = around.trail and around.trail[0].lower() in context_words("surname title") | context_words("role")
    dated = around.trail and _NUMBER.fullmatch(around.before)
    if office or dated or (around.trail and around.trail[0] in context_words("region")):
        return NameVerdict("place")
    preposition = around.before == "near" or (preposition and not around.trail)
    return NameVerdict("place", certain=around.before in ("in", "at")) if preposition else None


def _of_a_noble(around: Surroundings) -> bool:
    return around.alone and around.before == "of" and around.second in context_words("noble of")


def thing(around: Surroundings, _facts: NameFacts) -> NameVerdict | None:
    """The law firm Stewart McKelvey, the steamer Gertrude, his flagship, Helga Moss."""
    found = around.before in context_words("thing") or (
        around.before == "," and around.second in context_words("vessel")
    )
    return NameVerdict("organisation") if found and not around.lead else None


def article(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """The Victoria, a Mercedes; but "a Dorothy Parker poem" has a first name."""
    if around.before not in context_words("article") or around.lead or around.title:
        return None
    return None if around.trail and facts.clear else NameVerdict("word")


def scripture(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """Luke 18:9, the Gospel of Luke; the 4th Dan; New Year's Eve."""
    if re.fullmatch(r"\d+(?:st|nd|rd|th)", around.before) and around.second.capitalize() not in context_words(
        "calendar"
    ):
        return NameVerdict("word")
    verse = _NUMBER.fullmatch(around.after) and around.later == ":"
    book = around.before == "of" and around.second in ("gospel", "book", "epistle")
    feast = around.before in _OWNS and around.second in ("year", "saint", "day") and around.alone
    feast = feast or (around.before == "christmas" and bool(facts.kinds))
    return NameVerdict("word") if verse or book or feast else None


def dignity(around: Surroundings, facts: NameFacts) -> NameVerdict | None:
    """The Dean of the college, Prince of Wales, Don Carlos, Donna Elvira."""
    if "title" in facts.kinds and around.trail and (around.before_given or around.trail[0][-1] in "aio"):
        return NameVerdict("word")
    if around.after == "of" and facts.kinds & {"word", "hard word"} and not around.trail:
        return NameVerdict("word")
    return None


_NUMERAL = re.compile(r"II|III|IV|VI{0,3}|IX|XI{0,3}|XIV|XV|XVI")
_KIN_TITLES = frozenset({"aunt", "auntie", "uncle", "cousin", "brother", "sister"})
_PARTICLES = frozenset({"de", "la", "van", "von", "der", "den", "du", "di", "da", "del", "della", "dos", "bin", "ibn"})


def verdict_on(around: Surroundings, facts: NameFacts) -> NameVerdict:
    """Apply the rules one by one."""
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
    compound,
    work,
    prefixed_place,
    month,
    organisation,
    named_after,
    owned,
    place,
    scripture,
    _regnal,
    _surname_by_its_place,
    _titled,
    dignity,
    _behind_a_name,
    _kin,
    thing,
    article,
    _full_name,
    _styled,
    _acting,
    _by_default,
)
