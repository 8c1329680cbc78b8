"""Templates: sentences built from parts, so that the place of every part is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Target:
    """A word that carries a group, and what must agree with it.

    ``determiner`` ("my", "this") precedes the word and is never part of the target span.
    ``forms`` are further agreeing words that a template may use by name, such as
    ``{"article": "die"}`` for a template with ``{article}``. Write all of them as they are in
    mid-sentence; a template capitalises its own beginning.
    """

    word: str
    group: str
    determiner: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.word.strip() or not self.group.strip():
            raise CorpusError(f"a target needs a word and a group, got {self.word!r} and {self.group!r}")
        reserved = {"target", "attribute"} & set(self.forms)
        if reserved:
            raise CorpusError(f"forms of target {self.word!r} may not be called {sorted(reserved)}; rename them")
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))


@dataclass(frozen=True)
class Attribute:
    """What the groups are compared on: a profession, a trait, a skill.

    ``text`` names the attribute and is what is written in the sentence, unless ``forms`` has an inflected
    text for the target's group (Krankenpfleger, Krankenpflegerin). ``labels`` go onto every pair.
    """

    text: str
    labels: Mapping[str, str | float] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.text.strip() or not all(form.strip() for form in self.forms.values()):
            raise CorpusError(f"attribute {self.text!r} has an empty text or form; leave it out or fill it in")
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))

    def for_group(self, group: str) -> str:
        """The text that agrees with a target of this group."""
        return self.forms.get(group, self.text)


@dataclass(frozen=True)
class Template:
    """A sentence with the slots ``{target}``, optionally ``{attribute}``, and agreeing forms by name.

    ``id`` is what the pairs are named and selected by; it defaults to the text.
    """

    text: str
    id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self.id or self.text)
        slots = self.slots
        if slots.count("target") != 1 or slots.count("attribute") > 1:
            raise CorpusError(
                f"template {self.text!r} has the slots {list(slots)}; it needs {{target}} exactly once "
                "and {attribute} at most once"
            )

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, from left to right."""
        return tuple(slot for _, slot in self._pieces() if slot is not None)

    def render(self, target: Target, attribute: Attribute | None = None) -> Sentence:
        """Put the words in; the spans are the places where they were put."""
        words = self._words(target, attribute)
        text, spans = "", {}
        for literal, slot in self._pieces():
            text += literal
            if slot is None:
                continue
            if slot == "target" and target.determiner:
                text += target.determiner + " "
            spans[slot] = Span(len(text), len(text) + len(words[slot]))
            text += words[slot]
        return Sentence(_capitalised(text), spans["target"], spans.get("attribute"))

    def _words(self, target: Target, attribute: Attribute | None) -> dict[str, str]:
        words = {**target.forms, "target": target.word}
        if attribute is not None:
            words["attribute"] = attribute.for_group(target.group)
        unknown = [slot for slot in self.slots if slot not in words]
        if unknown:
            raise CorpusError(
                f"template {self.text!r} has the unknown slots {unknown}; target {target.word!r} fills "
                f"{sorted(words)}: give the attribute, or add the form to the target's forms"
            )
        return words

    def _pieces(self) -> list[tuple[str, str | None]]:
        try:
            parsed = list(Formatter().parse(self.text))
        except ValueError as error:
            raise CorpusError(f"template {self.text!r} cannot be read ({error}); write slots as {{target}}") from None
        for _, slot, spec, conversion in parsed:
            if slot is not None and (not slot.isidentifier() or spec or conversion):
                raise CorpusError(f"template {self.text!r} has the slot {slot!r}; a slot is a plain name in braces")
        return [(literal, slot) for literal, slot, _, _ in parsed]


def cross(
    templates: Iterable[Template],
    target_sets: Iterable[Sequence[Target]],
    attributes: Iterable[Attribute] = (),
    *,
    targets_label: str = "targets",
    labels: Mapping[str, str | float] | None = None,
) -> tuple[Pair, ...]:
    """Every template with every target set and every attribute, one pair each.

    A target set is the same person in each group, in order: (he, she), (brother, sister). A pair is
    called ``template/attribute/targets``, as in "is-a/nurse/he-she", and labelled with its template,
    its targets (under ``targets_label``), the attribute's labels, and ``labels``. Without attributes
    the templates must not have that slot, and each template is an attribute of its own.
    """
    sets = [_one_per_group(targets) for targets in target_sets]
    listed: list[Attribute | None] = list(attributes) or [None]
    extra = {} if labels is None else dict(labels)
    return tuple(
        _pair(template, targets, attribute, targets_label, extra)
        for template in templates
        for targets in sets
        for attribute in listed
    )


def _pair(
    template: Template,
    targets: Sequence[Target],
    attribute: Attribute | None,
    targets_label: str,
    extra: Mapping[str, str | float],
) -> Pair:
    if attribute is not None and "attribute" not in template.slots:
        raise CorpusError(
            f"template {template.text!r} has the slots {list(template.slots)} and no {{attribute}}: all "
            "attributes would make the same sentence; add the slot or cross it without attributes"
        )
    together = "-".join(target.word for target in targets)
    parts = [template.id, together] if attribute is None else [template.id, attribute.text, together]
    own = {} if attribute is None else attribute.labels
    return Pair(
        id="/".join(parts),
        attribute=template.id if attribute is None else attribute.text,
        sentences={target.group: template.render(target, attribute) for target in targets},
        labels={"template": template.id, targets_label: together, **own, **extra},
    )


def _one_per_group(targets: Sequence[Target]) -> Sequence[Target]:
    groups = [target.group for target in targets]
    if len(set(groups)) != len(groups) or len(groups) < 2:
        words = [target.word for target in targets]
        raise CorpusError(f"target set {words} has groups {groups}; it needs one target for each of two groups or more")
    by_group = {target.group: f"{target.determiner} {target.word}" for target in targets}
    refuse_same_words(by_group, f"target set {[target.word for target in targets]}")
    return targets


def refuse_same_words(words: Mapping[str, str], where: str) -> None:
    """Refuse two groups with the same target, in any case: a word cannot differ from itself, so the gap is always 0."""
    known: dict[str, str] = {}
    for group, word in words.items():
        plain = " ".join(word.casefold().split())
        if plain in known:
            raise CorpusError(
                f"{where}: the target of {known[plain]!r} and of {group!r} is the same, {word.strip()!r}, so that no "
                "model could treat them differently; give each group a word of its own"
            )
        known[plain] = group


def _capitalised(text: str) -> str:
    """Capitalise the first letter, past an opening quotation mark; the length never changes."""
    for place, character in enumerate(text):
        if character.isalnum():
            upper = character.upper()
            return text[:place] + upper + text[place + 1 :] if len(upper) == 1 else text
    return text
