"""Texts in a male and a female version, whole or some of their sentences."""

from __future__ import annotations

from collections.abc import Sequence

from biascheck.corpora import sentences_of
from biascheck.corpora.corpus import Pair
from biascheck.corpora.rewriting.rewriter import Rewriter, Rewritten
from biascheck.corpora.rewriting.terms import TermName, TermSet, gender_terms
from biascheck.corpora.sentence import Sentence
from biascheck.errors import CorpusError
from biascheck.strategies.choosing import Choosing

__all__ = ["Excerpts"]


class Excerpts:
    """Texts with at least one gendered word, the shortest first."""

    def __init__(self, texts: Sequence[str], terms: TermName | TermSet) -> None:
        self._rewriter = Rewriter(gender_terms(terms) if isinstance(terms, str) else terms)
        gendered = [text for text in texts if self._rewriter.find(text)]
        if not gendered:
            raise CorpusError(
                f"none of the {len(texts)} texts has a gendered word of the set {self._rewriter.terms.name!r}"
            )
        self._texts = sorted(gendered, key=lambda text: (len(text.split()), text))

    def build(self, choosing: Choosing) -> Pair:
        """One example: a whole text, or some of its sentences in a row."""
        number = choosing.pick(("text",), len(self._texts))
        text = self._excerpt(choosing, self._texts[number])
        versions = {gender: self._rewriter.version(text, gender) for gender in ("male", "female")}
        labels: dict[str, str | float] = {"text": str(number), "terms": len(versions["male"].terms)}
        return Pair(text, str(number), {gender: _sentence(one) for gender, one in versions.items()}, labels)

    def _excerpt(self, choosing: Choosing, text: str) -> str:
        """Where to begin, counted from the end, and how far to go on: lower numbers leave out more on either side."""
        sentences = sentences_of(text)
        last = len(sentences) - 1
        # twice as many choices as sentences: often all of them
        begin = last - min(choosing.pick(("begin",), 2 * len(sentences)), last)
        kept = sentences[begin : begin + 1 + choosing.pick(("after",), 2 * len(sentences))]
        if len(kept) == len(sentences):
            return text
        gendered = [sentence for sentence in sentences if self._rewriter.find(sentence)]
        return " ".join(kept if any(map(self._rewriter.find, kept)) or not gendered else gendered[:1])


def _sentence(version: Rewritten) -> Sentence:
    return Sentence(version.text, version.terms[0], others=version.terms[1:])
