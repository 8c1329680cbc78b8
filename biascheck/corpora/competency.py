"""Sentences that show somebody as competent, as incompetent, or as neither (Manela et al. 2021, section 4.4)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING

from biascheck.core.errors import CorpusError
from biascheck.corpora.corpus import Corpus, LeftOut, Pair
from biascheck.corpora.sentence import refuse_repeated
from biascheck.corpora.tables import read_rows
from biascheck.corpora.winograd import WINOGRAD_FILLERS, WINOGRAD_GROUPS, frame_sentences

if TYPE_CHECKING:
    from os import PathLike

COMPETENCY = ("incompetent", "neutral", "competent")
MATCHED = {31: 16, 37: 20}
"""Among the first 66: incompetent sentences, and the competent ones they differ from in a few words."""


@dataclass(frozen=True)
class RatedCorpus:
    """A corpus labelled by vote, what was left out, and for every rated sentence the votes of each class.

    ``counts`` has one row for each sentence that all raters labelled, ties included, with its votes in the
    order of ``COMPETENCY``.
    """

    corpus: Corpus
    left_out: tuple[LeftOut, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def agreement(self) -> float:
        """Fleiss' κ of the votes: 1 for full agreement, 0 for chance; the paper's raters reached 0.42."""
        from biascheck.stats import fleiss_kappa  # scipy is not imported for a corpus alone

        return fleiss_kappa(self.counts)


def competency(*, extended: bool = False) -> Corpus:
    """Built-in labelled sentences: 22 of each class, all of kind T2, both people "the person".

    ``extended=True`` has 90 competent and 90 incompetent ones in pairs that differ in a few words ("ranked him first",
    "ranked him last"), and 63 neutral ones. Each form of the pronoun makes up a third of a class: how probable "her" is
    differs between forms, and must not be taken for competence. The two sentences of a pair share their ``schema``,
    which is what intervals resample. The label ``part`` says "first" (the 66) or "added".

    Labels: ``competency`` (incompetent, neutral, competent), ``form``, ``template`` and ``schema``. The classes were
    decided by one reading when the sentences were written, so there is no agreement of raters to report.
    """
    pairs = [_pair(number, row) for number, row in enumerate(_rows("competency.tsv"), 1)]
    name = "competency"
    if extended:
        added = [_pair(number, row) for number, row in enumerate(_rows("competency_extended.tsv"), len(pairs) + 1)]
        pairs = [*(_labelled(pair, "first") for pair in pairs), *(_labelled(pair, "added") for pair in added)]
        name = "competency-extended"
    return Corpus(name, WINOGRAD_GROUPS, tuple(pairs), fillers=WINOGRAD_FILLERS, paper="manela2021")


def rated_competency(corpus: Corpus, file: str | PathLike[str]) -> RatedCorpus:
    """Label the pairs of a corpus from a file: a column ``id``, and one column for each rater.

    The class is the one with the most votes; a tie, a sentence without votes or without a row is left
    out with its reason. A file with one rater simply labels.
    """
    _, rows = read_rows(file)
    if "id" not in rows[0] or len(rows[0]) < 2:
        raise CorpusError(f"{file} has the columns {list(rows[0])}; it needs 'id' and one column for each rater")
    refuse_repeated((str(row["id"]) for row in rows), str(file), "give every pair one row")
    votes = {str(row["id"]): _votes(row) for row in rows}
    unknown = set(votes) - {pair.id for pair in corpus}
    if unknown:
        raise CorpusError(f"{file} labels {sorted(unknown)[0]!r}, which is not a pair of {corpus.name!r}")
    pairs, left_out = [], []
    for pair in corpus:
        winner, reason = _winner(votes.get(pair.id, ()))
        if reason:
            left_out.append(LeftOut(pair.id, reason))
        else:
            pairs.append(replace(pair, labels={**pair.labels, "competency": winner}))
    raters = len(rows[0]) - 1
    counts = tuple(_counts(given) for given in votes.values() if len(given) == raters)
    return RatedCorpus(replace(corpus, pairs=tuple(pairs)), tuple(left_out), counts)


def _rows(name: str) -> list[dict[str, str]]:
    text = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def _labelled(pair: Pair, part: str) -> Pair:
    number = int(str(pair.labels["template"]))
    schema = _name(MATCHED[number]) if number in MATCHED else pair.labels["schema"]
    return replace(pair, labels={**pair.labels, "schema": schema, "part": part})


def _name(number: int | str) -> str:
    return f"competency/{number}"


def _pair(number: int, row: Mapping[str, str]) -> Pair:
    id = _name(number)  # noqa: A001
    labels: dict[str, str | float] = {
        "type": "T2",
        "form": row["form"],
        "competency": row["competency"],
        "template": str(number),
        "schema": _name(row.get("matches") or number),
        "occupation": "person",
    }
    return Pair(id, row["competency"], frame_sentences(row["text"], row["form"], "person", "person", "second"), labels)


def _votes(row: Mapping[str, object]) -> tuple[str, ...]:
    votes = tuple(str(value).strip().lower() for column, value in row.items() if column != "id" and value is not None)
    wrong = sorted(set(votes) - set(COMPETENCY))
    if wrong:
        raise CorpusError(f"{row['id']!r} is labelled {wrong[0]!r}; the classes are {list(COMPETENCY)}")
    return votes


def _counts(votes: Sequence[str]) -> tuple[int, ...]:
    return tuple(votes.count(name) for name in COMPETENCY)


def _winner(votes: Sequence[str]) -> tuple[str, str]:
    """The class with the most votes, or the reason why there is none."""
    ranked = Counter(votes).most_common(2)
    if not ranked:
        return "", "no rater labelled it"
    if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
        return "", f"the raters are tied between {ranked[0][0]} and {ranked[1][0]}"
    return ranked[0][0], ""
