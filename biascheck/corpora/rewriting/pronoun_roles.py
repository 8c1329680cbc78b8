"""Whether *her* is an object (him) or a determiner (his), told from the words around it.

English has one female form where the male ones are two: "I met her" (him), "I met her sister" (his). A parser would
know; this needs none. A linear model looks at the next two words and the previous one. It was fitted to *him* and
*his* in running text, where the word itself is the label, so nobody had to annotate anything
(``tools/fit_pronoun_roles.py``). How often it is right on *her* itself was counted on sentences labelled by hand:
see ``tests/corpora/test_pronoun_roles.py``.

*his* is split in the same way into a determiner (her) and a pronoun of its own (hers). That is asked for more
evidence, because "his" stands alone once in hundreds of times; and what is a determiner as *her* is always a
determiner as *his*, so that her → his → her comes back.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal, Protocol

from biascheck.corpora.rewriting.terms import PLAIN, gender_terms

__all__ = ["ContextRoles", "Role", "RoleResolver", "features_of"]

Role = Literal["object", "determiner", "pronominal", "subject", "unclear"]
"""``unclear`` leaves the word as it is; ``subject`` is for languages that inflect, see german_terms.py."""

CONTEXT = 48
"""How many characters on each side are looked at."""
ALONE = -2.0
"""The score below which *his* stands alone; *her* is an object from 0 down."""

# No noun phrase begins with these: "what happened to her was", "his was better".
_FINITE = frozenset({"is", "was", "are", "were", "has", "had", "does", "did", "would", "could", "should"})
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")


class RoleResolver(Protocol):
    """Anything that can tell the grammatical role of a pronoun; a parser may stand behind it."""

    def role(self, text: str, start: int, end: int) -> Role:
        """The role of the pronoun at these characters."""


class ContextRoles:
    """The linear model: positive speaks for a determiner, negative for an object."""

    def role(self, text: str, start: int, end: int) -> Role:
        """The role of *her*, *his*, *him* or *hers* at these characters."""
        word = text[start:end].lower()
        if word == "him":
            return "object"
        if word == "hers":
            return "pronominal"
        score = self.score(text, start, end)
        if word == "his":
            return "pronominal" if score < ALONE else "determiner"
        return "determiner" if score > 0 else "object"

    def score(self, text: str, start: int, end: int) -> float:
        """How much the context speaks for a determiner, in log odds."""
        weights, features = _weights(), features_of(text, start, end)
        if features[0].removeprefix("next=") in _FINITE:
            return 2 * ALONE
        return weights["bias"] + sum(weights.get(name, 0.0) for name in features)


def features_of(text: str, start: int, end: int) -> list[str]:
    """The names of what the model looks at: the next two tokens, the previous one, and the next one's ending.

    Gendered neighbours count as their male forms: "her husband" is to be read like "his wife", and the answer must
    not change when the text around the pronoun is turned to the other gender.
    """
    after = [_ungendered(match[0]) for match in _TOKEN.finditer(text[end : end + CONTEXT])][:2]
    before = [_ungendered(match[0]) for match in _TOKEN.finditer(text[max(0, start - CONTEXT) : start])][-1:]
    after += ["$"] * (2 - len(after))
    features = [f"next={after[0]}", f"second={after[1]}", f"previous={before[0] if before else '^'}"]
    if after[0].isalpha():
        return [*features, f"ending={after[0][-3:]}", f"ending={after[0][-2:]}"]
    return [*features, "mark"]


def _ungendered(token: str) -> str:
    word = token.lower()
    return _male_forms().get(word, word)


@cache
def _male_forms() -> dict[str, str]:
    plain = {word: forms[PLAIN] for word, forms in gender_terms("all").counterparts("male").items() if PLAIN in forms}
    return plain | dict.fromkeys(("her", "him", "his", "hers"), "him")


@cache
def _weights() -> dict[str, float]:
    table = files("biascheck.corpora").joinpath("data", "pronoun_roles.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return {name: float(weight) for name, weight in rows}
