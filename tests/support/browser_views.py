"""Pages in a real browser, and what went wrong in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NEVER_ENDS = 300_000  # milliseconds: so that what hangs is found in the end, on however busy a machine
OPEN_ALL = "document.querySelectorAll('details').forEach(details => { details.open = true })"


@dataclass
class View:
    """A page, and what went wrong in it."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]


def open_all(page: Any) -> None:
    """Open everything, and wait until every table of items has been built."""
    page.evaluate(OPEN_ALL)
    if tables := page.locator("details.items").count():
        page.locator("details.items .pager").nth(tables - 1).wait_for(state="attached")


def serious_violations(page: Any) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe: pip install .[dev]")
    violations = axe.Axe().run(page).response["violations"]
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] in ("serious", "critical")]
