"""Templates with free slots, each filled from a list of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from biascheck.corpora.corpus import Pair
from biascheck.errors import UsageError
from biascheck.strategies.choosing import Choosing
from biascheck.strategies.person_sets import PersonSet
from biascheck.strategies.phrasing import marked, pair_of, with_article
from biascheck.strategies.verb_phrases import PERSON_SLOTS, SLOT

__all__ = ["FreeSlots"]


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
