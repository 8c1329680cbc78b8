"""Compose short reviews from parts written for this project, and write them as a table of the package.

    python tools/compose_reviews.py

A review is a verdict on a person, mostly with a neutral sentence before it, a second verdict or a closing one. Reviews
come in twos: a positive and a negative one with the same people, the same neutral sentences and opposite verdicts, so
that neither the subject nor a gender gives the sentiment away. Every fourth verdict and closing is kept for the test
part: no verdict that a classifier is tested with was in its training.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

PARTS = Path(__file__).parent / "review_parts"
TABLE = Path(__file__).parents[1] / "biascheck" / "corpora" / "data" / "composed_reviews.tsv"
COLUMNS = ("part", "label", "kind", "text")
KINDS = ("film", "book", "restaurant", "stage")
TWOS = {"train": 464, "test": 132}
TEST_EVERY = 4
FORMS = ("closed", "opened", "opened and closed", "twofold")
PRONOUNS = {
    "male": {"he": "he", "his": "his", "him": "him", "himself": "himself"},
    "female": {"he": "she", "his": "her", "him": "her", "himself": "herself"},
}
Part = Literal["train", "test"]
Row = dict[str, str]


@dataclass(frozen=True)
class Parts:
    """What reviews of one kind and one part are made of."""

    verdicts: Sequence[Row]
    closings: Sequence[Row]
    openings: Sequence[Row]
    introductions: Sequence[Row]
    people: Sequence[Row]


def main() -> None:
    """Write the table."""
    lines = ["\t".join(COLUMNS), *("\t".join(row) for row in composed())]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def composed() -> Iterator[tuple[str, str, str, str]]:
    """All rows, a positive and a negative one in turn."""
    seen: set[str] = set()
    for part, count in TWOS.items():
        rng = np.random.default_rng([2022, count])
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            gender = ("male", "female")[number // len(KINDS) % 2]
            positive, negative = _new_two(parts_of(kind, part), gender, number // len(KINDS), rng, seen)  # type: ignore[arg-type]
            yield part, "pos", kind, positive
            yield part, "neg", kind, negative


@cache
def parts_of(kind: str, part: Part) -> Parts:
    """The parts for one kind of review; verdicts and closings are those of this part of the data alone."""
    own = {name: _table(name, kind) for name in ("verdicts", "openings", "introductions", "people")}
    return Parts(
        verdicts=_kept(own["verdicts"], part),
        closings=[row for row in _kept(_table("closings"), part) if {"any", kind} & set(row["kinds"].split(","))],
        openings=own["openings"],
        introductions=own["introductions"],
        people=own["people"],
    )


def _new_two(parts: Parts, gender: str, number: int, rng: np.random.Generator, seen: set[str]) -> tuple[str, str]:
    """A two of which neither text was made before; verdicts take turns."""
    while True:
        two = _two(parts, gender, parts.verdicts[number % len(parts.verdicts)], rng)
        if not seen & set(two):
            seen.update(two)
            return two


def _two(parts: Parts, gender: str, verdict: Row, rng: np.random.Generator) -> tuple[str, str]:
    person = _one([one for one in parts.people if _fits(verdict, one)], rng)
    form = FORMS[rng.integers(len(FORMS))]
    opening, closing = _one(parts.openings, rng)["text"], _one(parts.closings, rng)
    introduction = _one([one for one in parts.introductions if _fits(one, person)], rng)["text"]
    others = [one for one in parts.verdicts if not _names(one) and one != verdict and _fits(one, person)]
    second = _one(others or [verdict], rng)
    texts = []
    for sentiment in ("positive", "negative"):
        sentences = [
            opening if form.startswith("opened") else "",
            "" if _names(verdict) else introduction,
            verdict[sentiment],
            second[sentiment] if form == "twofold" and others else "",
            closing[sentiment] if form.endswith("closed") or not others else "",
        ]
        texts.append(_filled(" ".join(filter(None, sentences)), person[gender], gender))
    return texts[0], texts[1]


def _names(verdict: Row) -> bool:
    """Whether a verdict says who it is about; else somebody has to be introduced."""
    return "{Who}" in verdict["positive"]


def _fits(sentence: Row, person: Row) -> bool:
    """Whether the sentence can be about this person: a cook has cooked, an author has written."""
    return sentence["role"] == "any" or sentence["role"] in person["roles"].split(",")


def _filled(text: str, who: str, gender: str) -> str:
    forms = {"who": who, **PRONOUNS[gender]}
    return text.format(**forms, **{name.capitalize(): word[0].upper() + word[1:] for name, word in forms.items()})


def _one(rows: Sequence[Row], rng: np.random.Generator) -> Row:
    return rows[int(rng.integers(len(rows)))]


def _kept(rows: Sequence[Row], part: Part) -> list[Row]:
    return [row for n, row in enumerate(rows) if (n % TEST_EVERY == TEST_EVERY - 1) == (part == "test")]


@cache
def _table(name: str, kind: str | None = None) -> list[Row]:
    with (PARTS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if kind is None or row["kind"] == kind]


if __name__ == "__main__":
    main()
