"""WEAT stimuli as material for embedding tests: the words alone, in templates, or in bleached sentences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from biascheck.corpora.datasets.weat_stimuli import WeatStimuli, weat_stimuli
from biascheck.corpora.lexicon import Context
from biascheck.errors import CorpusError
from biascheck.spans import Span

__all__ = ["WeatTest", "weat_test"]

# Kurita et al. 2019, Table 1
WEAT_ARE, WEAT_IS, WEAT_LIKES, WEAT_LIKE, WEAT_INTERESTED = (
    "{target} are {attribute}.",
    "{target} is {attribute}.",
    "{target} likes {attribute}.",
    "{target} like {attribute}.",
    "{target} is interested in {attribute}.",
)
WEAT_TEMPLATES = {
    1: (WEAT_ARE, WEAT_IS),
    3: (WEAT_ARE, WEAT_IS),
    **dict.fromkeys((6, 7, 8), (WEAT_LIKES, WEAT_LIKE, WEAT_INTERESTED)),
}

# In the manner of May et al. 2019: sentences that add as little meaning as possible.
BLEACHED = ("This is {word}.", "That is {word}.", "There is {word}.", "Here is {word}.", "The word is {word}.")
WEAT_FILLERS = ("something", "this")

NOT_IN_BERT = frozenset(
    [
        "alonzo",
        "alphonse",
        "aster",
        "azalea",
        "bedbug",
        "blackfly",
        "bluebell",
        "buttercup",
        "carnation",
        "caterpillar",
        "centipede",
        "cockroach",
        "crocus",
        "daffodil",
        "darnell",
        "deion",
        "dragonfly",
        "filth",
        "gladiola",
        "gnat",
        "horsefly",
        "hyacinth",
        "jamel",
        "lakisha",
        "lamont",
        "latisha",
        "latoya",
        "lavon",
        "lilac",
        "locust",
        "maggot",
        "malika",
        "marcellus",
        "marigold",
        "nichelle",
        "pansy",
        "peony",
        "petunia",
        "pollute",
        "shaniqua",
        "shereen",
        "tanisha",
        "tarantula",
        "termite",
        "terrence",
        "torrance",
        "tulip",
        "tyree",
        "wardell",
        "weevil",
        "yolanda",
        "yvette",
        "zinnia",
    ]
)
"""Words of the categories here that are several tokens to BERT (uncased), so that Kurita et al. left them out."""


@dataclass(frozen=True)
class WeatTest:
    """Two sets of targets and two of attributes, with the sentences they may occur in.

    ``templates`` have the slots {target} and {attribute}, ``bleached`` the slot {word}. ``fillers`` stand for the other
    word where a model has no mask. ``clusters`` names what targets share that are not independent, such as sentences
    about one word; a target that is not in it is a cluster of its own. ``paper`` is the key of the paper it belongs to.
    """

    name: str
    stimuli: WeatStimuli
    templates: tuple[str, ...]
    bleached: tuple[str, ...] = BLEACHED
    fillers: tuple[str, ...] = WEAT_FILLERS
    warnings: tuple[str, ...] = ()
    clusters: Mapping[str, str] = field(default_factory=dict)
    paper: str = ""

    def __post_init__(self) -> None:
        for words in (self.stimuli.x, self.stimuli.y, self.stimuli.a, self.stimuli.b):
            if not words:
                raise CorpusError(f"{self.name!r} has an empty set of words; WEAT compares two sets by two others")
        for template in self.templates:
            if template.count("{target}") != 1 or template.count("{attribute}") != 1:
                raise CorpusError(f"template {template!r} needs {{target}} and {{attribute}} exactly once each")
        if any(text.count("{word}") != 1 for text in self.bleached):
            raise CorpusError(f"the bleached sentences of {self.name!r} need the slot {{word}} exactly once each")

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the words and sentences."""
        facts: list[object] = [asdict(self.stimuli), self.templates, self.bleached, self.fillers, self.warnings]
        facts += [sorted(self.clusters.items())] if self.clusters else []
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    def in_templates(self, word: str, slot: str, other: str) -> list[tuple[Context, Span]]:
        """The word at its slot in every template, ``other`` at the other slot, and where that one stands."""
        return [_filled(template, slot, word, other) for template in self.templates]

    def in_bleached(self, word: str) -> list[str]:
        """The word in every bleached sentence."""
        return [text.replace("{word}", word) for text in self.bleached]


def weat_test(
    category: int | None = None,
    *,
    extended: bool = False,
    in_bert: bool = False,
    stimuli: WeatStimuli | None = None,
    templates: Sequence[str] | None = None,
    name: str | None = None,
) -> WeatTest:
    """WEAT category 1, 3, 6, 7 or 8 (Caliskan et al. 2017) in the templates of Kurita et al. 2019, Table 1.

    ``extended=True`` takes our longer lists for 3, 6, 7 and 8, with 60 targets or more in each set
    (:func:`weat_stimuli`). ``in_bert=True`` keeps the words that are one token to BERT (uncased): the reduced
    vocabulary on which Kurita et al. also measured GloVe (§3.1). Own words are given as ``WeatStimuli``, with
    templates that suit them.
    """
    if (category is None) == (stimuli is None):
        raise CorpusError("give a WEAT category, or stimuli of your own, and not both")
    if (extended or in_bert) and category is None:
        raise CorpusError("extended and in_bert are about the words of a WEAT category; give one, or leave them out")
    if extended and in_bert:
        raise CorpusError("in_bert is known for the published words; leave out extended, or use weat(whole_words=True)")
    chosen = weat_stimuli(category, extended=extended) if category is not None else stimuli
    assert chosen is not None
    if in_bert:
        chosen = _in_bert(chosen)
    texts = tuple(templates) if templates is not None else WEAT_TEMPLATES.get(chosen.category, (WEAT_IS, WEAT_ARE))
    kind = ("extended-" if extended else "") + ("in-bert-" if in_bert else "")
    return WeatTest(name or f"weat-{kind}{chosen.category}", chosen, texts)


def _in_bert(stimuli: WeatStimuli) -> WeatStimuli:
    def kept(words: Sequence[str]) -> tuple[str, ...]:
        return tuple(word for word in words if word.lower() not in NOT_IN_BERT)

    return replace(stimuli, x=kept(stimuli.x), y=kept(stimuli.y), a=kept(stimuli.a), b=kept(stimuli.b))


def _filled(template: str, slot: str, word: str, other: str) -> tuple[Context, Span]:
    words = {slot: word, ("attribute" if slot == "target" else "target"): other}
    text, spans, rest = "", {}, template
    for name in sorted(words, key=lambda name: template.index(f"{{{name}}}")):
        before, rest = rest.split(f"{{{name}}}")
        text += before
        spans[name] = Span(len(text), len(text) + len(words[name]))
        text += words[name]
    hidden = next(span for name, span in spans.items() if name != slot)
    return Context(text + rest, spans[slot]), hidden
