"""Words that lean by gender in a static embedding, as lexicons of our own (after Gonen & Goldberg 2019)."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from biascheck.corpora.contexts import ANY_WORD, PROFESSION, lexicon_from_templates
from biascheck.corpora.datasets.data_directory import data_file
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import CorpusError

__all__ = ["biased_words", "neutral_professions", "published_professions", "word_bias"]

MOST = 2_500
GENDERED_BY_DEFINITION = 0.5


def biased_words(each: int = 250) -> Lexicon:
    """The words that lean furthest to male and to female in GloVe, ``each`` of either, in neutral sentences.

    Bias is the projection of the normalised GloVe vector (6B tokens, 50 dimensions) on he − she; names and words that
    are gendered by definition are not among them (``tools/build_biased_words.py``). Up to 2,500 a gender: 500 are
    the size of the paper's clustering experiment, 2,500 that of its classification.
    """
    if not 1 <= each <= MOST:
        raise CorpusError(f"there are 1 to {MOST:,} words a gender, not {each}")
    return lexicon_from_templates("biased-words", word_bias("biased_words"), templates=ANY_WORD).most_biased(each)


def neutral_professions() -> Lexicon:
    """Professions that are open to anyone by definition, in neutral sentences, with their bias in GloVe."""
    return lexicon_from_templates("professions", word_bias("profession_bias"), templates=PROFESSION)


def published_professions(folder_or_file: str | Path | None = None, *, neutral: bool = True) -> dict[str, float]:
    """The professions of Bolukbasi et al. 2016 with the stereotype that people see in each, positive towards male.

    Their ``professions.json`` rates 320 words twice from −1 (female) to 1 (male): how gendered they are by definition,
    and by stereotype. The stereotype is the bias here. ``neutral=True`` leaves out words with half a point or more by
    definition (actress, fireman), 32 of them. For :func:`lexicon_from_text` and :func:`lexicon_from_templates`.
    """
    path = data_file(folder_or_file, "debiaswe", "professions.json")
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[tuple[str, float, float]])
    except msgspec.MsgspecError as error:
        raise CorpusError(f"{path}: expected a list of [word, definitional, stereotypical] ({error})") from error
    return {
        word.replace("_", " "): stereotype
        for word, definitional, stereotype in rows
        if not neutral or abs(definitional) < GENDERED_BY_DEFINITION
    }


@cache
def word_bias(table: str) -> dict[str, float]:
    """The shipped bias of each word, positive towards male: ``biased_words`` or ``profession_bias``."""
    text = files("biascheck.corpora").joinpath(f"data/{table}.tsv").read_text(encoding="utf-8")
    return {row["word"]: float(row["bias"]) for row in csv.DictReader(text.splitlines(), delimiter="\t")}
