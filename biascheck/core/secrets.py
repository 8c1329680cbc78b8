"""Keys stay inside the process: ``Secrets`` knows those in use, and masks them in any text that leaves it.

A server may repeat the key that it is sent, as it is or escaped. A key is found as plain text; with any of its
characters as an escape of JSON, of an address or of HTML, also where the escape is escaped; in base64, whatever stands
before it ("Bearer", a user's name); in hexadecimal. The beginning of a key, where a text was cut, is masked from eight
characters on, and half of a key wherever it stands.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from html.entities import html5
from typing import Any, overload
from urllib.parse import unquote, urlsplit

KEYS = ("BIASCHECK_API_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key; the first that is set counts."""
MASK = "[key]"
SHORTEST = 8
"""A shorter key is a placeholder ("EMPTY", "none"): masking it would change ordinary words. So would a shorter part."""

NAMED = {name: one for name, one in html5.items() if name.endswith(";") and len(one) == 1 and one.isascii()}
"""The names of HTML for characters that a key may hold."""
MOST_LAYERS = 6
"""Escapes of escapes that are looked through."""
ESCAPE = re.compile(
    r"\\{1,8}u\{?0{0,6}(?P<u>[\da-f]{2})\}?|\\{1,8}x(?P<x>[\da-f]{2})|%(?P<percent>[\da-f]{2})"
    r"|&\#x0{0,6}(?P<hex>[\da-f]{2});?|&\#0{0,6}(?P<decimal>\d{2,3});?|&(?P<name>[a-z]{2,6};)"
    r"|\\{1,8}(?P<break>[nrt])|\\{1,8}(?P<mark>[^\w\s\\])",
    re.IGNORECASE,
)
BETWEEN = r"(?:\s|\\{1,8}[nrt]){0,4}"
"""What a line break adds in the middle of a key."""
CUT = re.compile(
    r"(?:\\{1,8}(?:u[\da-f{]{0,4}|x[\da-f]?)?|%[\da-f]?|&\#?x?[\da-z]{0,6})?"  # half an escape
    r"[\s\"'`)\]}>]{0,8}(?:\Z|…|\\{1,8}u2026|&hellip;|&\#8230;|\.\.\.|\*\*)",
    re.IGNORECASE,
)
"""Where a text ends, brackets and quotation marks aside, or shows that something was left out."""

# Repetitions in these patterns are bounded: a long row of backslashes must not take a time that grows with its square.


def _unescaped(text: str) -> str:
    """A text with one layer of escapes less."""
    return ESCAPE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    value = found[kind]
    if kind in ("u", "x", "percent", "hex"):
        return chr(int(value, 16))
    if kind == "decimal":
        return chr(int(value))
    if kind == "name":
        return NAMED.get(value, found[0])
    return "" if kind == "break" else value


def _layers(text: str) -> Iterator[str]:
    """A text, and what is left of it as layer after layer of escapes is taken off."""
    yield text
    for _ in range(MOST_LAYERS):
        inner = _unescaped(text)
        if inner == text:
            return
        yield inner
        text = inner


def _bare(text: str) -> str:
    """A text for comparison: in lower case, without spaces and line breaks."""
    return "".join(text.lower().split())


@cache
def _pattern_of(character: str) -> str:
    """A pattern of one character of a key, as it is or escaped."""
    code = ord(character)
    named = "|".join(name for name, one in NAMED.items() if one == character) or r"(?!)"
    before = "" if character.isalnum() else r"\\{0,8}"
    return (
        rf"(?:\\{{1,8}}u\{{?0{{0,6}}{code:x}\}}?"
        rf"|\\{{1,8}}x{code:02x}"
        rf"|%(?:25){{0,4}}{code:02x}"
        rf"|&(?:amp;){{0,4}}(?:\#0{{0,6}}{code};?|\#x0{{0,6}}{code:x};?)"
        rf"|&(?:amp;){{0,4}}(?:{named})"
        rf"|{before}{re.escape(character)})"  # last: a backslash or ampersand of a key begins escapes, too
    )


