"""The damage itself: reproducible, of every kind, and never the input by mistake too often."""

import json
import math
import tomllib

from support.fuzzing import document_mutations, mutations

DOCUMENT = {"name": "a", "rows": [1, 2.5, {"deep": [True, None]}], "table": {"x": "y"}}
TEXT = json.dumps(DOCUMENT)


def test_the_same_seed_gives_the_same_damage():
    assert list(mutations(TEXT, 300, seed=1)) == list(mutations(TEXT.encode(), 300, seed=1))
    assert list(mutations(TEXT, 300, seed=1)) != list(mutations(TEXT, 300, seed=2))


def test_a_text_is_damaged_in_every_way():
    found = list(mutations(TEXT, 2_000, seed=0))
    readable = [content for content in found if _reads(content)]
    assert len(found) == 2_000
    assert TEXT.encode() not in [content for content in found if not _reads(content)]
    assert 400 < len(readable) < 1_600
    assert any(content.startswith(b"[" * 1_000) for content in found)
    assert any(content.count(b'"name"') == 2 for content in readable)
    assert any(b"\xff" in content for content in found)
    assert any(0 < len(content) < len(TEXT) / 2 for content in found)


def test_a_document_is_damaged_at_every_path_and_left_as_it_was():
    before = json.dumps(DOCUMENT)
    found = list(document_mutations(DOCUMENT, 2_000, seed=0))
    assert json.dumps(DOCUMENT) == before
    assert sum(document == DOCUMENT for document in found) < 100
    objects = [document for document in found if isinstance(document, dict)]
    assert any("name" not in document for document in objects)
    assert any(isinstance(document.get("rows"), str) for document in objects)
    assert any(_is_nan(document.get("name")) for document in objects)
    tables = [document["table"] for document in objects if isinstance(document.get("table"), dict)]
    assert any(table.get("x") == 10**400 for table in tables)


def test_toml_is_damaged_as_a_document():
    found = list(mutations('name = "a"\n[table]\nrows = [1, 2.5]\nday = 2024-01-01\n', 1_000, seed=0))
    readable = [document for content in found if (document := _toml(content)) is not None]
    assert len(readable) > 200
    assert any(isinstance(document.get("name"), list) for document in readable)
    assert any(content.count(b"name") == 2 for content in found)


def test_bytes_that_are_no_text_are_damaged_too():
    assert len(set(mutations(bytes(range(256)), 200, seed=0))) > 150
    assert len(list(mutations(b"", 50, seed=0))) == 50


def _is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def _toml(content):
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return None


def _reads(content):
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
