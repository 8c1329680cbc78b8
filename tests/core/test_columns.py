"""Columns whose bytes are moved out of memory: every way of reading returns the same values."""

import copy
import os
import pickle
import tempfile
import tracemalloc
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, strategies as st

from biascheck.core import columns as packed_columns, columns as spilled_blocks
from biascheck.core.columns import BlockStore, Coded, Numbers, Texts, repeats, sorted_in_runs


@contextmanager
def small_blocks(kept=24):
    """Blocks of sixteen bytes, of which next to none stays in memory."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(packed_columns, "BLOCK_BYTES", 16))
        patches.enter_context(patch.object(packed_columns, "MOST_CODED", 3))
        patches.enter_context(patch.object(spilled_blocks, "BYTES_IN_MEMORY", kept))
        yield


TEXTS = st.lists(st.text(st.characters(), max_size=40), max_size=25)
VALUES = st.lists(
    st.sampled_from(["a", "b", "c", "d", "", 1, 1.0, True, None, float("nan"), -0.0, 0.0, ("a",)]), max_size=25
)
COLUMNS = st.one_of(
    st.tuples(st.just(Texts), TEXTS),
    st.tuples(st.just(Coded), VALUES),
    st.tuples(st.just(lambda values: Numbers("d", values)), st.lists(st.floats(allow_nan=False), max_size=25)),
    st.tuples(st.just(lambda values: Numbers("q", values)), st.lists(st.integers(-(2**60), 2**60), max_size=25)),
)


@given(COLUMNS, st.lists(st.integers(0, 24), max_size=40))
def test_a_column_gives_back_what_it_was_given_in_any_order(column, asked):
    make, values = column
    with small_blocks():
        found = make(values)
        assert len(found) == len(values)
        assert list(map(repr, found)) == list(map(repr, values))
        places = [place for place in asked if place < len(values)]
        assert [repr(found[place]) for place in places] == [repr(values[place]) for place in places]
        assert list(map(repr, pickle.loads(pickle.dumps(found)))) == list(map(repr, values))


@given(VALUES)
def test_the_types_of_a_column_are_known_without_going_through_it(values):
    with small_blocks():
        assert Coded(values).types == set(map(type, values))


def test_many_different_names_are_no_dictionary():
    with small_blocks():
        column = Coded(f"name {n % 20}" for n in range(100))
        assert len(column.values) == 3
        assert list(column) == [f"name {n % 20}" for n in range(100)]


@given(st.lists(st.floats(allow_nan=False), max_size=25))
def test_numbers_are_joined_in_their_order(values):
    with small_blocks():
        assert Numbers("d", values).joined().tolist() == values


def test_a_column_that_is_read_while_it_grows():
    with small_blocks():
        column, texts = Texts(), [f"text {n}" for n in range(30)]
        for place, text in enumerate(texts):
            column.append(text)
            assert column[place // 2] == texts[place // 2]
            assert column[place] == text


def all_of(store, places):
    return [store.get(place, 0, 4) for place in places]


BLOCKS = [b"abcd", b"efgh", b"ijkl", b"mnop"]


def test_only_what_there_is_room_for_stays_in_memory():
    store = BlockStore(kept=8)
    places = [store.put(block) for block in BLOCKS]
    assert all_of(store, places) == BLOCKS
    assert store.get(places[2], 1, 3) == b"jk"
    assert store._kept == BLOCKS[:2]
    again = pickle.loads(pickle.dumps(store))
    assert all_of(again, places) == BLOCKS
    assert again.get(again.put(b"qrst"), 0, 4) == b"qrst"
    assert all_of(again, places) == BLOCKS


def test_a_full_disk_costs_memory_and_no_block(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    store = BlockStore(kept=4)
    places = [store.put(block) for block in BLOCKS]
    assert all_of(store, places) == BLOCKS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_write_over_what_its_parent_has(monkeypatch):
    store = BlockStore(kept=0)
    first = store.put(b"abcd")
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    child = copy.copy(store)
    child._file = store._file  # as after a fork: the same open file
    child._owner = store._owner
    added = child.put(b"efgh")
    monkeypatch.undo()
    second = store.put(b"ijkl")
    assert all_of(store, [first, second]) == [b"abcd", b"ijkl"]
    assert child.get(added, 0, 4) == b"efgh"


def test_a_store_without_pread_reads_the_same(monkeypatch):
    monkeypatch.delattr(os, "pread", raising=False)
    store = BlockStore(kept=0)
    assert all_of(store, [store.put(block) for block in BLOCKS]) == BLOCKS


@given(st.lists(st.tuples(st.text(max_size=2), st.integers()), max_size=40))
def test_runs_are_sorted_like_a_list(rows):
    with patch.object(spilled_blocks, "ROWS_OF_A_RUN", 7), patch.object(spilled_blocks, "ROWS_AT_ONCE", 2):
        assert list(sorted_in_runs(iter(rows))) == sorted(rows, key=lambda row: row[0])


@given(st.lists(st.integers(-5, 30), max_size=12))
def test_repeats_are_found(numbers):
    assert repeats(packed_columns.array("q", numbers)) == (len(set(numbers)) < len(numbers))


def test_what_a_text_takes_in_memory_does_not_depend_on_their_number():
    """Twenty thousand sentences more are a megabyte more, of which only the last blocks are here."""

    def held(count):
        tracemalloc.start()
        column = Texts(f"On day {n} my brother works as a plumber." for n in range(count))
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert column[count - 1].startswith(f"On day {count - 1} ")
        return size

    with patch.object(spilled_blocks, "BYTES_IN_MEMORY", 0):
        assert held(30_000) - held(10_000) < 4 * spilled_blocks.BLOCK_BYTES  # of a megabyte
