"""How errors of bias tests are shown: what a model cannot do is a skip, a server that is gone is one line."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from biascheck.plugin.settings import settings_of

__all__ = ["pytest_runtest_call", "pytest_runtest_setup"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test whose fixtures measure what the model cannot do."""
    with _planning(item), _telling(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test that measures what the model cannot do."""
    with _planning(item), _telling(item):
        return (yield)


@contextmanager
def _planning(item: pytest.Item) -> Iterator[None]:
    """In a plan all figures are made up: what a test makes of them, an error or a failed gate, means nothing."""
    from biascheck.errors import BiasAssertionError

    try:
        yield
    except Exception as error:
        if not settings_of(item.config).plan:
            raise
        reason = "figures of a plan are made up" if isinstance(error, BiasAssertionError) else error
        raise pytest.skip.Exception(f"planned up to here: {reason}", _use_item_location=True) from None


@contextmanager
def _telling(item: pytest.Item) -> Iterator[None]:
    from biascheck.errors import CapabilityError, EndpointError

    try:
        yield
    except CapabilityError as refusal:
        if item.get_closest_marker("bias") is None:  # anyone else's test wants to see the error
            raise
        raise pytest.skip.Exception(str(refusal), _use_item_location=True) from None
    except EndpointError as error:
        if item.get_closest_marker("bias") is None:
            raise
        if _only_asks_one_model(item):
            item.session.shouldfail = "the served model can no longer be asked, so the other tests were not run"
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _only_asks_one_model(item: pytest.Item) -> bool:
    """Whether every other test would only find the same server gone. A worker leaves that to its controller."""
    if hasattr(item.config, "workerinput") or len(settings_of(item.config).models) != 1:
        return False
    return all(other.get_closest_marker("bias") is not None for other in item.session.items)
