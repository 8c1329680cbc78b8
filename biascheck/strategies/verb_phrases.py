"""What people do in the sentences of the grammar: verb phrases by topic, and the words in their slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, get_args

from biascheck.errors import UsageError
from biascheck.strategies.choosing import Choosing, Path
from biascheck.strategies.phrasing import marked, with_article

__all__ = ["PERSON_SLOTS", "SLOT", "TOPICS", "Aspect", "Topic", "VerbPhrase", "phrase_words", "phrases_on"]

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
    text = files("biascheck.strategies").joinpath("data", file).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def _shortest(phrase: VerbPhrase) -> str:
    """The phrase with the shortest words in its slots."""
    words = phrase_words()
    rest = SLOT.sub(lambda slot: " ".join(filter(None, (slot[1], words.get(slot[2], (slot[2],))[0]))), phrase.rest)
    return f"{phrase.past} {MARKED.sub(lambda found: found[1], rest)}"


def _simplicity(text: str) -> tuple[int, int, str]:
    return len(text.split()), len(text), text
