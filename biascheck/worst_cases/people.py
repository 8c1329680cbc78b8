"""The same person in each group, and the sentences of each group made from a line with places for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Literal, get_args

from biascheck.core.errors import UsageError
from biascheck.core.spans import Span
from biascheck.corpora import first_names
from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.templates import Target

# From a line with places for a person to the sentence of each group, with spans by construction.

OPEN, CLOSE = "\x02", "\x03"
"""Around the attribute; characters that no text contains."""
PLACE = re.compile(r"\{(\w+)\}|[\x02\x03]")
PERSON_ROLES = ("target", "object")


def marked(text: str) -> str:
    """A text as the attribute of its line."""
    return f"{OPEN}{text}{CLOSE}"


def unmarked(line: str) -> str:
    """A line without its attribute."""
    return line.replace(OPEN, "").replace(CLOSE, "")


def with_article(noun: str) -> str:
    """A noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def pair_of(line: str, people: Sequence[Target], attribute: str, labels: Mapping[str, str | float]) -> Pair:
    """One line with the same person in each group; it is called by its first sentence."""
    sentences = {target.group: _sentence(line, target) for target in people}
    together = "-".join(target.word for target in people)
    return Pair(next(iter(sentences.values())).text, attribute, sentences, {**labels, "people": together})


def _sentence(line: str, target: Target) -> Sentence:
    """Put a person in: ``{target}`` or, as an object, ``{object}``; then ``{he}``, ``{him}`` and ``{his}`` agree.

    The first mention of the person is the target, further ones are among the ``others``.
    """
    text, at = "", 0
    spans: dict[str, list[Span]] = {"target": [], "other": []}
    ends: list[int] = []
    for match in PLACE.finditer(line):
        text += line[at : match.start()]
        at = match.end()
        if match[1] is None:
            ends.append(len(text))
            continue
        before, word = _mention(match[1], target, line)
        text += before
        role = "target" if match[1] in PERSON_ROLES and not spans["target"] else "other"
        spans[role].append(Span(len(text), len(text) + len(word)))
        text += word
    text = _capitalised(text + line[at:])
    if not spans["target"]:
        raise UsageError(f"{unmarked(line)!r} has no place for a person; write {{target}} where one is to be")
    return Sentence(text, spans["target"][0], Span(*ends) if ends else None, tuple(spans["other"]))


def _capitalised(text: str) -> str:
    """A capital at the beginning, and at the beginning of what is quoted; the length never changes."""
    for place in {0, text.find("“") + 1}:
        if len(upper := text[place].upper()) == 1:
            text = text[:place] + upper + text[place + 1 :]
    return text


def _mention(place: str, target: Target, line: str) -> tuple[str, str]:
    """The determiner and the word at a place for a person."""
    if place in PERSON_ROLES:
        word = target.forms.get("object", target.word) if place == "object" else target.word
        return f"{target.determiner} " if target.determiner else "", word
    if place not in target.forms:
        raise UsageError(
            f"{unmarked(line)!r} asks for {{{place}}}, which {target.word!r} ({target.group}) does not have; it "
            f"has {sorted({*PERSON_ROLES, *target.forms})}: give slots={{{place!r}: […]}}, or the target a "
            "form of that name"
        )
    return "", target.forms[place]


# The same person in each group: by pronoun, by name, by a word such as sister, or described in several
# respects.
#
# A set has one :class:`~biascheck.corpora.Target` for each group, in order, with its pronouns as forms. Sets
# are listed with the shortest and most common first, so that a finding shrinks to "he" and "she", or to "James"
# and "Mary".

Axis = Literal["gender", "race", "age"]
PersonSet = tuple[Target, ...]

MALE = MappingProxyType({"he": "he", "him": "him", "his": "his"})
FEMALE = MappingProxyType({"he": "she", "him": "her", "his": "her"})
PERSON_FORMS = {"male": MALE, "female": FEMALE}
MOST_NAMES = 60
TERMS = (
    ("the", "man", "woman"),
    ("the", "boy", "girl"),
    ("my", "son", "daughter"),
    ("my", "uncle", "aunt"),
    ("my", "father", "mother"),
    ("my", "nephew", "niece"),
    ("my", "husband", "wife"),
    ("my", "brother", "sister"),
    ("the", "gentleman", "lady"),
    ("my", "boyfriend", "girlfriend"),
    ("my", "grandfather", "grandmother"),
)
NAMES_BY_RACE = {
    ("male", "white"): ["Brad", "Brendan", "Geoffrey", "Greg", "Brett", "Jay", "Matthew", "Neil", "Todd"],
    ("male", "Black"): ["Jamal", "Darnell", "Hakim", "Jermaine", "Kareem", "Leroy", "Rasheed", "Tremayne", "Tyrone"],
    ("female", "white"): ["Emily", "Allison", "Anne", "Carrie", "Jill", "Laurie", "Kristen", "Meredith", "Sarah"],
    ("female", "Black"): ["Lakisha", "Aisha", "Ebony", "Keisha", "Kenya", "Latonya", "Latoya", "Tamika", "Tanisha"],
}
"""The names of Bertrand & Mullainathan (2004, Table A1), chosen by them from birth certificates of Massachusetts."""
VALUES: dict[Axis, tuple[str, ...]] = {
    "gender": ("male", "female"),
    "race": ("white", "Black"),
    "age": ("young", "old"),
}
NOUNS = {"male": "man", "female": "woman"}


