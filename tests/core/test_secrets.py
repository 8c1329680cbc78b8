"""No key leaves the process: not escaped, not cut, not inside something else."""

import html
import json
import logging
import time

import pytest
from hypothesis import given, settings, strategies as st

from biascheck.core.secrets import MASK, SHORTEST, Secrets, in_use, key_in_use
from support.escapes import as_json, every_escape, gone

KEY = "sk-secret-0123456789abc"
AWKWARD = "p+/=&<>\"'\\_~k 9Zé"
KEYS = (KEY, AWKWARD, "0123456789", "sk-proj-" + "aB3_-" * 31, "hf_" + "n" * 34)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_masked_in_every_escape(key):
    secrets = Secrets([key])
    for name, escaped in every_escape(key):
        masked = secrets.masked(f"refused: {escaped} (401)")
        assert MASK in masked, name
        assert escaped not in masked, name
        assert gone(key, masked), name
        if " after " not in name and name != "JSON of JSON":  # which has quotation marks around it
            assert masked == f"refused: {MASK} (401)", name


@pytest.mark.parametrize("name", dict(every_escape(KEY)))
def test_it_is_masked_wherever_a_text_is_cut(name):
    """The whole text is masked and then cut, or cut and then masked, at every place, with and without an ellipsis."""
    secrets, text = Secrets([KEY]), f"refused: {dict(every_escape(KEY))[name]} (401)"
    for end in range(len(text) + 1):
        for mark in ("", "…", "...", " …"):
            for masked in (secrets.masked(text[:end] + mark), secrets.shortened(text, end), secrets.masked(text)[:end]):
                assert gone(KEY[: SHORTEST + 1], masked), (end, mark, masked)


def test_seven_characters_may_stay_and_eight_at_a_cut_may_not():
    secrets = Secrets([KEY])
    assert secrets.masked(f"key {KEY[:7]}") == f"key {KEY[:7]}"
    assert secrets.masked(f"key {KEY[:8]}") == f"key {MASK}"
    assert secrets.masked(f"key {KEY[:8]}, at its beginning") == f"key {KEY[:8]}, at its beginning"
    assert secrets.masked(f"key {KEY[:12]}, more than half of it") == f"key {MASK}, more than half of it"


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(list(every_escape(KEY))), st.integers(0, 400))
@settings(max_examples=200)
def test_what_stands_around_it_does_not_matter(before, after, escape, end):
    secrets = Secrets([KEY])
    text = f"{before} {escape[1]} {after}"
    assert gone(KEY, secrets.masked(text))
    assert gone(KEY[: SHORTEST + 1], secrets.masked(text[:end]))


@given(st.text(max_size=200))
def test_other_texts_stay_as_they_are(text):
    assert Secrets([KEY]).masked(text) == text
    assert Secrets().masked(f"{text}{KEY}") == f"{text}{KEY}"


def test_placeholders_of_keys_are_words():
    """Servers without keys are given EMPTY or none; masking these would change what models say."""
    assert Secrets(["EMPTY", "none", ""]).masked("none is EMPTY") == "none is EMPTY"


def test_several_kinds_of_escapes_at_once_are_unescaped():
    mixed = as_json("".join(f"&#{ord(one)};" for one in KEY))
    assert Secrets([KEY]).masked(f"key {mixed} was refused") == f"key {MASK} was refused"


def test_a_page_keeps_its_format():
    document = {"a": [KEY, f"x{KEY}\n", as_json(KEY)], KEY: 'q"\\'}
    masked = Secrets([KEY]).masked_page(json.dumps(document).encode())
    assert json.loads(masked) == {"a": [MASK, f"x{MASK}\n", MASK], MASK: 'q"\\'}
    page = f"<p>&lt;b&gt; {html.escape(as_json(KEY))} &#115;k</p>"
    assert Secrets([KEY]).masked_page(page) == f"<p>&lt;b&gt; {MASK} &#115;k</p>"


def test_names_and_values_of_a_document_are_masked():
    document = {"a": [{KEY: 1.5}, None, True, f"<{KEY}>"], "b": 3}
    assert Secrets([KEY]).masked_in(document) == {"a": [{MASK: 1.5}, None, True, f"<{MASK}>"], "b": 3}


def test_who_knows_keys_does_not_tell():
    secrets = Secrets([KEY])
    assert KEY not in repr(secrets) + logging.Formatter().format(
        logging.LogRecord("a", 10, "b", 1, "%s", (secrets,), None)
    )


def test_keys_in_use_are_those_of_the_environment(monkeypatch):
    for name in ("BIASCHECK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert (key_in_use(), in_use().masked(KEY)) == ("", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "another-key-0123")
    monkeypatch.setenv("BIASCHECK_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("https_proxy", "http://user:pass%20word%21@proxy:3128")
    assert key_in_use() == KEY
    said = f"{KEY} another-key-0123 pass word! pass%20word%21"
    assert in_use().masked(said) == f"{MASK} {MASK} {MASK} {MASK}"


@pytest.mark.parametrize("text", ["\\" * 400_000, "%25" * 150_000, "&amp;" * 100_000, "s" * 400_000, "sk-\n" * 100_000])
def test_no_text_takes_forever(text):
    started = time.process_time()
    Secrets([KEY]).masked(text)
    assert time.process_time() - started < 60  # a time that grows with the square would be hours
