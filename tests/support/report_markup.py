"""An HTML page taken apart: tags that do not balance are an error."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    text: str = ""
    children: list[Element] = field(default_factory=list)

    @property
    def all_text(self) -> str:
        return " ".join([self.text, *(child.all_text for child in self.children)])

    def find(self, tag: str, kind: str = "") -> list[Element]:
        own = [self] if self.tag == tag and kind in self.attributes.get("class", "") else []
        return own + [found for child in self.children for found in child.find(tag, kind)]

    def walk(self) -> list[Element]:
        return [self, *(found for child in self.children for found in child.walk())]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.current = Element("root", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.current)
        self.current.children.append(element)
        if tag not in VOID:
            self.current = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.current.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.current))

    def handle_endtag(self, tag: str) -> None:
        assert self.current.tag == tag, f"</{tag}> closes <{self.current.tag}> on line {self.getpos()[0]}"
        assert self.current.parent is not None
        self.current = self.current.parent

    def handle_data(self, data: str) -> None:
        self.current.text += data


def parse(html: str) -> Element:
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.current is parser.root, f"<{parser.current.tag}> is never closed"
    return parser.root
