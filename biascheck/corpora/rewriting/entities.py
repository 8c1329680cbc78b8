"""The people of a Winograd sentence under other words: names that show a gender, or a noun that shows none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.pair_columns import gathered_pairs
from biascheck.corpora.sentence import Span
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from biascheck.corpora.sentence import Sentence

__all__ = ["NAMES", "with_names", "with_noun", "with_persons"]

NAMES = {"male": "Bob", "female": "Alice"}
_ARTICLES = re.compile(r"(?:\b(?:the|an?)\s+)+$", re.IGNORECASE)


def with_names(corpus: Corpus, names: Mapping[str, str] = NAMES) -> Corpus:
    """Replace both people by names, article included (Manela et al. 2021, section 4.1).

    Whom the pronoun means gets the name of the sentence's pro-stereotypical gender, the other one the
    other name: "Bob lent Alice an umbrella because he had brought two." A reader who resolves the
    pronoun knows its gender, so a model's F1 here says whether it can do the task at all. Sentences that
    differed in their occupations only are now the same and are kept once.
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
