"""A sentence with known spans of its target and its attribute, by construction."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from biascheck.core.columns import Texts, repeats
from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.core.wording import escape_control

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the spans of its target and, where it has one, of its attribute.

    Only the target noun is inside ``target``, never its determiner: in "My son is a nurse." the
    target is "son". Spans come from the template that made the sentence or from the file's own
    columns, never from a search for the word, which would find *son* inside *mason*. ``others`` are
    further words that may give the group away and that some measures hide or replace too, such as the
    second person of "The carpenter thanked the nurse because he …".
    """

    text: str
    target: Span
    attribute: Span | None = None
    others: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        for span in self._spans():
            if not 0 <= span.start < span.end <= len(self.text):
                raise CorpusError(
                    f"span {span.start}–{span.end} does not fit the {len(self.text)} characters of "
                    f"{self.text!r}; spans are character offsets, end excluded, and may not be empty"
                )
        if self.attribute is not None and self.target.overlaps(self.attribute):
            raise CorpusError(f"target and attribute overlap in {self.text!r}; give each its own characters")
        for left, right in pairwise(sorted(self._spans())):
            if left.overlaps(right):
                raise CorpusError(
                    f"{left.of(self.text)!r} and {right.of(self.text)!r} overlap in {self.text!r}; "
                    "give each its own characters"
                )

    @property
    def target_text(self) -> str:
        """The target as it is written in the sentence."""
        return self.target.of(self.text)

    @property
    def attribute_text(self) -> str | None:
        """The attribute as it is written in the sentence, if there is one."""
        return None if self.attribute is None else self.attribute.of(self.text)

    @property
    def people(self) -> tuple[Span, ...]:
        """The attribute and the other words that measures may hide, from left to right."""
        return tuple(sorted(self._spans()[1:]))

    def with_attribute(self, replacement: str) -> Sentence:
        """Return the sentence with another attribute in its place, spans moved accordingly."""
        if self.attribute is None:
            raise CorpusError(f"{self.text!r} has no attribute to replace")
        return self.with_words({self.attribute: replacement})

    def with_words(self, replacements: Mapping[Span, str]) -> Sentence:
        """Return the sentence with other words at some places, all spans moved accordingly.

        A place may be wider than one of the sentence's spans, to take an article with it; the span then
        becomes the replacement.
        """
        text = self.text
        for place in sorted(replacements, reverse=True):  # from the right, so that earlier offsets stay true
            text = text[: place.start] + replacements[place] + text[place.end :]

        def moved(span: Span) -> Span:
            shift = sum(len(word) - (at.end - at.start) for at, word in replacements.items() if at.end <= span.start)
            inside = next((at for at in replacements if at.covers(span)), None)
            if inside is None:
                return Span(span.start + shift, span.end + shift)
            return Span(inside.start + shift, inside.start + shift + len(replacements[inside]))

        attribute = None if self.attribute is None else moved(self.attribute)
        return Sentence(text, moved(self.target), attribute, tuple(map(moved, self.others)))

    def _spans(self) -> list[Span]:
        return [self.target, *([] if self.attribute is None else [self.attribute]), *self.others]


# A sentence with its target, its attribute, or both replaced by masks.


def masked_text(
    sentence: Sentence,
    mask: str = "[MASK]",
    *,
    target: bool = True,
    attribute: bool = True,
    per: Literal["word", "span"] = "word",
) -> str:
    """Return the text with masks in place of the target and of the attribute.

    The target becomes one mask. The attribute becomes one mask per whitespace word (``per="word"``,
    as in the published BEC-Pro, where "speech-language pathologist" is two masks) or one mask as a
    whole (``per="span"``). Measures need one mask per token instead, which only a tokenizer can
    count. A sentence without an attribute keeps its words.
    """
    if per not in ("word", "span"):
        raise CorpusError(f"per={per!r} is unknown; choose 'word' or 'span'")
    replaced: list[tuple[Span, str]] = [(sentence.target, mask)] if target else []
    if attribute and sentence.attribute is not None:
        words = len(sentence.attribute.of(sentence.text).split()) if per == "word" else 1
        replaced.append((sentence.attribute, " ".join([mask] * words)))
    text = sentence.text
    for span, masks in sorted(replaced, reverse=True):  # from the right, so that earlier offsets stay true
        text = text[: span.start] + masks + text[span.end :]
    return text


# Words and sentences of running text.

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# A full stop after three letters, so that "Mr. Smith" and "J. Smith" stay whole.
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{3}[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-ZÄÖÜ0-9])|(?<=[\d)\]\"”][.!?])\s+(?=[A-ZÄÖÜ])"
)
_TITLES = re.compile(r"\b(?:Mrs|Messrs|Prof|Capt|Gov|Gen|Sgt|Rev|Hon|Inc|Ltd)\.$")


def words_of(text: str) -> Iterator[tuple[Span, str]]:
    """Every word of letters, hyphens and apostrophes inside it, with its place."""
    for match in WORD.finditer(text):
        yield Span(*match.span()), match.group()


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, split at full stops; if the end of one is uncertain, two stay together."""
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _TITLES.search(text, max(0, match.start() - 8), match.start()):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    return [sentence for sentence in (*found, text[start:].strip()) if sentence]


# Ids, which must be unique within a corpus.


def refuse_repeated(ids: Iterable[str], where: str, remedy: str = "give every item an id of its own") -> None:
    """Raise an error that names the first id that occurs twice, with both places, counted from 1."""
    listed = ids if isinstance(ids, Sequence) else list(ids)
    if _differ(listed):
        return
    first: dict[str, int] = {}
    for place, name in enumerate(listed, start=1):
        if name in first:
            raise CorpusError(
                f"{escape_control(where)}: {escape_control(repr(name))} occurs twice, "
                f"in places {first[name]} and {place}; {remedy}"
            )
        first[name] = place


def _differ(ids: Sequence[str]) -> bool:
    """Whether no two of the ids have the same hash; a set of many ids would take more memory than the ids."""
    return not repeats(array("q", map(hash, ids))) if isinstance(ids, Texts) else len(set(ids)) == len(ids)
