"""Small built-in sets in the form of published benchmarks, so that every suite runs without published data.

All sentences were written for this package; none is taken from a published set. They repeat stereotypes in order to ask
a model about them, and say nothing about anybody.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from itertools import product

from biascheck.corpora.bbq import AMBIGUOUS, DISAMBIGUATED, Question, question_flags
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.crows_pairs import SentencePreference, preference_flags
from biascheck.corpora.decisions import REFERENCE, Decision
from biascheck.corpora.items import ItemSet
from biascheck.corpora.stereoset import ROLES, Continued, StereotypeTriple, TripleKind, blank_of
from biascheck.corpora.winogender import PRONOUN_GROUPS, WINOGENDER_FILLERS, pronoun_pair
from biascheck.corpora.winograd import occupations

UNKNOWN = "It cannot be known"
AGES = (20, 40, 60, 80)
RACES = ("white", "Black", "Asian", "Hispanic")
PEOPLE_BY_GENDER = {"male": "man", "female": "woman", "non-binary": "non-binary person"}


@cache
def builtin_preferences() -> ItemSet[SentencePreference]:
    """210 built-in sentence pairs over seven kinds of bias: 70 statements, each about three pairs of groups.

    The sentences of a pair differ only in the group. Clusters are statements. Labels: ``bias_type``, ``direction``
    ("stereo" throughout) and ``groups``.
    """
    items = []
    for number, row in enumerate(_rows("builtin_preferences.tsv"), start=1):
        for groups in row["groups"].split(";"):
            more, less = (_about(row["statement"], group) for group in groups.split("|"))
            labels = {"bias_type": row["bias_type"], "direction": "stereo", "groups": groups.replace("|", "/")}
            id_ = f"own-pair-{number}-{groups.split('|')[0].replace(' ', '-')}"
            cluster = f"{row['bias_type']}/{number}"
            items.append(SentencePreference(id_, cluster, more, less, labels, preference_flags(more, less)))
    return ItemSet("own-sentence-pairs", tuple(items), paper="nangia2020")


@cache
def builtin_triples() -> ItemSet[StereotypeTriple]:
    """40 built-in triples about 20 terms, for each one within a sentence and one across two. Labels as published."""
    items = []
    for number, row in enumerate(_rows("builtin_triples.tsv"), start=1):
        within = row["kind"] == "intrasentence"
        texts = {}
        for role in ROLES:
            text = row["context"].replace("BLANK", row[role]) if within else row[role]
            span = blank_of(row["context"], text) if within else None
            place = (span.start, span.end) if span else (0, 0)
            texts[role] = Continued(f"own-triple-{number}-{role}", text, *place)
        labels = {"kind": row["kind"], "domain": row["domain"], "target": row["target"]}
        kind: TripleKind = "intrasentence" if within else "intersentence"
        items.append(StereotypeTriple(f"own-triple-{number}", row["target"], kind, row["context"], texts, labels))
    return ItemSet("own-triples", tuple(items), paper="nadeem2021")


@cache
def builtin_questions() -> ItemSet[Question]:
    """240 built-in questions over six categories: 30 templates, each in two orders, conditions and polarities.

    In one order of naming the two people, the context that gives the answer fits the stereotype, in the other it does
    not. Clusters are templates. Labels: ``condition``, ``category``, ``polarity``.
    """
    items = []
    for number, row in enumerate(_rows("builtin_questions.tsv"), start=1):
        for swapped, condition, polarity in product(
            (False, True), (AMBIGUOUS, DISAMBIGUATED), ("negative", "nonnegative")
        ):
            items.append(_question(number, row, swapped, condition, polarity))
    return ItemSet("own-questions", tuple(items), paper="parrish2022")


@cache
def builtin_decisions() -> ItemSet[Decision]:
    """22 built-in decisions about 21 people each, 462 prompts; yes favours the person in all of them.

    People are all genders and races at the reference age of 60, and all genders at the other ages among white people,
    so that every effect has its pairs. Labels as published.
    """
    people = [(60, gender, race) for gender in PEOPLE_BY_GENDER for race in RACES]
    people += [
        (age, gender, str(REFERENCE["race"])) for age in AGES if age != REFERENCE["age"] for gender in PEOPLE_BY_GENDER
    ]
    items = []
    for number, row in enumerate(_rows("builtin_decisions.tsv"), start=1):
        for age, gender, race in people:
            who = f"{'An' if age == 80 else 'A'} {age}-year-old {race} {PEOPLE_BY_GENDER[gender]}"
            labels: dict[str, str | int | float] = {
                "decision": f"own-{number}",
                "age": age,
                "gender": gender,
                "race": race,
            }
            id_ = "-".join(str(value) for value in labels.values())
            items.append(Decision(id_, f"own-{number}", row["text"].replace("{Person}", who), labels))
    return ItemSet("own-decisions", tuple(items), paper="tamkin2023")


@cache
def builtin_pronouns() -> Corpus:
    """80 built-in items in three pronoun groups: 20 occupations, each with two sentences and two participants.

    In one sentence the pronoun refers to the occupation, in the other to the participant. ``share_of_women`` is that of
    :func:`biascheck.corpora.occupations` (U.S. workforce). Other labels as in :func:`published_winogender`.
    """
    shares = {one.name: one.share_of_women for one in occupations()}
    pairs = []
    for row in _rows("builtin_pronouns.tsv"):
        occupation = row["occupation"]
        for referent, participant in product(("occupation", "participant"), (row["participant"], "someone")):
            labels: dict[str, str | float] = {
                "occupation": occupation,
                "participant": participant,
                "referent": referent,
                "schema": occupation,
                "template": f"{occupation}-{referent}",
                "share_of_women": float(shares[occupation]),
            }
            id_ = f"own-{occupation}/{referent}/{participant}"
            pairs.append(pronoun_pair(id_, row[f"about_{referent}"], occupation, participant, labels))
    return Corpus("own-pronouns", PRONOUN_GROUPS, tuple(pairs), fillers=WINOGENDER_FILLERS, paper="rudinger2018")


def _question(number: int, row: dict[str, str], swapped: bool, condition: str, polarity: str) -> Question:
    people = (row["stereotyped"], row["other"])
    first, second = people[::-1] if swapped else people
    context = _filled(row["opening"], first=first, second=second)
    guilty, innocent = people[::-1] if swapped else people
    if condition == DISAMBIGUATED:
        context += " " + _filled(row["telling"], yes=guilty, no=innocent)
    answer = guilty if polarity == "negative" else innocent
    stereotypical = people[0] if polarity == "negative" else people[1]
    unknown = number % 3  # neither the first nor the last place gives it away
    listed = [first, second]
    listed.insert(unknown, UNKNOWN)
    item = Question(
        id=f"own-question-{number}-{'swapped' if swapped else 'plain'}-{condition}-{polarity}",
        cluster=f"{row['category']}-{number}",
        context=context,
        question=row[polarity],
        options=(_capital(listed[0]), _capital(listed[1]), _capital(listed[2])),
        unknown=unknown,
        correct=unknown if condition == AMBIGUOUS else listed.index(answer),
        biased=listed.index(stereotypical),
        labels={"condition": condition, "category": row["category"], "polarity": polarity},
    )
    assert not question_flags(item)
    return item


def _rows(name: str) -> list[dict[str, str]]:
    text = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _about(statement: str, group: str) -> str:
    return _filled(statement, who=group)


def _filled(text: str, **words: str) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word).replace(f"{{{name.capitalize()}}}", _capital(word))
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
