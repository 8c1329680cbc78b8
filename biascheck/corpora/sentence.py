"""A sentence that knows, by construction, where its target and its attribute stand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from biascheck.errors import CorpusError
from biascheck.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Sentence", "Span"]


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
