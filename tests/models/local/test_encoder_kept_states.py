"""Hidden states on disk: reused, recomputed when damaged, and stored only if results are."""

import numpy as np
import pytest

from biascheck.core.files import hold_if_free
from biascheck.core.spans import Span
from biascheck.core.store import DocumentCache, caching
from biascheck.models.fakes import FunctionEncoder
from biascheck.models.local.encoder import cached_states
from biascheck.models.scoring.queries import Refusal, WordQuery

QUERIES = [WordQuery("a nurse", Span(2, 7)), WordQuery("a zzz", Span(2, 5)), WordQuery("a baker", Span(2, 7))]


def encoder():
    made = FunctionEncoder(lambda word, _text: None if word == "zzz" else [float(len(word)), float(ord(word[0]))])
    made.fingerprint = "always the same"
    return made


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "results"


def test_the_second_time_the_encoder_is_not_asked(folder):
    first, second = encoder(), encoder()
    with caching(DocumentCache(folder)):
        found, again = cached_states(first, QUERIES), cached_states(second, QUERIES)
    assert (len(first.asked), len(second.asked)) == (3, 0)
    assert isinstance(again[1], Refusal)
    assert again[1] == found[1]
    for place in (0, 2):
        assert (again[place].vector == found[place].vector).all()
        assert again[place].pieces == 1
        assert again[place].vector.dtype == np.float32


def test_another_question_or_another_encoder_is_another_file(folder):
    other = encoder()
    other.fingerprint = "another"
    with caching(DocumentCache(folder)):
        for made, queries in [(encoder(), QUERIES), (encoder(), QUERIES[:2]), (other, QUERIES)]:
            cached_states(made, queries)
            assert made.asked
    assert len(list((folder.parent / "states").glob("*.npz"))) == 3


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half", b"\x80\x04K\x01."])
def test_a_damaged_file_is_computed_again(folder, damage):
    with caching(DocumentCache(folder)):
        cached_states(encoder(), QUERIES)
        (file,) = (folder.parent / "states").glob("*.npz")
        file.write_bytes(damage)
        again = encoder()
        cached_states(again, QUERIES)
        assert len(again.asked) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"vectors": np.zeros((1, 2), np.float32)},
        {"vectors": np.zeros((3, 2), np.float32)},
        {"pieces": np.array([1, 0])},
        {"pieces": np.array(["x", "y", "z"])},
        {"pieces": np.array([1, 0, 1, 1]), "reasons": np.array(["", "no", "", "no"])},
        {"reasons": np.float32(0)},
    ],
    ids=["a vector less", "a vector more", "a count less", "no counts", "of another question", "no reasons"],
)
def test_a_file_that_contradicts_itself_is_computed_again(folder, change):
    with caching(DocumentCache(folder)):
        cached_states(encoder(), QUERIES)
        (file,) = (folder.parent / "states").glob("*.npz")
        with np.load(file) as stored:
            np.savez(file, **{**stored, **change})
        again = encoder()
        cached_states(again, QUERIES)
        assert len(again.asked) == 3


def test_states_are_computed_by_one_worker_while_others_wait(folder):
    class Slow(FunctionEncoder):
        fingerprint = "slow"

        def words(self, queries):
            (lock,) = (folder.parent / "states").glob("*.lock")
            with hold_if_free(lock) as free:
                assert not free
            return super().words(queries)

    with caching(DocumentCache(folder)):
        assert len(cached_states(Slow(lambda _word, _text: [1.0]), QUERIES)) == 3


@pytest.mark.parametrize("cache", [None, DocumentCache(None)])
def test_without_a_folder_nothing_is_kept(cache):
    made = encoder()
    with caching(cache):
        cached_states(made, QUERIES)
        cached_states(made, QUERIES)
    assert len(made.asked) == 6
