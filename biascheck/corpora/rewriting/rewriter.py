"""Counterfactual versions of a text: all gendered words changed to one gender, swapped, or removed.

All words are replaced at once, so that "he told him" is not changed twice; only whole words are replaced (never the
*he* in *the*); upper and lower case, punctuation and everything between the words stay as they are. A text changed to
male stays the same when it is changed to male again. Words that a change and its reverse do not restore are listed by
:meth:`biascheck.corpora.rewriting.terms.TermSet.lossy`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from biascheck.core.spans import Span
from biascheck.corpora.rewriting.name_finder import NameFinder
from biascheck.corpora.rewriting.terms import GENDERS, PLAIN, ContextRoles, Gender, RoleResolver, TermSet, gender_terms

Forms = Mapping[str, Mapping[str, str]]
UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A version of a text, and the spans of its gendered words."""

    text: str
    terms: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A term in a text, and its counterpart in the other gender: itself, if that is unclear."""

    span: Span
    word: str
    replacement: str


class Rewriter:
    """Rewrites texts by one term set. ``roles`` distinguishes *her* (object) from *her* (determiner); a parser may
    replace it.

    With a ``finder``, names of the set are terms only if they are a person's first name, and words of the set that are
    a surname ("Stephen King") are not terms.
    """

    def __init__(
        self, terms: TermSet | None = None, *, roles: RoleResolver | None = None, finder: NameFinder | None = None
    ) -> None:
        self.terms = terms or gender_terms("all")
        self._roles = roles or ContextRoles()
        self._finder = finder
        # No word is on both sides, so a swap is both maps at once.
        self._both = {word: forms for gender in GENDERS for word, forms in self.terms.counterparts(gender).items()}
        self._pattern = re.compile(rf"(?<!\w){_words_or_names(self.terms)}(?!\w)", re.IGNORECASE)
        self._removal = re.compile(rf"{self._pattern.pattern}\s?", re.IGNORECASE)

    def to(self, text: str, gender: Gender) -> str:
        """The text with all its terms in one gender."""
        return self._turned(text, self.terms.counterparts(gender))

    def swap(self, text: str) -> str:
        """The text with male terms made female and female ones male, at once."""
        return self._turned(text, self._both)

    def edits(self, text: str) -> tuple[Edit, ...]:
        """Every term of the text, with its counterpart of the other gender at that place."""
        replace = self._replacing(self._both)
        return tuple(Edit(Span(*match.span()), match[0], replace(match)) for match in self._terms_in(text))

    def gender_of(self, word: str) -> Gender | None:
        """The gender that a word of the set shows; *poet* shows none."""
        plain = word.lower() if word.lower() in self._both else _plain_spelling(word.lower())
        if plain in self.terms.counterparts("female"):
            return "male"
        return "female" if plain in self.terms.counterparts("male") else None

    def remove(self, text: str) -> str:
        """The text without its terms. One of two spaces goes with a word; a suffix ("'s") stays."""
        if not self._pattern.search(text):
            return text
        is_term = self._filter(text)
        return self._removal.sub(lambda match: "" if is_term(match) else match[0], text).rstrip()

    def find(self, text: str) -> tuple[Span, ...]:
        """The spans of the terms of either gender."""
        return tuple(Span(*match.span()) for match in self._terms_in(text))

    def version(self, text: str, gender: Gender) -> Rewritten:
        """The text in one gender, with the spans of all its terms in that version."""
        replace = self._replacing(self.terms.counterparts(gender))
        parts: list[str] = []
        spans: list[Span] = []
        done = length = 0
        for match in self._terms_in(text):
            word = replace(match)
            start = length + match.start() - done
            spans.append(Span(start, start + len(word)))
            parts += (text[done : match.start()], word)
            done, length = match.end(), start + len(word)
        return Rewritten("".join([*parts, text[done:]]), tuple(spans))

    def _terms_in(self, text: str) -> Iterator[re.Match[str]]:
        return filter(self._filter(text), self._pattern.finditer(text))

    def _filter(self, text: str) -> Callable[[re.Match[str]], bool]:
        """Whether a match is a term in its context; without a finder every one is."""
        finder, proper = self._finder, self.terms.proper
        if finder is None:
            return lambda _match: True
        first_names = {span.start for span in finder.find(text)}

        def is_term(match: re.Match[str]) -> bool:
            if match.start() in first_names:
                return True
            word = match[0].split()[0].lower()
            return word not in proper and not (match[0][0].isupper() and finder.follows_a_name(text, match.start()))

        return is_term

    def _turned(self, text: str, forms: Forms) -> str:
        replacement, is_term = self._replacing(forms), self._filter(text)
        return self._pattern.sub(lambda match: replacement(match) if is_term(match) else match[0], text)

    def _replacing(self, forms: Forms) -> Callable[[re.Match[str]], str]:
        def replacement(match: re.Match[str]) -> str:
            found = match[0]
            word = found.lower()
            if word not in forms:
                word = _plain_spelling(word)
                if word not in forms:
                    return found
            choices = forms[word]
            if PLAIN in choices:
                return _in_case_of(found, choices[PLAIN])
            role = self._roles.role(match.string, match.start(), match.end())
            if role == UNCLEAR:
                return found
            return _in_case_of(found, choices.get(role) or next(iter(choices.values())))

        return replacement


def _plain_spelling(word: str) -> str:
    """Single spaces and straight apostrophes, as in the table."""
    return " ".join(word.split()).replace("’", "'")


def _in_case_of(found: str, word: str) -> str:
    if not found[0].isupper():
        return word
    return word.upper() if len(found) > 1 and found.isupper() else word[0].upper() + word[1:]


def _words_or_names(terms: TermSet) -> str:
    """Words in any case; names with a capital only, so that "will" and "mark" stay verbs."""
    common = _alternatives(terms.words - terms.proper)
    names = _alternatives(frozenset(word.capitalize() for word in terms.words & terms.proper))
    if not names:
        return common
    return f"(?:{common}|(?-i:{names}))" if common else f"(?-i:{names})"


def _alternatives(words: frozenset[str]) -> str:
    """A pattern for any of the words, the longest match first, as a tree: each letter is looked at once."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branch(tree)


def _branch(node: Mapping[str, Any]) -> str:
    branches = [_letter(letter) + _branch(rest) for letter, rest in sorted(node.items()) if letter]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)})" + ("?" if "" in node else "")


def _letter(letter: str) -> str:
    return {" ": r"\s+", "'": "['’]"}.get(letter) or re.escape(letter)
