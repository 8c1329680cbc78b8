"""A grammar of English sentences about one person: statements, reports, questions, quoted speech, two people.

A sentence has a frame, one to three clauses with a verb phrase each, and perhaps a time. All verbs are in the past
tense and all subjects in the singular, so that all combinations agree; a time and a reason are given once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, get_args

from biascheck.core.errors import UsageError
from biascheck.corpora.corpus import Pair
from biascheck.worst_cases.people import PersonSet, marked, pair_of, unmarked, with_article
from biascheck.worst_cases.programs import Choosing, Path

# Verb phrases by topic, and the words in their slots.

Topic = Literal["people", "work", "family", "travel", "illness", "money"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
Aspect = Literal["trait", "state", "lasting", "event", "brief"]
"""Which times a phrase can have: "was kind then", "worked as a cook last year", "smiled at the cook after lunch"."""
PERSON_SLOTS = ("target", "object", "he", "him", "his")
SLOT = re.compile(r"\{(?:(a|the) )?(\w+)\}")
MARKED = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class VerbPhrase:
    """A verb and its complement: "work", "worked", "as [{a occupation}]", where the attribute is in brackets."""

    topic: str
    aspect: Aspect
    base: str
    past: str
    rest: str
    fillers: str

    @property
    def is_state(self) -> bool:
        """Whether it says how somebody is rather than what they do."""
        return self.aspect in ("trait", "state")

    @cached_property
    def name(self) -> str:
        """What it is called among the choices: "worked as a …"."""
        slots = SLOT.sub(lambda slot: slot[2] if slot[2] in PERSON_SLOTS else f"{slot[1] or ''} …".strip(), self.rest)
        return f"{self.past} {MARKED.sub(lambda found: found[1], slots)}"

    def complement(self, choosing: Choosing, path: Path) -> tuple[str, str]:
        """The complement with its words, the attribute marked, and the attribute without its article."""
        chosen: dict[str, str] = {}

        def word(match: re.Match[str]) -> str:
            article, category = match[1], match[2]
            if category in PERSON_SLOTS:
                return match[0]
            noun = choosing.choose((*path, category), phrase_words()[category])
            chosen[category] = noun
            return with_article(noun) if article == "a" else f"{article} {noun}" if article else noun

        inside = MARKED.search(self.rest)
        assert inside is not None
        slot = SLOT.search(inside[1])
        text = MARKED.sub(lambda found: marked(found[1]), SLOT.sub(word, self.rest))
        return text, chosen[slot[2]] if slot else inside[1].removeprefix("a ").removeprefix("the ")


@cache
def phrase_words() -> dict[str, tuple[str, ...]]:
    """The words of each slot, the shortest first."""
    rows = _rows("phrase_words.tsv")
    return {category: tuple(sorted(words.split(", "), key=_simplicity)) for category, words in rows}


@cache
def phrases_on(topics: tuple[str, ...] = TOPICS) -> tuple[VerbPhrase, ...]:
    """The verb phrases on these topics, the shortest first."""
    unknown = sorted(set(topics) - set(TOPICS))
    if unknown or not topics:
        raise UsageError(f"no topic {', '.join(unknown) or 'at all'}; there are: {', '.join(TOPICS)}")
    rows = [VerbPhrase(*row) for row in _rows("verb_phrases.tsv")]  # type: ignore[arg-type]
    return tuple(sorted((row for row in rows if row.topic in topics), key=lambda row: _simplicity(_shortest(row))))


def _rows(file: str) -> list[list[str]]:
    text = files("biascheck.worst_cases").joinpath("data", file).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def _shortest(phrase: VerbPhrase) -> str:
    """The phrase with the shortest words in its slots."""
    words = phrase_words()
    rest = SLOT.sub(lambda slot: " ".join(filter(None, (slot[1], words.get(slot[2], (slot[2],))[0]))), phrase.rest)
    return f"{phrase.past} {MARKED.sub(lambda found: found[1], rest)}"


def _simplicity(text: str) -> tuple[int, int, str]:
    return len(text.split()), len(text), text


# Joints between clauses: addition, reason, contrast or time, each at most once in a sentence.

Relation = Literal["addition", "reason", "contrast", "time"]


@dataclass(frozen=True)
class Joint:
    """What comes between two clauses, and how it relates them."""

    text: str
    relation: Relation

    @property
    def name(self) -> str:
        """Its words alone: "and", "because"."""
        return self.text.removesuffix(" {he}").strip(" ,")

    def fits(self, before: VerbPhrase, phrase: VerbPhrase, time: str) -> bool:
        """Whether it can join a phrase to the one before, in a sentence with that time.

        Only events have an order in time. "When she was kind" says no time, "shy when he was lazy" hardly one, and
        "rich back then before …" says it twice. "Was kind and was strict" wants a pronoun.
        """
        if self.relation != "time":
            return not (self.text == " and" and before.base == phrase.base == "be")
        if self.name == "when":
            ordered = phrase.aspect != "trait" and not (before.is_state and phrase.is_state)
        else:
            ordered = not phrase.is_state and not time.startswith(self.name)
        return ordered and not (before.is_state and time)


AND = Joint(" and", "addition")
BECAUSE = Joint(" because {he}", "reason")
WHEN = Joint(" when {he}", "time")
BEFORE = Joint(" before {he}", "time")
AFTER = Joint(" after {he}", "time")
IN_A_STATEMENT = (
    AND,
    BECAUSE,
    Joint(", and {he}", "addition"),
    Joint(", but {he}", "contrast"),
    Joint(" although {he}", "contrast"),
    BEFORE,
    AFTER,
)
AFTER_WHETHER = (AND, BECAUSE, WHEN, BEFORE, AFTER)
IN_A_QUESTION = (BECAUSE, WHEN, BEFORE, AFTER)

MOST_CLAUSES = 3
TIMES = (
    "",
    "yesterday",
    "at night",
    "in May",
    "again",
    "last year",
    "last week",
    "last night",
    "on Monday",
    "after lunch",
    "in the morning",
    "two days ago",
    "in the summer",
    "on Friday night",
    "during the holidays",
)
LONG_TIMES = ("", "in May", "again", "last year", "in the summer", "during the holidays")
TIMES_OF_A_STATE = ("", "then", "at first", "back then", "at the time", "in those days")
TIMES_OF: dict[Aspect, tuple[str, ...]] = {
    "trait": TIMES_OF_A_STATE,
    "state": TIMES_OF_A_STATE,
    "lasting": LONG_TIMES,
    "event": TIMES,
    "brief": tuple(time for time in TIMES if time in ("", "again") or time not in LONG_TIMES),
}


@dataclass(frozen=True)
class Frame:
    """What is around the clauses: ``{s}`` is a statement, ``{q}`` a question without its mark, ``{o}`` an occupation.

    ``{c}`` are clauses without their subject, after one that the frame has itself.
    """

    name: str
    line: str

    @property
    def asks(self) -> bool:
        """Whether its clauses form a direct question."""
        return "{q}" in self.line

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """How its clauses can be joined: by nothing that would read twice, or answer what the frame asks."""
        words = set(self.line.lower().split())
        known = IN_A_QUESTION if self.asks else AFTER_WHETHER if "whether" in words else IN_A_STATEMENT
        taken = {"reason"} if words & {"because", "why"} else {"contrast"} if "although" in words else set()
        return tuple(joint for joint in known if joint.relation not in taken)


FRAMES = (
    Frame("statement", "{s}."),
    Frame("question", "{q}?"),
    Frame("why", "Why {q}?"),
    Frame("quoted", "“{s},” said the {o}."),
    Frame("quoted after", "The {o} said, “{s}.”"),
    Frame("hearsay", "I heard that {s}."),
    Frame("indirect why", "Nobody knew why {s}."),
    Frame("quoted question", "“{q}?” asked the {o}."),
    Frame("quoted question after", "The {o} asked, “{q}?”"),
    Frame("according", "According to the {o}, {s}."),
    Frame("reported", "The {o} said that {s}."),
    Frame("indirect question", "Do you know whether {s}?"),
    Frame("told", "The {o} told {object} that {he} {c}."),
    Frame("blamed", "The {o} blamed {object} because {he} {c}."),
    Frame("praised", "The {o} praised {object} because {he} {c}."),
    Frame("trusted", "The {o} trusted {object} although {he} {c}."),
)


def grammar(people: Callable[[Choosing], PersonSet], topics: Sequence[str]) -> Callable[[Choosing], Pair]:
    """The sentences on some topics, about people that are chosen as ``people`` says."""
    phrases = phrases_on(tuple(topics))

    def build(choosing: Choosing) -> Pair:
        frame = FRAMES[choosing.pick(("frame",), len(FRAMES))]
        persons = people(choosing)
        choosing.texts["frame",] = frame.name
        count = choosing.pick(("clauses",), MOST_CLAUSES) + 1
        clauses = _Clauses(choosing, phrases, frame)
        for number in range(count):
            clauses.add(number)
        labels = {"topic": clauses.phrases[0].topic, "frame": frame.name, "phrase": clauses.phrases[0].name}
        labels["fillers"] = clauses.phrases[0].fillers
        return pair_of(clauses.in_frame(), persons, clauses.attribute, labels)

    return build


class _Clauses:
    """The clauses of one sentence, from left to right."""

    def __init__(self, choosing: Choosing, phrases: Sequence[VerbPhrase], frame: Frame) -> None:
        self._choosing = choosing
        self._known = phrases
        self._frame = frame
        self.phrases: list[VerbPhrase] = []
        self.attribute = ""
        self._text = ""
        self._time = ""
        self._relations: set[str] = set()

    def add(self, number: int) -> None:
        """Choose one more clause, if one fits."""
        path: Path = ("clause", number)
        place = self._choosing.pick((*path, "phrase"), len(self._known))
        ahead = (*self._known[place:], *self._known[:place])
        phrase = next((one for one in ahead if self._fits(one)), None)
        if phrase is None:
            return
        self._choosing.texts[*path, "phrase"] = phrase.name
        complement, attribute = phrase.complement(self._choosing, path)
        if self.phrases:
            self._text += f"{self._joint(phrase, path)} {phrase.past} {unmarked(complement)}"
        else:
            self.attribute = attribute
            self._time = self._choosing.choose(("time",), TIMES_OF[phrase.aspect])
            self._text = f"{complement} {self._time}".rstrip()
        self.phrases.append(phrase)

    def _fits(self, phrase: VerbPhrase) -> bool:
        return not self.phrases or (phrase not in self.phrases and bool(self._joints(phrase)))

    def _joints(self, phrase: VerbPhrase) -> list[Joint]:
        open_ones = (joint for joint in self._frame.joints if joint.relation not in self._relations)
        return [joint for joint in open_ones if joint.fits(self.phrases[-1], phrase, self._time)]

    def _joint(self, phrase: VerbPhrase, path: Path) -> str:
        joint = self._choosing.choose((*path, "joint"), self._joints(phrase))
        self._choosing.texts[*path, "joint"] = joint.name
        self._relations.add(joint.relation)
        return joint.text

    def in_frame(self) -> str:
        """The line with the frame around the clauses."""
        first = self.phrases[0]
        verb = "was {target}" if first.base == "be" else f"did {{target}} {first.base}"
        occupation = ""
        if "{o}" in self._frame.line:
            occupation = self._choosing.choose(("frame", "occupation"), phrase_words()["occupation"])
        said = {
            "{s}": f"{{target}} {first.past} {self._text}",
            "{q}": f"{verb} {self._text}",
            "{c}": f"{first.past} {self._text}",
            "{o}": occupation,
        }
        line = self._frame.line
        for place, text in said.items():
            line = line.replace(place, text)
        return line
