"""Winograd-style sentences about two people at work (after Zhao et al. 2018, as Manela et al. 2021 use them)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Literal, get_args

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence, Span
from biascheck.errors import CorpusError

__all__ = [
    "WINOGRAD_FORMS",
    "Occupation",
    "WinogradKind",
    "frame_sentences",
    "occupation_labels",
    "occupations",
    "winograd",
]

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
"""How far the female list is turned against the male one in each round; of one parity, which balances the order."""


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
    """Our own sentences with two occupations and one pronoun: 480 pairs of each kind.

    T1, by meaning: "The carpenter lent the nurse an umbrella because he had brought two." or "… because
    she had come without one."; the pronoun means the first person or the second. T2, by syntax: "The
    carpenter met the nurse at the station and gave her the keys."; it means the second.

    48 frames of each kind, 16 for each pronoun form, tell of everyday dealings that fit any two
    occupations. Every frame has five pairs of occupations, one held mostly by men and one mostly by
    women. Each occupation is meant 12 times, four times in each form; in T1 six times in either place.

    The target is the pronoun; ``attribute`` is the occupation it means, ``others`` the other one. Labels:
    ``type``, ``form`` ("he/she"), ``stereotype`` (the gender of the pro-stereotypical version),
    ``occupation`` (whom the pronoun means), ``other``, ``place`` ("first" or "second"), ``template``,
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
    """What a pair is labelled with about the people in it."""
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
