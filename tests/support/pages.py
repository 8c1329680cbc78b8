"""The blocks of a page: what is run, what it promises to print, and the files of the reader's project."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ((?:[\w.-]+/)*[\w.-]+\.(?:py|toml))\n")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The path that the block is a file of, if any."""
        found = FILE.match(self.text)
        return found[1] if found else None


def blocks(text: str) -> list[Block]:
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text)]


def snippets(text: str) -> list[tuple[Block, str | None]]:
    """Every block to run, with the output it promises."""
    found = blocks(text)
    after = [*found, Block("", "", 0)][1:]
    return [
        (block, following.text if following.language == "output" else None)
        for block, following in zip(found, after, strict=True)
        if block.language == "python" and block.file is None
    ]


def files(text: str) -> dict[str, str]:
    """The reader's project of a page."""
    return {block.file: block.text for block in blocks(text) if block.file and block.language in ("python", "toml")}
