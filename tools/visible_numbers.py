"""The numbers that a reader sees in a page or a text, without those that change from run to run."""

import re
from html.parser import HTMLParser

MOMENT = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d| UTC)?"
# Numbers that are no figures: moments ("A to B" is one), durations, paths, versions, digests.
STRIPPED = (
    re.compile(f"{MOMENT}(?: to {MOMENT})?"),
    re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?|min|minutes?|h|hours?)\b"),
    re.compile(r"(?:[\w.~-]*/)+[\w.~-]*[A-Za-z][\w.~-]*"),
    re.compile(r"\bv?\d+\.\d+\.\d+[\w.+-]*"),
    re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}\b"),
)
NUMBER = re.compile(r"[-−+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?")
HIDDEN = ("script", "style", "template")
PLAIN = str.maketrans({"−": "-", ",": None})


class _VisibleText(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._hidden += tag in HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in HIDDEN

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def visible_text(page: str) -> str:
    """The text of a page that a reader sees, in one line, without scripts, styles and embedded data; stripped."""
    parser = _VisibleText()
    parser.feed(page)
    parser.close()
    return stripped(" ".join(" ".join(parser.parts).split()))


def stripped(text: str) -> str:
    """A text without moments, durations, paths, versions and digests."""
    for pattern in STRIPPED:
        text = pattern.sub("…", text)
    return text


def numbers_of(text: str) -> list[str]:
    """The numbers of a text in their order: as they are written, but for the minus sign and thousands."""
    return [number.translate(PLAIN) for number in NUMBER.findall(stripped(text))]


def numbers_with_context(text: str) -> list[tuple[str, str]]:
    """The numbers of a visible text, each with the words around it."""
    return [(one[0].translate(PLAIN), text[max(0, one.start() - 40) : one.end() + 20]) for one in NUMBER.finditer(text)]
