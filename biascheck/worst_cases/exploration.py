"""The examples of a search and their readings, cached between runs; each distinct example is read once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from random import Random
from typing import Any

from biascheck.core.identity import package_code
from biascheck.core.store import active_cache, digest_of
from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.models.scoring.queries import Refusal
from biascheck.worst_cases.invariants import Invariant, VersionScores
from biascheck.worst_cases.programs import ANYWHERE, CHOICE_FORMS, Choices, Choosing, Path, Program, simplest

# Readings of examples that an earlier run asked the same model for: a repeated search asks nothing
# new.

FORMAT = "readings of examples 1"


def cached_version_scores(invariant: Invariant, pairs: Sequence[Pair]) -> list[VersionScores | Refusal]:
    """The readings of a block of examples, from the cache if this code has asked this model before."""
    cache, model = active_cache(), invariant.model
    # A function has no fingerprint by which a later run could find its answers again.
    if cache is None or not getattr(model, "is_persistent", True) or not model.fingerprint:
        return invariant.read(pairs)
    facts = [FORMAT, package_code(), invariant.figure, str(model.fingerprint), getattr(model, "framing", "")]
    key = digest_of([*facts, list(getattr(model, "treatment", ())), [_facts(pair) for pair in pairs]])
    document = cache.fetch(key, lambda: [_document(one) for one in invariant.read(pairs)])
    return [_reading(entry) for entry in document]


def _facts(pair: Pair) -> list[object]:
    return [pair.attribute, [[g, *_spans(s)] for g, s in pair.sentences.items()], sorted(pair.labels.items())]


def _spans(sentence: Sentence) -> list[object]:
    spans = [sentence.target, sentence.attribute, *sentence.others]
    return [sentence.text, *(None if span is None else [span.start, span.end] for span in spans)]


def _document(found: VersionScores | Refusal) -> dict[str, Any]:
    if isinstance(found, Refusal):
        return {"refusal": found.reason}
    return {"figures": dict(found.figures), "gap": found.gap}


def _reading(entry: dict[str, Any]) -> VersionScores | Refusal:
    return Refusal(entry["refusal"]) if "refusal" in entry else VersionScores(entry["figures"], entry["gap"])


# Examples with their choices and their readings; each distinct example is read once, in blocks.

WORD = re.compile(r"\w+")


def words_in(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(WORD.findall(text.lower()))


@dataclass(frozen=True)
class DrawnExample:
    """An example and the choices that made it; none are known of an example from elsewhere.

    ``at_random`` says that nothing but chance chose it, so that it counts for the share of all examples.
    """

    pair: Pair
    choices: Choices = field(default_factory=dict)
    counts: Choices = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)
    at_random: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Its identity: its texts."""
        return tuple(sentence.text for sentence in self.pair.sentences.values())

    @cached_property
    def size(self) -> tuple[int, int, int, tuple[str, ...]]:
        """How simple it is: words, letters, then choices."""
        texts = self.key
        choices = sum(self.choices.values())
        return sum(len(text.split()) for text in texts), sum(map(len, texts)), choices, texts

    @property
    def length(self) -> int:
        """The words of its longest version."""
        return max(len(text.split()) for text in self.key)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all its versions."""
        return frozenset().union(*map(words_in, self.key))

    @cached_property
    def features(self) -> frozenset[tuple[str, str]]:
        """What was chosen, by kind of slot, wherever in the sentence it is."""
        return frozenset((str(path[-1]), text) for path, text in self.texts.items() if text)


@dataclass(frozen=True)
class Scored:
    """An example with its reading."""

    drawn: DrawnExample
    reading: VersionScores

    @property
    def gap(self) -> float:
        """How far apart its versions are."""
        return self.reading.gap

    @property
    def direction(self) -> tuple[str, str]:
        """The groups with the lowest and the highest figure; of answers, the first two that differ."""
        figures = self.reading.figures
        if any(isinstance(value, str) for value in figures.values()):
            first = next(iter(figures))
            return first, next((group for group in figures if figures[group] != figures[first]), first)
        ordered = sorted(figures, key=lambda group: float(figures[group]))
        return ordered[0], ordered[-1]


class Reader:
    """Reads examples in blocks and remembers every reading."""

    def __init__(self, invariant: Invariant) -> None:
        self._invariant = invariant
        self._known: dict[tuple[str, ...], VersionScores | Refusal] = {}
        self.refused = 0
        self.refusal = ""

    def read(self, block: Sequence[DrawnExample]) -> list[Scored | None]:
        """The readings of a block, in order; none where the model refuses an example."""
        fresh = {one.key: one.pair for one in block if one.key not in self._known}
        if fresh:
            self._known.update(zip(fresh, cached_version_scores(self._invariant, list(fresh.values())), strict=True))
        return [self._scored(one) for one in block]

    def count_refused(self, block: Iterable[DrawnExample]) -> None:
        """Remember how many of a block have no reading, and why."""
        for one in block:
            if isinstance(found := self._known[one.key], Refusal):
                self.refused += 1
                self.refusal = self.refusal or found.reason

    def reason_of(self, one: DrawnExample) -> str:
        """Why an example that was read has no figure."""
        found = self._known[one.key]
        return found.reason if isinstance(found, Refusal) else ""

    def _scored(self, one: DrawnExample) -> Scored | None:
        found = self._known[one.key]
        return None if isinstance(found, Refusal) else Scored(one, found)


# The examples of a search: random ones first, then new combinations of words, and neighbours of the worst.
#
# Random examples say how common a failure is. The rest is guided: half of it has a word that no example has
# had, or two that no example has had together; the other half changes or combines the worst ones, as soon as
# some are worse than others.
#
# A model that does not see the person of a sentence, such as a masked language model, reads "[MASK] was ill"
# once for James, Mary and everybody else. With it, every sentence is tried about several people, its
# *companions*.

EXPLORED_AT_ONCE = 250
CANDIDATES = 5
ATTEMPTS = 30
REPETITIONS = 3
"""How often a guided example is drawn anew because it has been tried already."""
PERSON_CHOICE = "person"
UNCOUNTED = (*CHOICE_FORMS, PERSON_CHOICE)
NO_AIM = (PERSON_CHOICE, "joint")
"""Kinds of choices that guidance ignores."""
PARENTS = 20


def drawn_from(program: Program[Any], choosing: Choosing) -> DrawnExample:
    """The example of some choices."""
    pair = program.build(choosing)
    return DrawnExample(pair, choosing.made, choosing.counts, choosing.texts)


class Exploration:
    """Draws examples of a program, each sentence about so many ``people``; the same seed draws the same ones."""

    def __init__(self, program: Program[Any], seed: str, people: int = 1) -> None:
        self._program = program
        self._rng = Random(seed)
        self._people = people
        self._companions = _companions(program) if people > 1 else {}
        self._met: set[tuple[Any, Any]] = set()
        self._unseen: dict[str, set[int]] = {}
        self._tried: set[tuple[str, ...]] = set()
        self.values: dict[tuple[str, str], int] = {}
        self._words: list[tuple[str, str]] = []

    @property
    def has_companions(self) -> bool:
        """Whether there are sentences that are tried about several people."""
        return any(len(alike) > 1 for alike in self._companions.values())

    def random(self, count: int) -> list[DrawnExample]:
        """Examples at random, independent of each other; their companions are not ``at_random``."""
        drawn: list[DrawnExample] = []
        while len(drawn) < count:
            drawn += self._with_companions(replace(self._draw({}), at_random=True))
        return drawn[:count]

    def guided(self, count: int, known: Sequence[Scored], *, bound: float) -> list[DrawnExample]:
        """Unexplored examples, and neighbours of the worst ones so far.

        As long as nothing fails, half of them are near the worst; then a quarter, as there may be other causes.
        """
        parents = self._parents(known)
        every = 4 if parents and parents[0].gap > bound else 2
        near = partial(self._near, parents)
        drawn: list[DrawnExample] = []
        sentences = 0
        while len(drawn) < count:
            sentences += 1
            make = near if parents and sentences % every == 0 else self._unmet
            drawn += self._with_companions(self._untried(make))
        return drawn[:count]

    def _untried(self, make: Callable[[], DrawnExample]) -> DrawnExample:
        one = make()
        for _ in range(REPETITIONS):
            if one.key not in self._tried:
                break
            one = make()
        return one

    def _with_companions(self, one: DrawnExample) -> list[DrawnExample]:
        """An example, and the same sentence about other people where a model that sees nobody reads it once."""
        person = one.choices.get((PERSON_CHOICE,), 0)
        others = [value for value in self._companions.get(person, ()) if value != person]
        chosen = self._rng.sample(others, min(len(others), self._people - 1))
        return [
            self._noted(one),
            *(self._noted(self._draw({**one.choices, (PERSON_CHOICE,): value})) for value in chosen),
        ]

    def _draw(self, given: Choices) -> DrawnExample:
        return drawn_from(self._program, Choosing(given, self._rng.randrange))

    def _noted(self, one: DrawnExample) -> DrawnExample:
        self._tried.add(one.key)
        self._met.update(_meetings(one))
        for path, text in one.texts.items():
            word = str(path[-1]), text
            if path in one.counts and path[-1] not in NO_AIM:
                self._unseen.setdefault(word[0], set(range(one.counts[path]))).discard(one.choices[path])
            if word not in self.values:
                self.values[word] = one.choices[path]
                if text and path[-1] not in UNCOUNTED:
                    self._words.append(word)
        return one

    def _unmet(self) -> DrawnExample:
        """Of a few examples, the one in which most words meet that have not met before."""
        given = self._newcomer() or self._strangers()
        drawn = [self._draw(given) for _ in range(CANDIDATES)]
        return max(drawn, key=lambda one: sum(meeting not in self._met for meeting in _meetings(one)))

    def _newcomer(self) -> dict[Path, int]:
        """A choice that no example has had, proposed once: there may be no sentence for it."""
        kinds = sorted(kind for kind, values in self._unseen.items() if values)
        if not kinds:
            return {}
        kind = self._rng.choice(kinds)
        value = self._rng.choice(sorted(self._unseen[kind]))
        self._unseen[kind].discard(value)
        return {(ANYWHERE, kind): value}

    def _strangers(self) -> dict[Path, int]:
        """Two words that no example has had together."""
        for _ in range(ATTEMPTS if len(self._words) > 1 else 0):
            first, second = sorted(self._rng.sample(self._words, 2))
            if first[0] != second[0] and (first, second) not in self._met:
                return {(ANYWHERE, kind): self.values[kind, text] for kind, text in (first, second)}
        return {}

    def _parents(self, known: Sequence[Scored]) -> list[Scored]:
        """The worst examples, each of another sentence, if they are worse than the common one."""
        ordered = sorted(known, key=lambda one: (-one.gap, one.drawn.size))
        if not ordered or ordered[0].gap <= ordered[len(ordered) // 2].gap:
            return []
        sentences: dict[frozenset[tuple[Path, int]], Scored] = {}
        for one in ordered:
            sentences.setdefault(frozenset(_without_person(one.drawn).items()), one)
            if len(sentences) == PARENTS:
                break
        return list(sentences.values())

    def _near(self, parents: Sequence[Scored]) -> DrawnExample:
        """A child of one of the worst: some choices drawn anew, or taken from another one."""
        parent = dict(self._rng.choice(parents).drawn.choices)
        paths = list(parent)
        if len(parents) > 1 and self._rng.random() < 0.5:
            other = self._rng.choice(parents).drawn.choices
            taken = {path: value for path, value in other.items() if self._rng.random() < 0.5}
            return self._draw({**parent, **taken})
        for path in self._rng.sample(paths, min(len(paths), self._rng.randint(1, 2))):
            del parent[path]
        return self._draw(parent)


def _without_person(one: DrawnExample) -> dict[Path, int]:
    return {path: value for path, value in one.choices.items() if path[-1] != PERSON_CHOICE}


def _companions(program: Program[Any]) -> dict[int, list[int]]:
    """For each person, all those with whom a sentence is the same but for the person: "my" son is not "the" boy.

    Looked up in the longest sentence, which has most pronouns.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for value in range(drawn_from(program, Choosing({}, simplest)).counts.get((PERSON_CHOICE,), 0)):
        other = drawn_from(program, Choosing({(PERSON_CHOICE,): value}, lambda count: count - 1))
        alike.setdefault(_without_target(other.pair), []).append(value)
    return {value: values for values in alike.values() for value in values}


def _without_target(pair: Pair) -> tuple[str, ...]:
    return tuple(one.text[: one.target.start] + one.text[one.target.end :] for one in pair.sentences.values())


def _meetings(one: DrawnExample) -> Iterator[tuple[Any, Any]]:
    """The pairs of words that were chosen, whatever the form of the sentence and whoever it is about."""
    return combinations(sorted(word for word in one.features if word[0] not in UNCOUNTED), 2)
