"""A bias test that asks a model for what it cannot do is skipped; the reason is the refusal itself."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

__all__ = ["pytest_runtest_call", "pytest_runtest_setup"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test whose fixtures measure what the model cannot do."""
    with _skipping(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test that measures what the model cannot do."""
    with _skipping(item):
        return (yield)


@contextmanager
def _skipping(item: pytest.Item) -> Iterator[None]:
    from biascheck.errors import CapabilityError

    try:
        yield
    except CapabilityError as refusal:
        if item.get_closest_marker("bias") is None:  # anyone else's test wants to see the error
            raise
        raise pytest.skip.Exception(str(refusal), _use_item_location=True) from None
