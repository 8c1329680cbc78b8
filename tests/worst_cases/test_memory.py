"""The memory: cases are kept as lines, tried first, explain what they caused, and go only by hand."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

import biascheck
from biascheck.core.context import remembering
from biascheck.core.errors import BiasAssertionError, ResultError
from biascheck.core.files import updating
from biascheck.models.scoring.queries import Refusal
from biascheck.worst_cases import strategies
from biascheck.worst_cases.memory import remember
from biascheck.worst_cases.search import search_worst_cases
from support.fuzzing import is_refused, mutations
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


def changed(file, **fields):
    """The one line of the file with other fields."""
    line = json.loads(file.read_text(encoding="utf-8")) | fields
    file.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")


def test_a_case_of_a_strategy_that_no_search_has_is_named_with_the_remedy(file):
    changed(file, strategy="sentences by gnder")
    with remembering(file):
        found = search(planted(), examples=20)
    assert found.examples == 20
    said = "not tried here: 1 remembered case of the rating in ‘sentences by gnder’"
    assert said in found.finding
    assert "worst_cases.jsonl, line 1): if no search has this strategy any more, bring it back or remove" in (
        found.finding
    )


def test_a_case_of_a_figure_that_there_is_not_is_refused(file):
    changed(file, figure="ratin")
    with remembering(file), pytest.raises(ResultError, match=r":1: .*'ratin', and no search tries it; .* delete it"):
        search(planted(), examples=1)


@pytest.mark.parametrize("field", ["targets", "attributes", "figures"])
def test_a_case_with_a_group_that_its_texts_do_not_have_is_refused(file, field):
    changed(file, **{field: {"male": [0, 2], "femal": [0, 3]} if field != "figures" else {"femal": 0.1}})
    with remembering(file), pytest.raises(ResultError, match=f"{field} has the group 'femal'"):
        search(planted(), examples=1)


def test_a_case_of_a_group_that_the_strategy_does_not_have_fails_the_search(file):
    line = json.loads(file.read_text(encoding="utf-8"))
    renamed = {
        field: {group.replace("female", "woman"): value for group, value in line[field].items()}
        for field in ("texts", "figures", "targets", "attributes", "others")
        if field in line
    }
    changed(file, **renamed)
    with remembering(file):
        found = search(planted(), examples=20)
    assert not found.passed
    assert "1 remembered case could not be tried: ‘He met a nurse at night.’" in found.finding
    assert "the strategy has no group 'woman', only male, female; bring back what it needs, or remove its line" in (
        found.finding
    )


def silent_about_nurses(name):
    """A classifier that answers nothing about nurses."""
    inner = planted()

    def rate(texts):
        return [Refusal("no answer") if "nurse" in text else inner.rate([text])[0] for text in texts]

    model = type("Silent", (), {"rate": staticmethod(rate), "fingerprint": "1"})()
    model.name = name
    return model


@pytest.mark.parametrize(("name", "passed"), [("planted", False), ("another", True)])
def test_a_case_without_a_figure_fails_the_model_that_had_one(file, name, passed):
    with remembering(file):
        found = search(silent_about_nurses(name), examples=100)
    assert found.passed == passed
    assert "‘He met a nurse at night.’" in found.finding
    assert "no answer; bring back what it needs, or remove its line" in found.finding


def test_a_separator_of_lines_inside_a_text_is_no_end_of_a_line(file, found):
    case = replace(found.cases[0], attribute="night\u2028shift\u0085")
    assert remember(file.with_name("other.jsonl"), [replace(found, cases=(case,))]) == 1
    with remembering(file.with_name("other.jsonl")):
        again = search(planted(NURSE_AT_NIGHT), examples=20)
    assert again.cases[0].before == 0.5
    assert remember(file.with_name("other.jsonl"), [replace(found, cases=(case,))]) == 0


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_a_damaged_memory_is_tried_or_refused_by_an_error_of_ours(file, count, seed):
    refused, strategy = 0, strategies.templates(["{target} is {a attribute}."], attributes=["nurse"])
    content = file.read_bytes().replace(b"sentences by gender", b"templates by gender")
    for damaged in mutations(content, count, seed):
        file.write_bytes(damaged)
        with remembering(file):
            refused += is_refused(lambda: search_worst_cases(planted(), strategy, 0.2, examples=1), file.name)
    assert 0.3 * count < refused < count


def test_what_another_run_adds_meanwhile_is_not_lost(file, found, tmp_path):
    line = file.read_text(encoding="utf-8").splitlines()[0]
    shared = tmp_path / "shared.jsonl"
    other = changed_line(line, strategy="another grammar")
    adding = threading.Thread(target=remember, args=(shared, [found]))
    with updating(shared):
        adding.start()  # it waits, or has read the file before the other run writes it
        adding.join(timeout=0.5)
        shared.write_text(other, encoding="utf-8")
    adding.join()
    written = shared.read_text(encoding="utf-8")
    assert written.startswith(other)
    assert len(written.splitlines()) == 1 + len(file.read_text(encoding="utf-8").splitlines())


def changed_line(line: str, **fields: str) -> str:
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False) + "\n"
