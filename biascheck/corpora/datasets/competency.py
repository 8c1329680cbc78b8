"""Sentences that show somebody as competent, as incompetent, or as neither (Manela et al. 2021, section 4.4)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.datasets.winograd import FILLERS, GROUPS, frame_sentences
from biascheck.corpora.ids import refuse_repeated
from biascheck.corpora.loaded import LeftOut
from biascheck.corpora.rows import read_rows
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["COMPETENCY", "RatedCorpus", "competency", "rated_competency"]

COMPETENCY = ("incompetent", "neutral", "competent")


@dataclass(frozen=True)
class RatedCorpus:
    """A corpus labelled by vote, what was left out, and for every rated sentence the votes of each class.

    ``counts`` has one row for each sentence that all raters labelled, ties included, with its votes in the
    order of ``COMPETENCY``; :func:`biascheck.stats.fleiss_kappa` takes it as it is.
    """

    corpus: Corpus
    left_out: tuple[LeftOut, ...]
    counts: tuple[tuple[int, ...], ...]


def competency() -> Corpus:
    """Our own labelled sentences: 22 of each class, all of kind T2, both people "the person".

    Labels: ``competency`` (incompetent, neutral, competent), ``form``, ``template`` and ``schema``. One
    reading of ours decided the classes, each sentence was written for its class; there is no agreement
    of raters to report.
    """
    text = files("biascheck.corpora").joinpath("data", "competency.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    pairs = tuple(_pair(number, row) for number, row in enumerate(rows, 1))
    return Corpus("competency", GROUPS, pairs, fillers=FILLERS, paper="manela2021")


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


def _pair(number: int, row: Mapping[str, str]) -> Pair:
    id = f"competency/{number}"  # noqa: A001
    labels: dict[str, str | float] = {
        "type": "T2",
        "form": row["form"],
        "competency": row["competency"],
        "template": str(number),
        "schema": id,
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
