"""The memory of a project: every worst case that was found, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec

from biascheck.core.context import memory_file
from biascheck.core.errors import BiascheckError, ResultError
from biascheck.core.files import updating, write_atomically
from biascheck.core.spans import Span
from biascheck.core.wording import pluralize, shortened
from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.gates.search import Search, WorstCase
from biascheck.worst_cases.invariants import ScoreKind

Place = tuple[int, int]
FIGURES = get_args(ScoreKind)
LONGEST = 80
MOST_LINES = 5


class WorstCaseLine(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One line of the file."""

    figure: str
    strategy: str
    model: str
    gap: float
    bound: float
    cause: list[str]
    texts: dict[str, str]
    figures: dict[str, float | str]
    targets: dict[str, Place]
    attributes: dict[str, Place] = {}
    others: dict[str, list[Place]] = {}
    attribute: str = ""
    labels: dict[str, str | float] = {}
    shrunk_from: int = 0

    @property
    def identity(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """What makes two lines the same case."""
        return self.figure, self.strategy, tuple(self.texts.items())


@dataclass(frozen=True)
class KnownCase:
    """A case from the file, ready to be tried again; ``place`` is its file and line."""

    pair: Pair
    gap: float
    model: str
    cause: tuple[str, ...]
    shrunk_from: int
    place: str = ""

    def not_tried(self, reason: str) -> str:
        """What a finding says of a case that this search could not try."""
        text = shortened(next(iter(self.pair.sentences.values())).text, LONGEST)
        return f"‘{text}’ ({self.place}): {reason}"


@dataclass(frozen=True)
class Memory:
    """What a search finds in the file: its own cases, and a sentence about the cases of each other search."""

    cases: tuple[KnownCase, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Placed:
    """A line of the file, with its number."""

    line: WorstCaseLine
    number: int


def remembered_cases(figure: str, strategy: str) -> Memory:
    """The cases for one figure and strategy, in the order of the file, and what is said of all others."""
    file = memory_file()
    placed = _read(file)
    own = [one for one in placed if (one.line.figure, one.line.strategy) == (figure, strategy)]
    cases = tuple(_remembered(one.line, f"{file}:{one.number}") for one in own)
    return Memory(cases, tuple(_of_other_searches(file, [one for one in placed if one not in own])))


def _of_other_searches(file: Path | None, placed: Iterable[_Placed]) -> Iterator[str]:
    """One sentence for each figure and strategy that has cases, with their lines and what to do about them."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for one in placed:
        numbers.setdefault((one.line.figure, one.line.strategy), []).append(one.number)
    for (figure, strategy), found in numbers.items():
        lines = ", ".join(map(str, found[:MOST_LINES])) + (", …" if len(found) > MOST_LINES else "")
        yield (
            f"{pluralize(len(found), 'remembered case')} of the {figure} in ‘{shortened(strategy, LONGEST)}’ "
            f"({file}, {'line' if len(found) == 1 else 'lines'} {lines}): if no search has this strategy any more, "
            f"bring it back or remove {'the line' if len(found) == 1 else 'the lines'}"
        )


def remember(file: Path, searches: Iterable[Search]) -> int:
    """Add the cases that the file does not have yet, atomically and one run at a time; say how many.

    What a test drew for itself is left out: no search could try it again, and Hypothesis remembers it.
    """
    with updating(file):
        return _added(file, searches)


def _added(file: Path, searches: Iterable[Search]) -> int:
    known = {one.line.identity for one in _read(file)}
    fresh: dict[Any, WorstCaseLine] = {}
    for search in searches:
        for case in () if search.one_by_one else search.cases:
            line = _line(search, case)
            if line.identity not in known:
                fresh.setdefault(line.identity, line)
    if not fresh:
        return 0
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if before and not before.endswith("\n"):
        before += "\n"
    added = (json.dumps(msgspec.to_builtins(line), ensure_ascii=False) for line in _ordered(fresh.values()))
    write_atomically(file, before + "".join(f"{text}\n" for text in added))
    return len(fresh)


def _ordered(lines: Iterable[WorstCaseLine]) -> list[WorstCaseLine]:
    return sorted(lines, key=lambda line: (line.figure, line.strategy, line.model, -line.gap, line.identity))


def _read(file: Path | None) -> list[_Placed]:
    if file is None or not file.exists():
        return []
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"{file}: cannot be read ({error}); restore it from version control or remove it") from error
    # a text may hold other separators of lines, which are no end of a record
    lines = enumerate(text.split("\n"), 1)
    return [_Placed(_parsed(line, f"{file}:{number}"), number) for number, line in lines if line.strip()]


def _parsed(text: str, place: str) -> WorstCaseLine:
    try:
        line = msgspec.json.decode(text, type=WorstCaseLine)
        _refuse_unknown(line)
        _remembered(line, place)
    except (msgspec.MsgspecError, BiascheckError, LookupError, ValueError, RecursionError) as error:
        raise ResultError(f"{place}: not a worst case ({error}); restore the line or delete it") from error
    return line


def _refuse_unknown(line: WorstCaseLine) -> None:
    """Refuse a figure that no search has, and groups that the texts do not have."""
    if line.figure not in FIGURES:
        raise ResultError(f"figure is {line.figure!r}, and no search tries it; figures are {', '.join(FIGURES)}")
    parts: dict[str, Mapping[str, object]] = {
        "targets": line.targets,
        "attributes": line.attributes,
        "others": line.others,
        "figures": line.figures,
    }
    for name, by_group in parts.items():
        if unknown := [group for group in by_group if group not in line.texts]:
            raise ResultError(f"{name} has the group {unknown[0]!r}, and texts are of {', '.join(line.texts)}")
    if missing := [group for group in line.texts if group not in line.targets]:
        raise ResultError(f"targets lacks the group {missing[0]!r}, which has a text")


def _remembered(line: WorstCaseLine, place: str) -> KnownCase:
    sentences = {group: _sentence(line, group, text) for group, text in line.texts.items()}
    pair = Pair(next(iter(line.texts.values()), ""), line.attribute, sentences, line.labels)
    return KnownCase(pair, line.gap, line.model, tuple(line.cause), line.shrunk_from, place)


def _sentence(line: WorstCaseLine, group: str, text: str) -> Sentence:
    attribute = line.attributes.get(group)
    others = tuple(Span(*place) for place in line.others.get(group, ()))
    return Sentence(text, Span(*line.targets[group]), Span(*attribute) if attribute else None, others)


def _line(search: Search, case: WorstCase) -> WorstCaseLine:
    versions = case.versions
    return WorstCaseLine(
        figure=search.figure,
        strategy=search.strategy,
        model=search.model,
        gap=round(case.gap, 6),
        bound=search.bound,
        cause=list(case.cause),
        texts={one.group: one.text for one in versions},
        figures={one.group: _rounded(one.figure) for one in versions},
        targets={one.group: one.target for one in versions},
        attributes={one.group: one.attribute for one in versions if one.attribute is not None},
        others={one.group: list(one.others) for one in versions if one.others},
        attribute=case.attribute,
        labels=_plain(case.labels),
        shrunk_from=case.shrunk_from,
    )


def _rounded(value: float | str) -> float | str:
    return value if isinstance(value, str) else round(value, 6)


def _plain(labels: Mapping[str, str | float]) -> dict[str, str | float]:
    return dict(sorted(labels.items()))
