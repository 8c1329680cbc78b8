"""The items in a report's data: all of them, once, and in a form that a script reads back exactly."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biascheck.core.wording import escape_control
from biascheck.report.html import page_of, render_page
from biascheck.report.items import pack_items, utf16_offset
from biascheck.results.items import ItemScore, Shown
from biascheck.runs.run import Run
from support.report_markup import parse
from support.report_samples import item, large, result

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def unpack(text: str) -> list[dict[str, Any]]:
    """What the report's script does, in another language."""
    all_data = json.loads(zlib.decompress(b64decode(text)))
    columns, strings = all_data["columns"], all_data["strings"]

    def read(column: int) -> list[str]:
        return [strings[index] for index in accumulate(columns[column])]

    return [
        {
            "id": read(entry["id"]),
            "name": read(entry["name"]),
            "score": columns[entry["score"]],
            "groups": {group["name"]: (read(group["text"]), columns[group["score"]]) for group in entry["groups"]},
            "labels": {label["name"]: read(label["values"]) for label in entry["labels"]},
        }
        for entry in all_data["results"]
    ]


@given(st.lists(st.tuples(words, words, st.floats(-9, 9)), min_size=1, max_size=20))
def test_what_goes_in_comes_out(rows):
    items = [
        item(f"{n}", score, name or "x", sentences={"male": Shown(text, 0, 0)}, labels={"template": text})
        for n, (name, text, score) in enumerate(rows)
    ]
    (found,) = unpack(pack_items([result(items)]).text)
    assert found["id"] == [entry.id for entry in items]
    assert found["name"] == [escape_control(entry.cluster) for entry in items]
    assert found["groups"]["male"][0] == [escape_control(text) for _, text, _ in rows]
    assert found["labels"] == {"template": [escape_control(text) for _, text, _ in rows]}
    assert all(abs(short - score) <= 5e-4 for short, (_, _, score) in zip(found["score"], rows, strict=True))


def test_the_contrast_comes_first_and_missing_groups_are_empty():
    shown = Shown("a", 0, 1)
    odd = [
        ItemScore("1", 0.5, "x", groups={"other": 1.0, "female": 2.0}, sentences={"other": shown, "male": shown}),
        ItemScore("2", 0.5, "x"),
    ]
    (found,) = unpack(pack_items([result(odd)]).text)
    assert list(found["groups"]) == ["male", "female", "other"]
    assert found["groups"]["female"] == (["", ""], [2.0, None])


def test_results_of_the_same_items_cost_little_more_than_one():
    many = large(templates=10, jobs=200)
    one, two = (len(pack_items([many] * count).text) for count in (1, 2))
    assert two < 1.02 * one


def test_offsets_are_those_of_a_script():
    # a script counts an emoji as two characters
    assert [utf16_offset("👩‍🍳 is", n) for n in range(5)] == [0, 2, 3, 5, 6]
    assert utf16_offset("half \ud800 pair", 6) == 6


def test_offsets_move_with_what_is_made_visible():
    shown = Shown("a\x1b nurse 👩", 3, 8)
    text = pack_items([result([item("1", 0.5, "x", sentences={"male": shown})])]).text
    packed = json.loads(zlib.decompress(b64decode(text)))
    male = next(group for group in packed["results"][0]["groups"] if group["name"] == "male")
    (start,), (end,) = packed["columns"][male["start"]], packed["columns"][male["end"]]
    assert r"a\x1b nurse 👩"[start:end] == "nurse"


def test_what_utf8_cannot_hold_is_shown_as_its_escape():
    (found,) = unpack(pack_items([result([item("1", 0.5, "half \ud800 pair")])]).text)
    assert found["name"] == [r"half \ud800 pair"]


def test_data_cannot_end_its_element():
    html = render_page(page_of(Run((result([item("1", 0.5, "</script><script>alert(1)</script>")]),))))
    data, _ = parse(html).find("script")
    assert set(data.text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


@pytest.mark.takes_seconds
def test_a_hundred_thousand_items_stay_below_ten_megabytes():
    many = large(templates=50, jobs=400, targets=5)
    assert len(many.items) == 100_000
    html = render_page(page_of(Run((many,))))
    assert len(html.encode()) < 10_000_000
    assert "To keep this file small" not in html


@pytest.mark.takes_seconds
def test_beyond_the_budget_the_largest_gaps_are_kept_and_the_rest_is_named():
    many = large(templates=10, jobs=300)
    packed = pack_items([many], budget=40_000)
    assert len(packed.text) <= 40_000
    (count,) = packed.counts
    assert 300 < count < 3_000
    (found,) = unpack(packed.text)
    (drawn,) = packed.drawn
    assert drawn == round(0.2 * count)
    largest = sorted(many.items, key=lambda entry: (-abs(entry.score), entry.id))[: count - drawn]
    assert {entry.id for entry in largest} <= set(found["id"])
    assert len(set(found["id"])) == count
    assert pack_items([many], budget=40_000) == packed


def test_a_budget_that_holds_nothing_leaves_the_items_out():
    assert pack_items([large(templates=1, jobs=50)], budget=10).counts == (0,)
