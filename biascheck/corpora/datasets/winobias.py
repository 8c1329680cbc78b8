"""Loader for the published WinoBias files (Zhao et al. 2018), read from the user's disk and never shipped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.datasets.data_directory import data_directory, data_file
from biascheck.corpora.datasets.winograd import (
    WINOGRAD_FILLERS,
    WINOGRAD_FORMS,
    WINOGRAD_GROUPS,
    Occupation,
    WinogradKind,
    occupation_labels,
    occupations,
)
from biascheck.corpora.loaded import LeftOut, Loaded
from biascheck.corpora.sentence import Sentence, Span
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["WinoBiasRule", "WinoBiasSplit", "published_winobias"]

WinoBiasSplit = Literal["test", "dev"]
WinoBiasRule = Literal["ours", "authors"]
AS_AUTHORS = "lines are chosen by the authors' rule: some pro and anti versions differ in more than the pronoun"
WINOBIAS_GENDERED = {"he", "she", "him", "her", "his", "hers", "himself", "herself", "man", "woman"}


@dataclass(frozen=True)
class _WinoBiasLine:
    """A line without its number and brackets, and where the brackets were."""

    text: str
    bracketed: tuple[Span, ...]

    @property
    def pronouns(self) -> tuple[Span, ...]:
        return tuple(
            span for span in self.bracketed if span.of(self.text).lower() in {"he", "she", "him", "her", "his"}
        )

    @property
    def people(self) -> tuple[Span, ...]:
        return tuple(
            _without_article(s, self.text) for s in self.bracketed if s.of(self.text).lower() not in WINOBIAS_GENDERED
        )

    @property
    def frame(self) -> str:
        """The text with a gap for the pronoun: what the pro and the anti version must share."""
        (pronoun,) = self.pronouns
        return f"{self.text[: pronoun.start]}{{}}{self.text[pronoun.end :]}"


def published_winobias(
    folder: str | Path | None = None,
    split: WinoBiasSplit = "test",
    kind: WinogradKind = "T1",
    *,
    rule: WinoBiasRule = "ours",
) -> Loaded:
    """The WinoBias sentences of one kind and split, every pro-stereotypical line with its anti version.

    The pronoun and the occupation it means are found by their brackets; the other occupation is the
    first further one in the sentence. Labels are those of :func:`biascheck.corpora.datasets.winograd`; the
    schema is the pair of neighbouring lines about the same two people.

    ``rule="ours"`` keeps a line if both versions have one bracketed pronoun, the two pronouns are a
    pair (he/she, him/her, his/her), nothing else differs, and nothing else in the sentence shows a
    gender. ``rule="authors"`` keeps what Manela et al. 2021 scored: every pro line with exactly one
    bracketed he, she, him, her or his, beside the first bracketed pronoun of the anti line, even where
    these are not a pair (test split: 374 of T1 and 391 of T2). Every other line is left out with its reason.
    """
    _check(split, kind, rule)
    pro, anti = (_lines(folder, side, kind, split) for side in ("pro", "anti"))
    if len(pro) != len(anti):
        raise CorpusError(f"{len(pro)} pro lines and {len(anti)} anti lines; both files must be whole")
    pairs: list[Pair] = []
    left_out: list[LeftOut] = []
    for number, (line, partner) in enumerate(zip(pro, anti, strict=True), start=1):
        reason = _objection(line, partner, rule)
        if reason:
            left_out.append(LeftOut(str(number), f"{reason}: {line.text}"))
        else:
            pairs.append(_pair(number, line, partner, kind))
    name = f"published-winobias-{kind.lower()}-{split}" + ("-authors" if rule == "authors" else "")
    warnings = (AS_AUTHORS,) if rule == "authors" else ()
    corpus = Corpus(
        name, WINOGRAD_GROUPS, tuple(pairs), fillers=WINOGRAD_FILLERS, warnings=warnings, paper="manela2021"
    )
    return Loaded(corpus, tuple(left_out))


def _check(split: str, kind: str, rule: str) -> None:
    for name, value, choices in (
        ("split", split, get_args(WinoBiasSplit)),
        ("kind", kind, get_args(WinogradKind)),
        ("rule", rule, get_args(WinoBiasRule)),
    ):
        if value not in choices:
            raise CorpusError(f"WinoBias has no {name} {value!r}; choose one of {list(choices)}")


def _lines(folder: str | Path | None, side: str, kind: str, split: str) -> list[_WinoBiasLine]:
    root = data_directory(folder)
    if root is not None and root.is_file():
        raise CorpusError(f"{root} is one file, and WinoBias needs the pro and the anti file; give their folder")
    path = data_file(folder, "winobias", f"{side}_stereotyped_type{kind[1]}.txt.{split}")
    return [_line(text) for text in path.read_text(encoding="utf-8").splitlines() if text.strip()]


def _line(numbered: str) -> _WinoBiasLine:
    text, bracketed, start = "", [], None
    for part in re.split(r"([\[\]])", re.sub(r"^\d+\s+", "", numbered.strip())):
        if part == "[":
            start = len(text)
        elif part == "]" and start is not None:
            bracketed.append(Span(start, len(text)))
            start = None
        else:
            text += part
    return _WinoBiasLine(text, tuple(bracketed))


def _objection(pro: _WinoBiasLine, anti: _WinoBiasLine, rule: str) -> str:
    """Why the line is left out, or nothing."""
    if len(pro.pronouns) != 1:
        return f"{len(pro.pronouns)} bracketed pronouns, not one"
    if not anti.pronouns:
        return "the anti version has no bracketed pronoun"
    if rule == "authors":
        return ""
    if len(anti.pronouns) != 1:
        return f"the anti version has {len(anti.pronouns)} bracketed pronouns, not one"
    if len(pro.bracketed) != 2:
        return "a further bracket shows the gender"
    if pro.frame != anti.frame:
        return "the pro and the anti version differ in more than the pronoun"
    if _form(pro, anti) not in WINOGRAD_FORMS:
        return f"the pronouns {_form(pro, anti)} are not a pair"
    shown = WINOBIAS_GENDERED & set(re.findall(r"\w+", pro.frame.lower()))
    return f"{sorted(shown)[0]!r} shows a gender outside the pronoun" if shown else ""


def _form(pro: _WinoBiasLine, anti: _WinoBiasLine) -> str:
    words = [line.pronouns[0].of(line.text).lower() for line in (pro, anti)]
    return "/".join(sorted(words, key=lambda word: (word not in ("he", "him", "his"), word)))


def _pair(number: int, pro: _WinoBiasLine, anti: _WinoBiasLine, kind: str) -> Pair:
    referent, other = _people(pro, number)
    pronoun = pro.pronouns[0].of(pro.text).lower()
    gender = "male" if pronoun in ("he", "him", "his") else "female"
    opposite = WINOGRAD_GROUPS[1 - WINOGRAD_GROUPS.index(gender)]
    sentence = Sentence(pro.text, pro.pronouns[0], referent, () if other is None else (other,))
    swapped = sentence.with_words({sentence.target: anti.pronouns[0].of(anti.text)})
    meant = _occupation(referent.of(pro.text))
    labels: dict[str, str | float] = {
        "type": kind,
        "form": _form(pro, anti),
        "place": "first" if other is None or referent < other else "second",
        "template": str(number),
        "schema": f"lines {number - (number + 1) % 2} and {number + number % 2}",
        **occupation_labels(meant, None if other is None else _occupation(other.of(pro.text))),
        "stereotype": gender,  # the file's own: the gender of its pro line
    }
    return Pair(f"{kind}/{number}", meant.name, {gender: sentence, opposite: swapped}, labels)


def _people(line: _WinoBiasLine, number: int) -> tuple[Span, Span | None]:
    """The bracketed occupation, and the first other one outside the brackets."""
    if len(line.people) != 1:
        raise CorpusError(f"line {number} has {len(line.people)} bracketed people, not one: {line.text}")
    referent = line.people[0]
    names = "|".join(re.escape(o.name) for o in occupations() if o.name.lower() != referent.of(line.text).lower())
    matches = (Span(*found.span()) for found in re.finditer(rf"\b(?:{names})\b", line.text, re.IGNORECASE))
    return referent, next((span for span in matches if not span.overlaps(referent)), None)


def _without_article(span: Span, text: str) -> Span:
    words = span.of(text)
    skipped = re.match(r"\s*(?:(?:the|an?)\s+)?", words, re.IGNORECASE)
    return Span(span.start + (skipped.end() if skipped else 0), span.end)


def _occupation(name: str) -> Occupation:
    for occupation in occupations():
        if occupation.name.lower() == name.lower():
            return occupation
    raise CorpusError(f"{name!r} is none of the 40 occupations of WinoBias; is it the published file?")
