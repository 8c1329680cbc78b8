"""Searches of these tests start without a memory, whatever the repository keeps in its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from biascheck.core.context import remembering


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    with remembering(None):
        yield
