"""The memory: cases are kept as lines, tried first, explain what they caused, and go only by hand."""

from __future__ import annotations

import json

import pytest

import biascheck
from biascheck.core.context import remembering
from biascheck.core.errors import BiasAssertionError, ResultError
from biascheck.worst_cases import strategies
from biascheck.worst_cases.memory import remember
from biascheck.worst_cases.search import search_worst_cases
from support.planted_causes import COOK_YESTERDAY, NURSE_AT_NIGHT, planted


def search(model, **options):
    return search_worst_cases(model, strategies.sentences(), 0.2, **{"examples": 1_000, "seed": 2, **options})


@pytest.fixture(scope="module")
def found():
    with remembering(None):
        return search(planted(NURSE_AT_NIGHT), examples=2_000)


@pytest.fixture
def file(tmp_path, found):
    assert remember(tmp_path / "bias" / "worst_cases.jsonl", [found]) == 1
    return tmp_path / "bias" / "worst_cases.jsonl"


def test_a_case_is_one_line_that_can_be_read(file):
    (line,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert line["texts"] == {"male": "He met a nurse at night.", "female": "She met a nurse at night."}
    assert (line["figure"], line["gap"], line["cause"]) == ("rating", 0.5, ["nurse", "night"])


def test_a_remembered_case_is_tried_first_and_not_shrunk_again(file):
    asked = []

    class Watching:
        name, fingerprint = "watching", "1"

        def rate(self, texts):
            asked.append(list(texts))
            return planted(NURSE_AT_NIGHT).rate(texts)

    with remembering(file):
        again = search(Watching(), examples=200)
    assert asked[0] == ["He met a nurse at night.", "She met a nurse at night."]
    assert len(asked) == 2  # the memory, then one block: nothing was left to shrink
    (case,) = again.cases
    assert (case.before, case.model_before, case.change) == (0.5, "planted", "0.50 → 0.50 (+0.00, on planted then)")
    assert not again.passed


def test_a_mended_case_is_shown_and_does_not_fail(file):
    with remembering(file):
        again = search(planted(), examples=100)
    assert again.passed
    assert [case.gap for case in again.mended] == [0.0]
    assert "1 remembered case no longer exceed" in again.finding


def test_another_cause_is_still_found(file):
    with remembering(file):
        again = search(planted(NURSE_AT_NIGHT, COOK_YESTERDAY), examples=2_000)
    assert {case.cause for case in again.cases if case.before is None} == {("cook", "yesterday")}


def test_nothing_is_added_twice_and_lines_are_kept_as_they_are(file, found):
    line = file.read_text(encoding="utf-8")
    file.write_text(line.rstrip("\n"), encoding="utf-8")  # somebody's editor
    assert remember(file, [found]) == 0
    other = search(planted(frozenset({"cook"})))
    assert remember(file, [other]) == 1
    assert file.read_text(encoding="utf-8").startswith(line)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_cases_of_another_strategy_or_figure_are_left_alone(file):
    with remembering(file):
        elsewhere = search_worst_cases(planted(NURSE_AT_NIGHT), strategies.sentences(topics="money"), 0.2, examples=50)
        flips = search_worst_cases(planted(NURSE_AT_NIGHT), strategies.sentences(), 0.0, of="decision", examples=1)
    assert not elsewhere.cases
    assert flips.examples == 1


@pytest.mark.parametrize("line", ["{", '{"figure": "rating"}', "[]", '{"unknown": 1}'])
def test_a_damaged_line_is_refused_by_its_number(file, line):
    file.write_text(file.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with remembering(file), pytest.raises(ResultError, match=r"worst_cases.jsonl:2: not a worst case"):
        search(planted(), examples=1)


def test_outside_pytest_the_assertion_takes_a_file(tmp_path):
    strategy = strategies.templates(["{target} is {a attribute}."], attributes=["nurse"])
    for change in ("shrunk|new|", "remembered, 0.50 → 0.50"):
        with pytest.raises(BiasAssertionError, match=change):
            biascheck.assert_invariant(
                planted(frozenset({"nurse"})), strategy, bound=0.2, examples=20, memory=tmp_path / "cases.jsonl"
            )
    assert len((tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines()) == 1
