"""WEAT stimuli (Caliskan et al. 2017) and the sentences Kurita et al. 2019 made of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.errors import CorpusError

__all__ = ["WeatStimuli", "kurita_weat", "weat_stimuli"]

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

    ``extended=True`` gives longer lists of our own for 3, 6, 7 and 8: 66 words in each set of attributes that Kurita's
    templates compare, 60 to 66 targets in each set for embeddings, and 32 terms for either gender. Eight words are too
    few to show parity. Published words that fit the templates are among them ("She likes salary." does not); no word
    of one set is in the other, or in the other published one. The attributes of two sets have about as many tokens.

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

    ``extended=True`` has the same templates and targets with 66 attributes of our own for each side, all of which make
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
