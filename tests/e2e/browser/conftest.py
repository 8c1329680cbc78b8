"""A browser for all tests of pages; they skip where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser_views import CHROMIUM, NEVER_ENDS, QUIET, View


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install .[dev]")
    found = next(filter(None, map(shutil.which, CHROMIUM)), os.environ.get("BIASCHECK_CHROMIUM"))
    if found is None:
        pytest.skip("needs Chromium on the path, or its place in BIASCHECK_CHROMIUM")
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=found, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def view(browser) -> Iterator[Callable[..., View]]:
    contexts = []

    def show(path: Path, **options: Any) -> View:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(NEVER_ENDS)
        contexts.append(context)
        seen = View(context.new_page())
        seen.page.on("console", lambda message: seen.complaints.append(message.text))
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.on("dialog", lambda dialog: (seen.complaints.append(dialog.message), dialog.dismiss()))
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.goto(path.as_uri())
        return seen

    yield show
    for context in contexts:
        context.close()
