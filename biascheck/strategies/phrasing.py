"""From a line with places for a person to the sentence of each group, with spans by construction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.templates import Target
from biascheck.errors import UsageError
from biascheck.spans import Span

__all__ = ["marked", "pair_of", "unmarked", "with_article"]

OPEN, CLOSE = "\x02", "\x03"
"""Around the attribute; characters that no text contains."""
PLACE = re.compile(r"\{(\w+)\}|[\x02\x03]")
PERSON_ROLES = ("target", "object")


def marked(text: str) -> str:
    """A text as the attribute of its line."""
    return f"{OPEN}{text}{CLOSE}"


def unmarked(line: str) -> str:
    """A line without its attribute."""
    return line.replace(OPEN, "").replace(CLOSE, "")


def with_article(noun: str) -> str:
    """A noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def pair_of(line: str, people: Sequence[Target], attribute: str, labels: Mapping[str, str | float]) -> Pair:
    """One line with the same person in each group; it is called by its first sentence."""
    sentences = {target.group: _sentence(line, target) for target in people}
    together = "-".join(target.word for target in people)
    return Pair(next(iter(sentences.values())).text, attribute, sentences, {**labels, "people": together})


def _sentence(line: str, target: Target) -> Sentence:
    """Put a person in: ``{target}`` or, as an object, ``{object}``; then ``{he}``, ``{him}`` and ``{his}`` agree.

    The first mention of the person is the target, further ones are among the ``others``.
    """
    text, at = "", 0
    spans: dict[str, list[Span]] = {"target": [], "other": []}
    ends: list[int] = []
    for match in PLACE.finditer(line):
        text += line[at : match.start()]
        at = match.end()
        if match[1] is None:
            ends.append(len(text))
            continue
        before, word = _mention(match[1], target, line)
        text += before
        role = "target" if match[1] in PERSON_ROLES and not spans["target"] else "other"
        spans[role].append(Span(len(text), len(text) + len(word)))
        text += word
    text = _capitalised(text + line[at:])
    if not spans["target"]:
        raise UsageError(f"{unmarked(line)!r} has no place for a person; write {{target}} where one is to be")
    return Sentence(text, spans["target"][0], Span(*ends) if ends else None, tuple(spans["other"]))


def _capitalised(text: str) -> str:
    """A capital at the beginning, and at the beginning of what is quoted; the length never changes."""
    for place in {0, text.find("“") + 1}:
        if len(upper := text[place].upper()) == 1:
            text = text[:place] + upper + text[place + 1 :]
    return text


def _mention(place: str, target: Target, line: str) -> tuple[str, str]:
    """The determiner and the word at a place for a person."""
    if place in PERSON_ROLES:
        word = target.forms.get("object", target.word) if place == "object" else target.word
        return f"{target.determiner} " if target.determiner else "", word
    if place not in target.forms:
        raise UsageError(
            f"{unmarked(line)!r} asks for {{{place}}}, which {target.word!r} ({target.group}) does not have; it "
            f"has {sorted({*PERSON_ROLES, *target.forms})}: give slots={{{place!r}: […]}}, or the target a "
            "form of that name"
        )
    return "", target.forms[place]
