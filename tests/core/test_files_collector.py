"""Python's search for cycles is postponed and restored."""

import gc

import pytest

from biascheck.core.files import RARELY, gc_paused, gc_relaxed


@pytest.fixture(autouse=True)
def as_it_was():
    enabled, threshold = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    (gc.enable if enabled else gc.disable)()


def nested_and_failing():
    with gc_paused():
        assert not gc.isenabled()
        raise KeyError


def test_nothing_is_searched_inside_the_block_even_if_it_fails():
    gc.enable()
    with gc_paused():
        with pytest.raises(KeyError):
            nested_and_failing()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_process_that_does_not_search_is_left_alone():
    gc.disable()
    with gc_paused():
        pass
    assert not gc.isenabled()
    gc_relaxed()
    assert gc.get_threshold() != RARELY


@pytest.mark.parametrize(
    ("before", "during"),
    [((700, 10, 10), RARELY), ((0, 10, 10), (0, 10, 10)), ((900_000, 5, 5), (900_000, 5, 5))],
    ids=["usual", "never", "more rarely still"],
)
def test_a_run_searches_rarely_and_gives_back_what_it_found(before, during):
    gc.enable()
    gc.set_threshold(*before)
    as_before = gc_relaxed()
    assert gc.get_threshold() == during
    as_before()
    assert gc.get_threshold() == before