class _Spelling:
    """One way in which a key may be written, whose characters may be escaped."""

    def __init__(self, spelt: str) -> None:
        characters = [_pattern_of(one) for one in spelt]
        self.beginning = _bare(spelt[:SHORTEST])
        self._length = len(characters)
        self._begins = re.compile(BETWEEN.join(characters[:SHORTEST]), re.IGNORECASE)
        self._goes_on = [re.compile(BETWEEN + one, re.IGNORECASE) for one in characters[SHORTEST:]]

    def masked(self, text: str) -> str:
        parts, written, start = [], 0, 0
        while (found := self._begins.search(text, start)) is not None:
            end, count = self._extended(text, found.end())
            if 2 * count < self._length and CUT.match(text, end) is None:
                start = found.start() + 1
                continue
            parts += [text[written : found.start()], MASK]
            written = start = end
        return "".join([*parts, text[written:]]) if parts else text

    def _extended(self, text: str, end: int) -> tuple[int, int]:
        """Where the key ends that begins in a text, and how much of it is there."""
        for count, character in enumerate(self._goes_on, SHORTEST):
            if (found := character.match(text, end)) is None:
                return end, count
            end = found.end()
        return end, self._length


class Secrets:
    """The keys in use. ``masked`` is the only way in which a text that may hold one leaves the process."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        spelt = dict.fromkeys(one for key in keys if len(key) >= SHORTEST for one in _spellings(key))
        self._spellings = tuple(map(_Spelling, spelt))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def masked(self, text: str) -> str:
        """A text without the keys; one that hides a key below several kinds of escapes is unescaped, too."""
        text = self.masked_page(text)
        for layer in _layers(text) if self._may_be_in(text) else ():
            if (masked := self._masked_once(layer)) != layer:
                return self.masked(masked)
        return text

    @overload
    def masked_page(self, page: str) -> str: ...
    @overload
    def masked_page(self, page: bytes) -> bytes: ...
    def masked_page(self, page: str | bytes) -> str | bytes:
        """A finished document without the keys: nothing in it is unescaped, since that could break its format."""
        if not self._spellings:
            return page
        if isinstance(page, bytes):
            return self.masked_page(page.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        return self._masked_once(page) if self._may_be_in(page) else page

    def _may_be_in(self, text: str) -> bool:
        """Whether eight characters of a key are in a text; much faster than masking, and mostly they are not."""
        bare = map(_bare, _layers(text))
        return any(spelling.beginning in layer for layer in bare for spelling in self._spellings)

    def _masked_once(self, text: str) -> str:
        for spelling in self._spellings:
            text = spelling.masked(text)
        return text

    def masked_in(self, document: Any) -> Any:
        """Plain values without the keys, also where they are names."""
        if not self._spellings:
            return document
        if isinstance(document, str):
            return self.masked(document) if len(document) >= SHORTEST else document
        if isinstance(document, list):
            return [self.masked_in(one) for one in document]
        if isinstance(document, dict):
            return {self.masked_in(name): self.masked_in(value) for name, value in document.items()}
        return document

    def shortened(self, text: str, length: int) -> str:
        """A text of at most so many characters and an ellipsis: masked before it is cut, since half a key is no key."""
        whole = self.masked(text)
        return whole if len(whole) <= length else f"{whole[:length]}…"


def _spellings(key: str) -> Iterator[str]:
    yield key
    data = key.encode()
    yield data.hex()
    for before in range(3):
        encoded = _in_base64(data, before)
        if len(encoded) >= SHORTEST:
            yield encoded
            yield encoded.replace("+", "-").replace("/", "_")


def _in_base64(data: bytes, before: int) -> str:
    """The characters of base64 that these bytes alone decide, after ``before`` bytes (modulo 3) of something else."""
    encoded = base64.b64encode(b"\0" * before + data).decode()
    return encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]


def key_in_use() -> str:
    """The key that a server is sent, without the line break that a file may have left behind it; or nothing."""
    return next((key for name in KEYS if (key := os.environ.get(name, "").strip())), "")


def in_use() -> Secrets:
    """The keys of the environment, and the passwords of its proxies. They are read anew each time."""
    keys = [os.environ.get(name, "").strip() for name in KEYS]
    return _secrets((*keys, *_passwords()))


def _passwords() -> Iterator[str]:
    for address in [value for name, value in os.environ.items() if name.lower().endswith("_proxy") and "@" in value]:
        try:
            password = urlsplit(address if "://" in address else f"http://{address}").password
        except ValueError:
            continue
        if password:
            yield unquote(password)


@lru_cache(maxsize=8)
def _secrets(keys: tuple[str, ...]) -> Secrets:
    return Secrets(keys)