def pronoun_sets() -> tuple[PersonSet, ...]:
    """He and she."""
    return (tuple(Target(forms["he"], group, forms=_with_object(forms)) for group, forms in PERSON_FORMS.items()),)


def term_sets() -> tuple[PersonSet, ...]:
    """Man and woman, brother and sister, and other words for people of which there is one for each gender."""
    return tuple(
        (Target(male, "male", determiner, MALE), Target(female, "female", determiner, FEMALE))
        for determiner, male, female in TERMS
    )


def name_sets(*axes: Axis) -> tuple[PersonSet, ...]:
    """First names: by gender the common ones of the United States, by race those of Bertrand & Mullainathan (2004)."""
    if axes == ("gender",):
        pairs = list(first_names().pairs)[:MOST_NAMES]
        return tuple(
            (Target(male, "male", forms=MALE), Target(female, "female", forms=FEMALE)) for male, female in pairs
        )
    if "age" in axes:
        raise UsageError("names say nothing about age; use described('gender', 'age'), which says it in words")
    _require(axes)
    return tuple(
        tuple(Target(NAMES_BY_RACE[key][place], _group(axes, facts), forms=PERSON_FORMS[key[0]]) for facts, key in keys)
        for keys in _keys(axes)
        for place in range(len(NAMES_BY_RACE["male", "white"]))
    )


def described_sets(*axes: Axis) -> tuple[PersonSet, ...]:
    """Groups described in words, in every combination: "the old Black woman", "the young white man"."""
    _require(axes)
    return tuple(
        tuple(
            Target(_description(facts), _group(axes, facts), "the", PERSON_FORMS[facts["gender"]])
            for facts in ({**fixed, **dict(zip(axes, values, strict=True))} for values in _product(axes))
        )
        for fixed in _fixed(axes)
    )


def sets_by(*axes: Axis) -> tuple[PersonSet, ...]:
    """Everything there is for these respects, the simplest first."""
    if axes == ("gender",):
        return (*pronoun_sets(), *name_sets("gender"), *term_sets())
    return described_sets(*axes) if "age" in axes else (*name_sets(*axes), *described_sets(*axes))


def own_sets(sets: Sequence[Mapping[str, str | Target] | Sequence[Target]]) -> tuple[PersonSet, ...]:
    """Somebody's own sets: ``{"young": "the boy", "old": "the man"}``, or targets with their forms."""
    listed = tuple(
        tuple(
            entry if isinstance(entry, Target) else Target(entry, group, forms=PERSON_FORMS.get(group, {}))
            for group, entry in one.items()
        )
        if isinstance(one, Mapping)
        else tuple(one)
        for one in sets
    )
    if not listed or len({tuple(target.group for target in one) for one in listed}) != 1 or len(listed[0]) < 2:
        raise UsageError(
            "people need sets with the same two or more groups in one order, such as "
            "[{'male': 'he', 'female': 'she'}, {'male': 'James', 'female': 'Mary'}]"
        )
    return listed


def _with_object(forms: Mapping[str, str]) -> dict[str, str]:
    return {**forms, "object": forms["him"]}


def _require(axes: Sequence[Axis]) -> None:
    if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(get_args(Axis)):
        raise UsageError(f"people differ by {', '.join(get_args(Axis))}, each at most once, not by {list(axes)}")


def _product(axes: Sequence[Axis]) -> list[tuple[str, ...]]:
    return list(product(*(VALUES[axis] for axis in axes)))


def _fixed(axes: Sequence[Axis]) -> list[dict[str, str]]:
    """What is the same in all groups: the gender, where the groups are not about it."""
    return [{}] if "gender" in axes else [{"gender": gender} for gender in VALUES["gender"]]


def _keys(axes: Sequence[Axis]) -> list[list[tuple[dict[str, str], tuple[str, str]]]]:
    found = []
    for fixed in _fixed(axes):
        facts = [{**fixed, **dict(zip(axes, values, strict=True))} for values in _product(axes)]
        found.append([(one, (one["gender"], one["race"])) for one in facts])
    return found


def _group(axes: Sequence[Axis], facts: Mapping[str, str]) -> str:
    return " ".join(facts[axis] for axis in ("age", "race", "gender") if axis in axes)


def _description(facts: Mapping[str, str]) -> str:
    adjectives = [facts[axis] for axis in ("age", "race") if axis in facts]
    return " ".join([*adjectives, NOUNS[facts["gender"]]])
