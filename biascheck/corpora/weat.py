"""WEAT's word sets (Caliskan et al. 2017), the sentences made from them, and SEAT's (May et al. 2019)."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.lexicon import Context
from biascheck.corpora.published import published_file, published_folder, text_of
from biascheck.corpora.templates import Attribute, Target, Template, cross

# WEAT stimuli (Caliskan et al. 2017) and the sentences Kurita et al. 2019 made of them.

CATEGORIES = (1, 3, 6, 7, 8)
EXTENDED = (3, 6, 7, 8)

LIKES = Template("{target} likes {attribute}.", "likes")
LIKE = Template("{target} like {attribute}.", "like")
INTERESTED = Template("{target} is interested in {attribute}.", "is-interested-in")
ARE = Template("{target} are {attribute}.", "are")
THE_IS = Template("the {target} is {attribute}.", "the-is")
PEOPLE = Template("{target} people are {attribute}.", "people-are")
PERSON = Template("the {target} person is {attribute}.", "the-person-is")

# category → (groups, ((template, words in the order of the groups, number), …)), after Kurita's Table 2
_Row = tuple[Template, tuple[str, str], str]
_GENDER: tuple[tuple[str, str], tuple[_Row, ...]] = (
    ("male", "female"),
    (
        (LIKES, ("he", "she"), "singular"),
        (LIKE, ("boys", "girls"), "plural"),
        (LIKE, ("men", "women"), "plural"),
        (INTERESTED, ("he", "she"), "singular"),
    ),
)
KURITA: dict[int, tuple[tuple[str, str], tuple[_Row, ...]]] = {
    1: (
        ("flowers", "insects"),
        ((ARE, ("flowers", "insects"), "plural"), (THE_IS, ("flower", "insect"), "singular")),
    ),
    3: (
        ("white", "black"),
        ((PEOPLE, ("white", "black"), "plural"), (PERSON, ("white", "black"), "singular")),
    ),
    6: _GENDER,
    7: _GENDER,
    8: _GENDER,
}


@dataclass(frozen=True)
class WeatStimuli:
    """Two sets of targets (x, y) and two of attributes (a, b), each in alphabetical order."""

    category: int
    x_name: str
    x: tuple[str, ...]
    y_name: str
    y: tuple[str, ...]
    a_name: str
    a: tuple[str, ...]
    b_name: str
    b: tuple[str, ...]


def weat_stimuli(category: int, *, extended: bool = False) -> WeatStimuli:
    """The word lists of one WEAT category: 1, 3, 6, 7 or 8 of Caliskan et al. 2017, Table 1.

    ``extended=True`` gives longer built-in lists for 3, 6, 7 and 8: 66 words in each set of attributes that Kurita's
    templates compare, 60 to 66 targets in each set for embeddings, and 32 terms for either gender. Eight words are too
    few to show parity. Published words that fit the templates are among them ("She likes salary." does not); no word
    of one set is in the other, or in the other published one. The attributes of two sets have about equally many
    tokens.

    Names of category 6 are among the most common ones of U.S. births of the last hundred years (Social Security
    Administration). Those of category 3 were found to be given mostly by one group: the names of Greenwald et al. 1998
    that WEAT uses, those of Bertrand & Mullainathan 2004, and those of Californian births (Fryer & Levitt 2004, as
    listed by Levitt & Dubner 2005). The names of African Americans have more tokens in most vocabularies.
    """
    sets = _table("weat_extended.tsv" if extended else "weat.tsv").get(category)
    if sets is None:
        known, lack = (EXTENDED, "has no extended sets") if extended else (CATEGORIES, "is not included")
        raise CorpusError(f"WEAT category {category!r} {lack}; choose one of {list(known)}")
    (x_name, x), (y_name, y), (a_name, a), (b_name, b) = (sets[letter] for letter in "xyab")
    return WeatStimuli(category, x_name, x, y_name, y, a_name, a, b_name, b)


def kurita_weat(category: int, *, extended: bool = False) -> Corpus:
    """The sentences of Kurita et al. 2019, Table 2: fixed targets in templates that fit them.

    The attributes are the two lists compared. ``side`` "A" marks pleasant (categories 1 and 3), career
    (6), math (7) or science (8), "B" the other; in 7 and 8 these are the x and y lists of WEAT, whose
    male and female terms are replaced by the fixed targets. Further labels: ``template``, ``targets``,
    ``number`` (singular or plural). Many attributes are nouns ("Flowers are diploma."): the published
    stimuli are kept as they are.

    ``extended=True`` has the same templates and targets with 66 built-in attributes for each side, all of which make
    sentences (categories 3, 6, 7 and 8; see :func:`weat_stimuli`). Gates judge :func:`attribute_contrast` on these.
    """
    stimuli = weat_stimuli(category, extended=extended)
    groups, rows = KURITA[category]
    attributes = _attributes(stimuli)
    pairs: list[Pair] = []
    for template, words, number in rows:
        targets = [Target(word, group) for word, group in zip(words, groups, strict=True)]
        pairs += cross([template], [targets], attributes, labels={"number": number})
    fillers = ("ordinary", "common", "typical") if category in (1, 3) else ("things", "something", "this")
    name = f"kurita-{'extended' if extended else 'weat'}-{category}"
    return Corpus(name, groups, tuple(pairs), fillers=fillers, paper="kurita2019")


def _attributes(stimuli: WeatStimuli) -> list[Attribute]:
    compared = (stimuli.x, stimuli.y) if stimuli.category in (7, 8) else (stimuli.a, stimuli.b)
    return [Attribute(word, {"side": side}) for side, words in zip("AB", compared, strict=True) for word in words]


@cache
def _table(name: str) -> dict[int, dict[str, tuple[str, tuple[str, ...]]]]:
    text = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    table: dict[int, dict[str, tuple[str, tuple[str, ...]]]] = {}
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        table.setdefault(int(row["category"]), {})[row["set"]] = (row["name"], tuple(row["words"].split()))
    return table


# WEAT stimuli for embedding tests: the words alone, in templates, or in bleached sentences.

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

    ``templates`` have the slots {target} and {attribute}, ``bleached`` the slot {word}. ``fillers`` replace the other
    word for models without a mask. ``clusters`` groups targets that are not independent, such as sentences about one
    word; a target that is not in it is a cluster of its own. ``paper`` is the key of the paper it belongs to.
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
        """The word at its slot in every template, ``other`` at the other slot, and the span of that one."""
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


# Loaders for WEAT's word sets (Caliskan et al. 2017) and SEAT's sentences (May et al. 2019), as published
# files.

ARE_IS = WEAT_TEMPLATES[1]
SEAT_TESTS = (
    *(f"sent-weat{name}" for name in ("1", "2", "3", "4", "5", "6", "6b", "7", "7b", "8", "8b", "9", "10")),
    "sent-angry_black_woman_stereotype",
    "sent-heilman_double_bind_competent_one_word",
)
ASSOCIATION_WORD = re.compile(r"[\w'’-]+")
BLEACHED_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "be", "here", "is", "it", "name", "people", "person", "person's", "some", "that"),
        *("the", "there", "these", "they", "thing", "things", "this", "those", "was", "were", "will", "word"),
    )
)
"""The sentence patterns of SEAT, besides the word they are about."""


def published_weat(category: int, folder: str | Path | None = None) -> WeatTest:
    """WEAT category 1 to 10 with the words of the published file, in the form that :func:`weat_test` returns."""
    if category not in range(1, 11):
        raise CorpusError(f"WEAT has the categories 1 to 10, not {category!r}")
    path = published_file(published_folder(folder, "weat"), f"weat{category}.jsonl")
    stimuli = _stimuli(path, category)
    return WeatTest(f"published-weat-{category}", stimuli, WEAT_TEMPLATES.get(category, ARE_IS), paper="caliskan2017")


def published_seat(name: str, folder: str | Path | None = None) -> WeatTest:
    """One of SEAT's tests (:data:`SEAT_TESTS`): its stimuli are whole sentences, to be measured at level "sentence".

    Sentences about one word ("This is a rose.", "Roses are …") are not independent and form one cluster: the word that
    is rarest in its set, without a plural ending.
    """
    path = published_file(published_folder(folder, "seat"), f"{name}.jsonl")
    number = re.search(r"\d+", name)
    stimuli = _stimuli(path, int(number[0]) if number else 0)
    clusters = _clusters(stimuli.x) | _clusters(stimuli.y)
    return WeatTest(
        f"published-seat-{name.removeprefix('sent-')}",
        stimuli,
        ARE_IS,
        bleached=("{word}",),
        clusters=clusters,
        paper="caliskan2017",
    )


def _stimuli(path: Path, category: int) -> WeatStimuli:
    try:
        data: dict[str, dict[str, Any]] = json.loads(text_of(path))
        sets = [(str(data[key]["category"]), data[key]["examples"]) for key in ("targ1", "targ2", "attr1", "attr2")]
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(
            f"{path} is not a file of sent-bias ({error!r}); it needs targ1, targ2, attr1, attr2"
        ) from None
    (x_name, x), (y_name, y), (a_name, a), (b_name, b) = [(name, tuple(dict.fromkeys(words))) for name, words in sets]
    return WeatStimuli(category, x_name, x, y_name, y, a_name, a, b_name, b)


def _clusters(sentences: tuple[str, ...]) -> dict[str, str]:
    """The rarest word of each sentence, without a plural ending."""
    split = {
        text: [word for word in ASSOCIATION_WORD.findall(text) if word.lower() not in BLEACHED_WORDS]
        for text in sentences
    }
    stems = {text: sorted({_stem(word) for word in words}) for text, words in split.items()}
    counts = Counter(stem for own in stems.values() for stem in own)
    return {text: min(own, key=lambda stem: (counts[stem], stem)) for text, own in stems.items() if own}


def _stem(word: str) -> str:
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    for ending, instead in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
        if lower.endswith(ending) and len(lower) > len(ending) + 2:
            return lower.removesuffix(ending) + instead
    return lower
