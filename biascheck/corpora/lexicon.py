"""A lexicon: words in sentences, with the group and the bias of each, and the sources of the sentences."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, LeftOut
from biascheck.corpora.published import data_file, part_files
from biascheck.corpora.rewriting.gender_words import GENDERED, gender_pairs, sampled_gender_pairs
from biascheck.corpora.sentence import refuse_repeated, sentences_of, words_of

# A lexicon: words in sentences, with the group and the bias each is known by.


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence, and where the word is in it."""

    text: str
    span: Span

    def __post_init__(self) -> None:
        if not 0 <= self.span.start < self.span.end <= len(self.text):
            raise CorpusError(
                f"span {self.span.start}–{self.span.end} does not fit the {len(self.text)} characters of {self.text!r}"
            )

    @property
    def word(self) -> str:
        """The word as it is written in the sentence."""
        return self.span.of(self.text)


@dataclass(frozen=True)
class Entry:
    """A word and the sentences in which it may be measured.

    ``bias`` is how far the word leans to the first group (positive) or the second, by an external source: the
    projection of a static vector, a rating, a workforce share. ``group`` follows its sign unless given.
    """

    word: str
    contexts: tuple[Context, ...]
    bias: float | None = None
    labels: Mapping[str, str | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "contexts", tuple(self.contexts))
        if not self.contexts:
            raise CorpusError(f"{self.word!r} has no sentence to be measured in; leave it out")
        if self.bias is not None and not np.isfinite(self.bias):
            raise CorpusError(f"{self.word!r} has the bias {self.bias}; give a finite number or none")


@dataclass(frozen=True)
class Lexicon:
    """Words in sentences, and the definitional pairs (he–she, man–woman …) that span the direction they lean in.

    ``groups`` name the two ends of the direction, the positive one first. ``left_out`` are requested words that could
    not be used, with the reason; they become skipped items of every result.
    """

    name: str
    entries: tuple[Entry, ...]
    pairs: Corpus
    groups: tuple[str, str] = ("male", "female")
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", tuple(self.entries))
        if not self.entries:
            raise CorpusError(f"lexicon {self.name!r} is empty; missing data never passes")
        refuse_repeated((entry.word for entry in self.entries), f"lexicon {self.name!r}", "give every word once")
        if tuple(self.pairs.groups) != self.groups:
            raise CorpusError(f"the pairs of {self.name!r} are of {self.pairs.groups}, its words of {self.groups}")

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that can change an estimate; draws depend on the order, so it counts."""
        entries = [
            [e.word, e.bias, [[c.text, c.span.start, c.span.end] for c in e.contexts], sorted(e.labels.items())]
            for e in self.entries
        ]
        left_out = [[left.id, left.reason] for left in self.left_out]
        facts = [self.groups, entries, self.pairs.fingerprint, left_out, self.warnings]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    def group_of(self, entry: Entry) -> str:
        """The group that a word leans to."""
        if not entry.bias:
            raise CorpusError(
                f"{entry.word!r} of {self.name!r} leans to neither group, and this measure needs words that do; "
                "use most_biased(…) or give every word a bias"
            )
        return self.groups[0] if entry.bias > 0 else self.groups[1]

    def draws(self, count: int, seed: int) -> list[list[Context]]:
        """One sentence for each word, ``count`` times over.

        The sentences of a word are shuffled, so that a word repeats one only when it has no other left.
        """
        if count < 1:
            raise CorpusError(f"{count} draws measure nothing; use at least 1, better 10")
        rng = np.random.default_rng(seed)
        dealt = [_dealt(entry.contexts, count, rng) for entry in self.entries]
        return [[contexts[draw] for contexts in dealt] for draw in range(count)]

    def with_bias(self, bias: Mapping[str, float], *, name: str | None = None) -> Lexicon:
        """The same words with the bias of another source; a word unknown to it is left out."""
        known = tuple(replace(e, bias=float(bias[e.word])) for e in self.entries if e.word in bias)
        unknown = tuple(LeftOut(e.word, "its bias is not known") for e in self.entries if e.word not in bias)
        return replace(self, name=name or self.name, entries=known, left_out=(*self.left_out, *unknown))

    def most_biased(self, each: int) -> Lexicon:
        """The ``each`` words that lean furthest to either group."""
        if each < 1:
            raise CorpusError(f"{each} words per group compare nothing; use at least 1")
        ranked = sorted((e for e in self.entries if e.bias), key=lambda e: (-(e.bias or 0.0), e.word))
        first = [e for e in ranked if (e.bias or 0.0) > 0][:each]
        second = [e for e in ranked if (e.bias or 0.0) < 0][-each:]
        if min(len(first), len(second)) < each:
            raise CorpusError(
                f"{self.name!r} has {len(first)} and {len(second)} words that lean to {' and '.join(self.groups)}; "
                f"{each} each were requested"
            )
        return replace(self, name=f"{self.name}·{2 * each}", entries=(*first, *second))

    def where(self, keep: Callable[[Entry], bool]) -> Lexicon:
        """Only the words for which ``keep`` holds."""
        return replace(self, entries=tuple(entry for entry in self.entries if keep(entry)))


def _dealt(contexts: Sequence[Context], count: int, rng: np.random.Generator) -> list[Context]:
    order: list[int] = []
    while len(order) < count:
        order.extend(rng.permutation(len(contexts)).tolist())
    return [contexts[place] for place in order[:count]]


# Sources of the sentences of a word: built-in templates, or text of the user's.

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

    A sentence that contains a word of ``exclude`` is not used: beside *she*, a nurse is no longer neutral (Basta et
    al. 2019, §5). Words are compared in lower case; words of several parts ("flight attendant") are found as well. A
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


# Words that lean by gender in a static embedding, as built-in lexicons (after Gonen & Goldberg 2019).

MOST = 2_500
GENDERED_BY_DEFINITION = 0.5


def biased_words(each: int = 250) -> Lexicon:
    """The words that lean furthest to male and to female in GloVe, ``each`` of either, in neutral sentences.

    Bias is the projection of the normalised GloVe vector (6B tokens, 50 dimensions) on he − she; names and words that
    are gendered by definition are not among them (``tools/build_biased_words.py``). Up to 2,500 a gender: 500 are
    the size of the paper's clustering experiment, 2,500 that of its classification.
    """
    if not 1 <= each <= MOST:
        raise CorpusError(f"each must be between 1 and {MOST:,} words per gender, not {each}")
    return lexicon_from_templates("biased-words", word_bias("biased_words"), templates=ANY_WORD).most_biased(each)


def neutral_professions() -> Lexicon:
    """Professions that are gender-neutral by definition, in neutral sentences, with their bias in GloVe."""
    return lexicon_from_templates("professions", word_bias("profession_bias"), templates=PROFESSION)


def published_professions(folder_or_file: str | Path | None = None, *, neutral: bool = True) -> dict[str, float]:
    """The professions of Bolukbasi et al. 2016 with the stereotype that raters see in each, positive towards male.

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
