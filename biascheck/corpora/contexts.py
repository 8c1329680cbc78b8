"""Where the sentences of a word come from: templates of our own, or text of the user's."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.data_directory import data_file, part_files
from biascheck.corpora.ids import refuse_repeated
from biascheck.corpora.lexicon import Context, Entry, Lexicon
from biascheck.corpora.loaded import LeftOut
from biascheck.corpora.rewriting.gender_words import GENDERED, gender_pairs, sampled_gender_pairs
from biascheck.corpora.words import sentences_of, words_of
from biascheck.errors import CorpusError
from biascheck.spans import Span

__all__ = ["lexicon_from_templates", "lexicon_from_text", "published_sentences"]

ANY_WORD = (
    "They talked about {word} for a while.",
    "The next page is about {word} again.",
    "Somebody mentioned {word} in the discussion.",
    "We were thinking of {word} yesterday.",
    "The text says {word} in two places.",
    "You can read {word} on the second line.",
    "It has something to do with {word} these days.",
    "The word {word} came up later.",
    "People wrote {word} on the board.",
    "I never thought of {word} that way.",
    "There was a question about {word} at the end.",
    "The list begins with {word} and goes on.",
)
"""Sentences that take any word, whatever its part of speech."""

PROFESSION = (
    "The {word} arrived early in the morning.",
    "We spoke to the {word} on the phone.",
    "The {word} finished the work before noon.",
    "They have been looking for a {word} since spring.",
    "Every {word} in town knows this street.",
    "The letter was written by the {word} next door.",
    "A {word} sat at the table by the window.",
    "People trusted the {word} from the start.",
    "The {word} asked for a second opinion.",
    "You need a good {word} for that.",
    "The story is about a {word} in a small village.",
    "Nobody had seen the {word} since Monday.",
)
"""Sentences about a person who holds a job."""

LONGEST_SENTENCE = 300
Source = Literal["gap", "imdb", "wmt18"]


def lexicon_from_templates(
    name: str,
    words: Iterable[str] | Mapping[str, float],
    *,
    templates: Sequence[str] = ANY_WORD,
    pairs: Corpus | None = None,
) -> Lexicon:
    """Every word in every template. A mapping gives each word its bias, positive towards the first group."""
    bias = _bias_of(words, name)
    for template in templates:
        if template.count("{word}") != 1:
            raise CorpusError(f"template {template!r} needs the slot {{word}} exactly once")
    entries = [Entry(word, tuple(_filled(template, word) for template in templates), b) for word, b in bias.items()]
    return Lexicon(name, tuple(entries), gender_pairs() if pairs is None else pairs)


def lexicon_from_text(
    name: str,
    words: Iterable[str] | Mapping[str, float],
    sentences: Iterable[str],
    *,
    each: int = 50,
    exclude: Iterable[str] = GENDERED,
    pairs: Corpus | None = None,
    seed: int = 0,
) -> Lexicon:
    """Every word in up to ``each`` sentences of a text, drawn with ``seed``.

    A sentence that holds a word of ``exclude`` is not used: beside *she*, a nurse is no longer neutral (Basta et
    al. 2019, §5). Words are compared in lower case; words of several parts ("flight attendant") are found, too. A
    word without a sentence is left out with that reason. Without ``pairs`` the definitional pairs come from the
    same text, swapped; the text is read once.
    """
    bias = _bias_of(words, name)
    refuse_repeated(map(str.lower, bias), f"lexicon {name!r}", "give every word once: words are compared in lower case")
    kept = [s for s in sentences if len(s) <= LONGEST_SENTENCE] if pairs is None else sentences
    found = _gathered(kept, {word.lower(): word for word in bias}, frozenset(map(str.lower, exclude)), each, seed)
    entries = tuple(Entry(word, tuple(found[word]), b) for word, b in bias.items() if word in found)
    left_out = tuple(LeftOut(word, "no neutral sentence of the text contains it") for word in bias if word not in found)
    if not entries:
        raise CorpusError(f"{name!r}: not one of {len(bias)} words occurs in a neutral sentence of the text; give more")
    definitional = sampled_gender_pairs(kept, seed=seed) if pairs is None else pairs
    return Lexicon(name, entries, definitional, left_out=left_out)


def published_sentences(source: Source, folder: str | Path | None = None) -> Iterator[str]:
    """The sentences of a published text in the data directory.

    ``gap``: development and validation. ``imdb``: the unlabelled reviews. ``wmt18``: the English side of the news
    commentary of WMT 2018 (``wmt18/news-commentary-v13.de-en.en``), the text of Basta et al. 2019.
    """
    if source == "gap":
        for path in part_files(folder, None, "gap", default=("development", "validation")).values():
            with path.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                    yield from sentences_of(row["Text"])
    elif source == "imdb":
        path = data_file(folder, "imdb", "imdb_unsupervised_20k.txt.gz")
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield from sentences_of(re.sub(r"<br\s*/?>", " ", line))
    elif source == "wmt18":
        with data_file(folder, "wmt18", "news-commentary-v13.de-en.en").open(encoding="utf-8") as lines:
            for line in lines:
                yield from sentences_of(line)
    else:
        raise CorpusError(f"no published text {source!r}; choose gap, imdb or wmt18, or pass sentences of your own")


def _bias_of(words: Iterable[str] | Mapping[str, float], name: str) -> Mapping[str, float | None]:
    if isinstance(words, Mapping):
        return words
    listed = list(words)
    refuse_repeated(listed, f"lexicon {name!r}", "give every word once")
    return dict.fromkeys(listed)


def _filled(template: str, word: str) -> Context:
    start = template.index("{word}")
    return Context(template.replace("{word}", word), Span(start, start + len(word)))


def _gathered(
    sentences: Iterable[str], wanted: Mapping[str, str], exclude: frozenset[str], each: int, seed: int
) -> dict[str, list[Context]]:
    """A uniform sample of the contexts of each word, in one pass (reservoir sampling)."""
    rng = np.random.default_rng(seed)
    longest = max((len(word.split()) for word in wanted), default=1)
    seen: dict[str, int] = {}
    kept: dict[str, list[Context]] = {}
    for sentence in sentences:
        if len(sentence) > LONGEST_SENTENCE:
            continue
        places = list(words_of(sentence))
        if any(word.lower() in exclude for _, word in places):
            continue
        for word, span in _matches(sentence, [span for span, _ in places], wanted, longest).items():
            seen[word] = seen.get(word, 0) + 1
            held = kept.setdefault(word, [])
            if len(held) < each:
                held.append(Context(sentence, span))
            elif (place := int(rng.integers(seen[word]))) < each:
                held[place] = Context(sentence, span)
    return kept


def _matches(sentence: str, spans: Sequence[Span], wanted: Mapping[str, str], longest: int) -> dict[str, Span]:
    """The first place of every wanted word or phrase in the sentence."""
    found: dict[str, Span] = {}
    for first in range(len(spans)):
        for last in range(first, min(first + longest, len(spans))):
            span = Span(spans[first].start, spans[last].end)
            word = wanted.get(span.of(sentence).lower())
            if word is not None:
                found.setdefault(word, span)
    return found
