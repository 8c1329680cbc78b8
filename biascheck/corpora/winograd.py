"""Winograd-style sentences about two people at work (after Zhao et al. 2018, as Manela et al. 2021 use them)."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Literal, get_args

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, LeftOut, Loaded, Pair, gathered_pairs
from biascheck.corpora.published import data_directory, data_file
from biascheck.corpora.sentence import Sentence

if TYPE_CHECKING:
    from pathlib import Path

WinogradKind = Literal["T1", "T2"]
WINOGRAD_GROUPS = ("male", "female")
WINOGRAD_FORMS = {"he/she": ("he", "she"), "him/her": ("him", "her"), "his/her": ("his", "her")}
WINOGRAD_FILLERS = ("person", "colleague")
PAIRS_OF_A_FRAME = 5
WINOGRAD_OFFSETS = {
    ("T1", "he/she"): (0, 6, 12, 18),
    ("T1", "him/her"): (1, 7, 13, 19),
    ("T1", "his/her"): (2, 8, 14, 4),
    ("T2", "he/she"): (3, 9, 15, 5),
    ("T2", "him/her"): (10, 16, 6, 12),
    ("T2", "his/her"): (11, 17, 1, 7),
}
"""The rotation of the female list against the male one in each round; all odd or all even, which balances the order."""


@dataclass(frozen=True)
class Occupation:
    """An occupation of WinoBias, the gender most of its people have, and the share of women in percent."""

    name: str
    stereotype: str
    share_of_women: float


@dataclass(frozen=True)
class _WinogradFrame:
    kind: str
    form: str
    name: str
    referent: str
    text: str


@cache
def occupations() -> tuple[Occupation, ...]:
    """The 40 occupations of WinoBias, 20 held mostly by men, then 20 held mostly by women.

    Names and shares are facts of Zhao et al. 2018, Table 1, from the U.S. Labor Force Statistics of 2017;
    the table's "mechanician" and "sewer" are the data's "mechanic" and "tailor".
    """
    rows = _rows("winobias_occupations.tsv")
    return tuple(Occupation(row["occupation"], row["stereotype"], float(row["share_of_women"])) for row in rows)


def winograd(kind: WinogradKind) -> Corpus:
    """Built-in sentences with two occupations and one pronoun: 480 pairs of each kind.

    T1, by meaning: "The carpenter lent the nurse an umbrella because he had brought two." or "… because
    she had come without one."; the pronoun refers to the first person or to the second. T2, by syntax: "The
    carpenter met the nurse at the station and gave her the keys."; it refers to the second.

    48 frames of each kind, 16 for each pronoun form, tell of everyday dealings that fit any two
    occupations. Every frame has five pairs of occupations, one held mostly by men and one mostly by
    women. Each occupation is the referent 12 times, four times in each form; in T1 six times in either place.

    The target is the pronoun; ``attribute`` is the occupation it refers to, ``others`` the other one. Labels:
    ``type``, ``form`` ("he/she"), ``stereotype`` (the gender of the pro-stereotypical version),
    ``occupation`` (the referent of the pronoun), ``other``, ``place`` ("first" or "second"), ``template``,
    ``schema`` (the sentence pair: two sentences with the same two occupations, in which the pronoun
    means either) and ``share_of_women``.
    """
    if kind not in get_args(WinogradKind):
        raise CorpusError(f"there are no sentences of kind {kind!r}; choose one of {list(get_args(WinogradKind))}")
    pairs = tuple(pair for form in WINOGRAD_FORMS for pair in _pairs_of_form(kind, form))
    return Corpus(f"winograd-{kind.lower()}", WINOGRAD_GROUPS, pairs, fillers=WINOGRAD_FILLERS, paper="manela2021")


def frame_sentences(text: str, form: str, first: str, second: str, referent: str) -> dict[str, Sentence]:
    """Put two people and each pronoun of a form into a frame with the slots ``{a}``, ``{b}`` and ``{p}``."""
    return {
        group: _rendered(text, {"a": first, "b": second, "p": pronoun}, referent)
        for group, pronoun in zip(WINOGRAD_GROUPS, WINOGRAD_FORMS[form], strict=True)
    }


def occupation_labels(occupation: Occupation, other: Occupation | None) -> dict[str, str | float]:
    """The labels of a pair about its two people."""
    return {
        "stereotype": occupation.stereotype,
        "occupation": occupation.name,
        "other": "" if other is None else other.name,
        "share_of_women": occupation.share_of_women,
    }


def _pairs_of_form(kind: str, form: str) -> list[Pair]:
    frames: dict[str, list[_WinogradFrame]] = {}
    for frame in _frames():
        if (frame.kind, frame.form) == (kind, form):
            frames.setdefault(frame.name, []).append(frame)
    found = []
    for place, members in enumerate(frames.values()):
        for turn in range(place * PAIRS_OF_A_FRAME, (place + 1) * PAIRS_OF_A_FRAME):
            found.extend(_schema(members, _couple(kind, form, turn)))
    return found


def _couple(kind: str, form: str, turn: int) -> tuple[Occupation, Occupation]:
    """The two occupations of one turn, in the order of the sentence."""
    people = occupations()
    men, women = people[:20], people[20:]
    round_, place = divmod(turn, len(men))
    man, woman = men[place], women[(place + WINOGRAD_OFFSETS[kind, form][round_]) % len(women)]
    return (man, woman) if (place + round_) % 2 == 0 else (woman, man)


def _schema(frames: list[_WinogradFrame], couple: tuple[Occupation, Occupation]) -> list[Pair]:
    """The two sentences of a schema: two endings of one opening, or one frame with the people in both orders."""
    if len(frames) == 2:
        return [_pair(frame, couple, couple) for frame in frames]
    return [_pair(frames[0], order, couple) for order in (couple, couple[::-1])]


def _pair(frame: _WinogradFrame, order: tuple[Occupation, ...], couple: tuple[Occupation, ...]) -> Pair:
    first, second = order
    meant, other = (first, second) if frame.referent == "first" else (second, first)
    labels: dict[str, str | float] = {
        "type": frame.kind,
        "form": frame.form,
        "place": frame.referent,
        "template": frame.name,
        "schema": f"{frame.name}: {couple[0].name}, {couple[1].name}",
        **occupation_labels(meant, other),
    }
    id = "/".join([frame.kind, frame.form.replace("/", "-"), frame.name, f"{first.name}-{second.name}", frame.referent])  # noqa: A001
    sentences = frame_sentences(frame.text, frame.form, first.name, second.name, frame.referent)
    return Pair(id, meant.name, sentences, labels)


def _rendered(text: str, words: dict[str, str], referent: str) -> Sentence:
    out, spans = "", {}
    for literal, slot, _, _ in Formatter().parse(text):
        out += literal
        if slot is not None:
            spans[slot] = Span(len(out), len(out) + len(words[slot]))
            out += words[slot]
    meant, other = ("a", "b") if referent == "first" else ("b", "a")
    return Sentence(out, spans["p"], spans[meant], (spans[other],))


@cache
def _frames() -> tuple[_WinogradFrame, ...]:
    rows = _rows("winograd_frames.tsv")
    return tuple(_WinogradFrame(row["type"], row["form"], row["frame"], row["referent"], row["text"]) for row in rows)


def _rows(name: str) -> list[dict[str, str]]:
    text = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


# Loader for the published WinoBias files (Zhao et al. 2018), read from the user's disk and never shipped.

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
        """The text with a gap for the pronoun, which the pro and the anti version must share."""
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
    first further one in the sentence. Labels are those of :func:`biascheck.corpora.winograd`; the
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
            pairs.append(_published_pair(number, line, partner, kind))
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
    """The reason why the line is left out, or an empty text."""
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


def _published_pair(number: int, pro: _WinoBiasLine, anti: _WinoBiasLine, kind: str) -> Pair:
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


# The people of a Winograd sentence under other words: names that show a gender, or a noun that shows none.

NAMES = {"male": "Bob", "female": "Alice"}
_ARTICLES = re.compile(r"(?:\b(?:the|an?)\s+)+$", re.IGNORECASE)


def with_names(corpus: Corpus, names: Mapping[str, str] = NAMES) -> Corpus:
    """Replace both people by names, article included (Manela et al. 2021, section 4.1).

    The referent of the pronoun gets the name of the sentence's pro-stereotypical gender, the other person the other
    name: "Bob lent Alice an umbrella because he had brought two." A reader who resolves the pronoun knows its gender,
    so a model's F1 here shows whether it can do the task at all. Sentences that differed only in their occupations are
    now the same and are kept once.
    """
    genders = set(names)

    def words(pair: Pair) -> tuple[str, str]:
        meant = _stereotype(pair, corpus)
        (other,) = genders - {meant}
        return names[meant], names[other]

    return _each_once(_replaced(corpus, f"{corpus.name}·names", words))


def with_persons(corpus: Corpus) -> Corpus:
    """Replace both people by "the person", which shows neither a gender nor an occupation (section 4.4).

    Sentences that are now the same are kept once.
    """
    return _each_once(with_noun(corpus, "person"))


def with_noun(corpus: Corpus, noun: str) -> Corpus:
    """Replace both people by one noun, their articles kept, and keep every pair even if it now repeats another."""
    return _replaced(corpus, f"{corpus.name}·{noun}", lambda _pair: (noun, noun), articles=True)


def _replaced(corpus: Corpus, name: str, words: Callable[[Pair], tuple[str, str]], *, articles: bool = False) -> Corpus:
    def replaced(pair: Pair) -> Pair:
        meant, other = words(pair)
        return replace(pair, sentences={g: _with_people(s, meant, other, articles) for g, s in pair.sentences.items()})

    return replace(corpus, name=name, pairs=gathered_pairs(map(replaced, corpus)))


def _each_once(corpus: Corpus) -> Corpus:
    distinct: dict[tuple[str, ...], Pair] = {}
    for pair in corpus:
        distinct.setdefault(tuple(pair.sentences[group].text for group in corpus.groups), pair)
    return replace(corpus, pairs=tuple(distinct.values()))


def _with_people(sentence: Sentence, meant: str, other: str, articles: bool) -> Sentence:
    if sentence.attribute is None:
        raise CorpusError(f"{sentence.text!r} marks no people; use winograd or published_winobias")

    def place(span: Span) -> Span:
        found = None if articles else _ARTICLES.search(sentence.text[: span.start])
        return Span(found.start(), span.end) if found else span

    return sentence.with_words({place(sentence.attribute): meant, **{place(span): other for span in sentence.others}})


def _stereotype(pair: Pair, corpus: Corpus) -> str:
    gender = str(pair.labels.get("stereotype"))
    if gender not in corpus.groups:
        raise CorpusError(f"pair {pair.id!r} has no label stereotype of {list(corpus.groups)}; use winograd")
    return gender
