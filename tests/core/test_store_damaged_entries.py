"""Cache entries that are half written, edited or foreign: noticed, computed again, repaired."""

import json

import pytest

from biascheck.core.errors import BiascheckWarning
from biascheck.core.store import DocumentCache, digest_of
from support.cached_work import DOCUMENT, KEY, Work


def entry_in(folder):
    (entry,) = folder.glob("*.json")
    return entry


def truncated(text):
    return text[: len(text) // 2]


def edited(text):
    return text.replace("0.5", "0.4")


def forged(text):
    return text.replace("0.5", "NaN")


def of_another_program(_text):
    return json.dumps({"name": "left-pad", "version": "1.3.0"})


def of_another_format(text):
    return text.replace("biascheck cache 2", "biascheck cache 7")


def without_checksum(text):
    return json.dumps({k: v for k, v in json.loads(text).items() if k != "sha256"})


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        edited,
        forged,
        of_another_program,
        of_another_format,
        without_checksum,
        lambda _: "",
        lambda _: "[]",
        lambda _: "7",
        lambda _: "\x00" * 64,
        lambda _: "[" * 100_000,
    ],
)
def test_a_damaged_entry_is_noticed_computed_again_and_repaired(tmp_path, damage):
    DocumentCache(tmp_path).fetch(KEY, Work())
    entry = entry_in(tmp_path)
    whole = entry.read_text(encoding="utf-8")
    entry.write_text(damage(whole), encoding="utf-8")
    assert entry.read_text(encoding="utf-8") != whole
    work = Work()
    with pytest.warns(BiascheckWarning) as said:
        assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert len(said) == 1
    assert str(said[0].message).startswith(f"cache entry {entry} is damaged (")
    assert str(said[0].message).endswith("); it is computed again")
    assert entry.read_text(encoding="utf-8") == whole


def test_an_entry_that_is_no_text_is_noticed(tmp_path):
    (tmp_path / f"{KEY}.json").write_bytes(b"\xff\xfe\x80")
    with pytest.warns(BiascheckWarning, match=r"is damaged \(its checksum or key does not match"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT


def test_an_entry_under_the_wrong_key_is_noticed(tmp_path):
    other = digest_of("other")
    DocumentCache(tmp_path).fetch(other, Work("other"))
    entry_in(tmp_path).rename(tmp_path / f"{KEY}.json")
    with pytest.warns(BiascheckWarning, match="its checksum or key does not match"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT


def test_a_half_written_entry_of_a_killed_run_is_never_read(tmp_path):
    (tmp_path / f".{KEY[:32]}.x1y2z3").write_text('{"format": "biasch')
    work = Work()
    assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert DocumentCache(tmp_path).info().entries == 1


def test_an_entry_of_an_earlier_release_is_computed_again_without_a_word(tmp_path, recwarn):
    DocumentCache(tmp_path).fetch(KEY, Work())
    entry = entry_in(tmp_path)
    whole = entry.read_text(encoding="utf-8")
    earlier = {"format": "biascheck cache 1", "key": KEY, "sha256": digest_of(DOCUMENT), "document": DOCUMENT}
    entry.write_text(json.dumps(earlier), encoding="utf-8")
    work = Work()
    assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert (work.times, recwarn.list) == (1, [])
    assert entry.read_text(encoding="utf-8") == whole
