"""A sentence that knows, by construction, where its target and its attribute stand."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.errors import CorpusError
from biascheck.spans import Span

__all__ = ["Sentence", "Span"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the spans of its target and, where it has one, of its attribute.

    Only the target noun is inside ``target``, never its determiner: in "My son is a nurse." the
    target is "son". Spans come from the template that made the sentence or from the file's own
    columns, never from a search for the word, which would find *son* inside *mason*.
    """

    text: str
    target: Span
    attribute: Span | None = None

    def __post_init__(self) -> None:
        spans = [self.target] if self.attribute is None else [self.target, self.attribute]
        for span in spans:
            if not 0 <= span.start < span.end <= len(self.text):
                raise CorpusError(
                    f"span {span.start}–{span.end} does not fit the {len(self.text)} characters of "
                    f"{self.text!r}; spans are character offsets, end excluded, and may not be empty"
                )
        if self.attribute is not None and self.target.overlaps(self.attribute):
            raise CorpusError(f"target and attribute overlap in {self.text!r}; give each its own characters")

    @property
    def target_text(self) -> str:
        """The target as it stands in the sentence."""
        return self.target.of(self.text)

    @property
    def attribute_text(self) -> str | None:
        """The attribute as it stands in the sentence, if there is one."""
        return None if self.attribute is None else self.attribute.of(self.text)

    def with_attribute(self, replacement: str) -> Sentence:
        """Return the sentence with another attribute in its place, spans moved accordingly."""
        if self.attribute is None:
            raise CorpusError(f"{self.text!r} has no attribute to replace")
        old = self.attribute
        text = self.text[: old.start] + replacement + self.text[old.end :]
        shift = len(replacement) - (old.end - old.start)
        target = self.target
        if target.start >= old.end:
            target = Span(target.start + shift, target.end + shift)
        return Sentence(text, target, Span(old.start, old.start + len(replacement)))
