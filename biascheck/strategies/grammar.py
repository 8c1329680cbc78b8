"""A grammar of English sentences about one person: statements, reports, questions, quoted speech, two people.

A sentence has a frame, one to three clauses with a verb phrase each, and perhaps a time. All verbs are in the past
tense and all subjects in the singular, so that whatever is combined agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from biascheck.corpora.corpus import Pair
from biascheck.strategies.choosing import Choosing, Path
from biascheck.strategies.person_sets import PersonSet
from biascheck.strategies.phrasing import pair_of, unmarked
from biascheck.strategies.verb_phrases import VerbPhrase, phrase_words, phrases_on

__all__ = ["FRAMES", "MOST_CLAUSES", "grammar"]

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
TIMES_OF_A_STATE = ("", "then", "at first", "back then", "at the time", "in those days")
JOINTS = (" and", " because {he}", ", and {he}", ", but {he}", " although {he}", " before {he}", " after {he}")
JOINTS_AFTER_WHETHER = (" and", " because {he}", " when {he}", " before {he}", " after {he}")
JOINTS_OF_A_QUESTION = (" because {he}", " when {he}", " before {he}", " after {he}")
LAST_JOINT = " while {he}"
ONLY_EVENTS = (" before {he}", " after {he}")


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

    @property
    def joints(self) -> tuple[str, ...]:
        """How its clauses can be joined: by nothing that would read twice, or answer what the frame asks."""
        words = set(self.line.lower().split())
        known = JOINTS_OF_A_QUESTION if self.asks else JOINTS_AFTER_WHETHER if "whether" in words else JOINTS
        taken = words & {"because", "although"} or ({"because"} if "why" in words else set())
        return tuple(joint for joint in known if joint.removesuffix(" {he}").strip() not in taken)


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
        self._joints: list[str] = []

    def add(self, number: int) -> None:
        """Choose one more clause."""
        path: Path = ("clause", number)
        place = self._choosing.pick((*path, "phrase"), len(self._known))
        # the next one that the sentence does not have yet
        ahead = (*self._known[place:], *self._known[:place])
        phrase = next(one for one in ahead if one not in self.phrases)
        self._choosing.texts[*path, "phrase"] = phrase.name
        complement, attribute = phrase.complement(self._choosing, path)
        if number:
            self._text += f"{self._joint(phrase, path)} {phrase.past} {unmarked(complement)}"
        else:
            self.attribute = attribute
            self._text = f"{complement}{self._time(phrase)}"
        self.phrases.append(phrase)

    def _joint(self, phrase: VerbPhrase, path: Path) -> str:
        """How the clause is joined to those before; in no way twice, and without a time order for what is no event."""
        fitting = [
            joint
            for joint in self._frame.joints
            if joint not in self._joints and not (phrase.is_state and joint in ONLY_EVENTS)
        ]
        joint = self._choosing.choose((*path, "joint"), fitting or [LAST_JOINT])
        self._choosing.texts[*path, "joint"] = joint.removesuffix(" {he}").strip(" ,")
        self._joints.append(joint)
        return joint

    def _time(self, phrase: VerbPhrase) -> str:
        time = self._choosing.choose(("time",), TIMES_OF_A_STATE if phrase.is_state else TIMES)
        return f" {time}" if time else ""

    def in_frame(self) -> str:
        """The line with the frame around the clauses."""
        first = self.phrases[0]
        question = f"was {{target}} {self._text}" if first.is_state else f"did {{target}} {first.base} {self._text}"
        occupation = ""
        if "{o}" in self._frame.line:
            occupation = self._choosing.choose(("frame", "occupation"), phrase_words()["occupation"])
        said = {
            "{s}": f"{{target}} {first.past} {self._text}",
            "{q}": question,
            "{c}": f"{first.past} {self._text}",
            "{o}": occupation,
        }
        line = self._frame.line
        for place, text in said.items():
            line = line.replace(place, text)
        return line
