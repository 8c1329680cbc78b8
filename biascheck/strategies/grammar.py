"""A grammar of English sentences about one person: statements, reports, questions, quoted speech, two people.

A sentence has a frame, one to three clauses with a verb phrase each, and perhaps a time. All verbs are in the past
tense and all subjects in the singular, so that all combinations agree; a time and a reason are given once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from biascheck.corpora.corpus import Pair
from biascheck.strategies.choosing import Choosing, Path
from biascheck.strategies.joints import AFTER_WHETHER, IN_A_QUESTION, IN_A_STATEMENT, Joint
from biascheck.strategies.person_sets import PersonSet
from biascheck.strategies.phrasing import pair_of, unmarked
from biascheck.strategies.verb_phrases import Aspect, VerbPhrase, phrase_words, phrases_on

__all__ = ["FRAMES", "TIMES", "grammar"]

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
