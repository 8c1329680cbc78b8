"""A sentence with its target, its attribute, or both replaced by masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from biascheck.corpora.sentence import Sentence, Span

__all__ = ["masked_text"]


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
