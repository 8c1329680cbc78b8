"""Examples from templates with free slots, and from texts in two versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from biascheck.core.errors import CorpusError, UsageError
from biascheck.corpora import sentences_of
from biascheck.corpora.corpus import Pair
from biascheck.corpora.rewriting.rewriter import Rewriter, Rewritten
from biascheck.corpora.rewriting.terms import TermName, TermSet, gender_terms
from biascheck.corpora.sentence import Sentence
from biascheck.worst_cases.grammar import PERSON_SLOTS, SLOT
from biascheck.worst_cases.people import PersonSet, marked, pair_of, with_article
from biascheck.worst_cases.programs import Choosing

# Texts in a male and a female version, whole or some of their sentences.


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


# Templates with free slots, each filled from a list of words.


class FreeSlots:
    """Lines such as "{target} is {a attribute} in {city}.", people, attributes, and words for each further slot."""

    def __init__(
        self,
        lines: Sequence[str],
        people: Callable[[Choosing], PersonSet],
        attributes: Callable[[Choosing], str] | None,
        slots: Mapping[str, Sequence[str]],
        fillers: Sequence[str],
    ) -> None:
        if isinstance(lines, str) or not lines:
            raise UsageError("templates are a list of lines such as '{target} is {a attribute}.'; give at least one")
        self._lines = sorted(lines, key=lambda line: (len(line.split()), len(line)))
        self._people = people
        self._attributes = attributes
        self._slots = {
            name: sorted(words, key=lambda word: (len(word.split()), len(word))) for name, words in slots.items()
        }
        self._fillers = fillers
        for name, words in self._slots.items():
            if not words:
                raise UsageError(f"the slot {name!r} has no words; give at least one")

    def build(self, choosing: Choosing) -> Pair:
        """One example."""
        template = choosing.choose(("template",), self._lines)
        people = self._people(choosing)
        attribute = template
        filled, at = "", 0
        for slot in SLOT.finditer(template):
            article, name = slot[1], slot[2]
            filled += template[at : slot.start()]
            at = slot.end()
            if name in PERSON_SLOTS or (name not in self._slots and name in people[0].forms):
                filled += slot[0]
                continue
            word = self._word(name, choosing, template)
            attribute = word if name == "attribute" else attribute
            text = with_article(word) if article == "a" else f"{article} {word}" if article else word
            filled += marked(text) if name == "attribute" else text
        labels: dict[str, str | float] = {"template": template}
        if self._fillers:
            labels["fillers"] = ", ".join(self._fillers)
        return pair_of(filled + template[at:], people, attribute, labels)

    def _word(self, name: str, choosing: Choosing, template: str) -> str:
        if name == "attribute" and self._attributes is not None:
            return self._attributes(choosing)
        if name not in self._slots:
            raise UsageError(
                f"the template {template!r} has the slot {{{name}}}, for which there are no words; "
                f"{'give attributes=[…]' if name == 'attribute' else f'add slots={{{name!r}: […]}}'}"
            )
        return choosing.choose((name,), self._slots[name])
