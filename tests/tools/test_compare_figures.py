"""The comparison names every figure that differs between two runs, and fails for nothing else."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import compare_figures as tool
import visible_numbers

KEY = {
    "measure": "association",
    "version": 1,
    "statistic": "mean",
    "model": "0123456789abcdef0123",
    "treatment": [],
    "corpus": "fedcba98765432100123",
    "slice": [["gender", "male"]],
    "contrast": ["male", "female"],
    "options": '{"seed": 0}',
}
ITEMS = [
    {"id": "a", "score": 0.25, "cluster": "nurse", "side": "A", "labels": {"template": "T 1"}},
    {"id": "a", "score": 0.5, "cluster": "nurse", "side": "B", "labels": {"template": "T 1"}},
]
RESULT = {
    **{name: KEY[name] for name in ("measure", "statistic", "treatment", "slice", "contrast")},
    "schema": 3,
    "model": "tiny",
    "corpus": "jobs",
    "estimate": 0.375,
    "interval": {"low": 0.1, "high": 0.6, "level": 0.95, "method": "bootstrap, 2000 resamples"},
    "n": 2,
    "p": 0.04,
    "effect_size": 1.5,
    "warnings": ["few clusters: 1"],
    "provenance": {
        "measure_version": 1,
        "model_fingerprint": KEY["model"],
        "corpus_fingerprint": KEY["corpus"],
        "options": {"seed": 0},
        "created": "2026-01-01T10:00:00+00:00",
        "versions": {"numpy": "2.1.0"},
    },
    "items": ITEMS,
}
GATE = {
    "key": KEY,
    "title": "association on tiny × jobs",
    "model": "tiny",
    "corpus": "jobs",
    "estimate": 0.375,
    "interval": {"low": 0.1, "high": 0.6, "level": 0.95, "method": "bootstrap, 2000 resamples"},
    "margin": 0.2,
    "verdict": "inconclusive",
    "passed": False,
    "n": 2,
    "offenders": ["nurse +0.38"],
    "test": "suites/test_jobs.py::test_gap[tiny]",
    "bound": "within",
}
COMPARISON = {
    "key_before": KEY,
    "key": KEY,
    "corpus": "jobs",
    "model_before": "tiny",
    "model_after": "tiny",
    "before": 0.3,
    "after": 0.375,
    "change": 0.075,
    "interval": None,
    "tolerance": 0.05,
    "verdict": "inconclusive",
    "n": 2,
    "moves": [{"name": "nurse", "before": 0.3, "after": 0.375}],
    "test": "",
}
SEARCH = {
    "model": "tiny",
    "strategy": "sentences by gender",
    "figure": "rating",
    "bound": 0.1,
    "largest": 0.4,
    "cases": [{"versions": [{"group": "male", "text": "He sang.", "figure": "negative"}], "gap": 1.0}],
    "test": "suites/test_worst.py::test_rating",
}
RUN = {
    "kind": "biascheck results",
    "schema": 3,
    "verdict": "FAIL",
    "failures": ["1 test failed a gate"],
    "complete": True,
    "outcome": {
        "tests": [{"test": GATE["test"], "state": "judged", "failed": True, "reason": ""}],
        "interrupted": False,
        "problems": [],
    },
    "baseline": {"comparisons": [COMPARISON], "refused": [], "new": [], "unused": [], "shrunk": []},
    "results": [RESULT],
    "gates": [GATE],
    "comparisons": [{**COMPARISON, "test": "suites/test_jobs.py::test_change"}],
    "searches": [SEARCH],
}
BASELINE = {
    "kind": "biascheck baseline",
    "schema": 3,
    "items": [["a", "nurse", "A"], ["a", "nurse", "B"], ["b", "mason", None, 0.61]],
    "entries": [
        {
            **{name: RESULT[name] for name in ("measure", "statistic", "model", "corpus", "slice", "contrast")},
            "options": {"seed": 0},
            "estimate": 0.25,
            "items": [0, 2],
            "scores": [0.125, 0.375],
        }
    ],
}
PAGE = """<html><style>p { margin: 7px }</style><script>let n = 8;</script><body data-x="9">
<p>measured 2026-01-01 10:00 UTC in 3.2 s by biascheck 0.2.0 at /tmp/run-1/x, model 0123abcd4567</p>
<p>The gap is −0.31 [−0.52, 0.10] of 1,234 items.</p></body></html>"""


def changed(document, *path, to):
    """A copy of a document with another value in one place."""
    document = copy.deepcopy(document)
    holder = document
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = to
    return document


@pytest.fixture
def compared(tmp_path, capsys):
    """Compare two documents or pages as files; the exit code and what was printed."""

    def compare(before, after, *options, suffix=".json"):
        paths = []
        for name, content in (("before", before), ("after", after)):
            paths.append(tmp_path / f"{name}{suffix}")
            text = content if isinstance(content, str) else json.dumps(content)
            paths[-1].write_text(text, encoding="utf-8")
        code = tool.main([*map(str, paths), *options])
        return code, capsys.readouterr().out

    return compare


@pytest.mark.parametrize("document", [RUN, BASELINE], ids=["run", "baseline"])
def test_equal_files_have_no_difference(document, compared):
    code, said = compared(document, document)
    assert code == 0
    assert said.endswith("no figure differs\n")


def test_the_summary_counts_the_entries_of_every_kind(compared):
    more = {**RUN, "results": [RESULT, {**RESULT, "slice": []}]}
    assert compared(more, more)[1].splitlines()[:-1] == [
        "results: 2 equal",
        "gates: 1 equal",
        "comparisons: 1 equal",
        "searches: 1 equal",
        "outcome.tests: 1 equal",
        "baseline.comparisons: 1 equal",
        "baseline.refused: none",
        "baseline.shrunk: none",
        "document: 1 equal",
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("results", 0, "estimate"), 0.37500000000000006),
        (("results", 0, "interval", "low"), 0.11),
        (("results", 0, "interval"), None),
        (("results", 0, "p"), 0.05),
        (("results", 0, "effect_size"), -1.5),
        (("results", 0, "n"), 3),
        (("results", 0, "items", 1, "score"), 0.51),
        (("results", 0, "items"), ITEMS[:1]),
        (("results", 0, "items"), {"file": "x.parquet", "sha256": "ab" * 32, "count": 2}),
        (("results", 0, "warnings", 0), "few clusters: 2"),
        (("results", 0, "provenance", "measure_version"), 2),
        (("gates", 0, "margin"), 0.25),
        (("gates", 0, "verdict"), "exceeds"),
        (("gates", 0, "passed"), True),
        (("gates", 0, "offenders", 0), "nurse +0.39"),
        (("comparisons", 0, "change"), 0.076),
        (("comparisons", 0, "moves", 0, "after"), 0.376),
        (("baseline", "comparisons", 0, "verdict"), "regressed"),
        (("searches", 0, "largest"), 0.5),
        (("searches", 0, "cases", 0, "versions", 0, "figure"), "positive"),
        (("outcome", "tests", 0, "state"), "crashed"),
        (("outcome", "interrupted"), True),
        (("verdict",), "PASS"),
        (("failures", 0), "2 tests failed a gate"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_one_figure_that_differs_fails_whichever_way_round(path, value, compared):
    after = changed(RUN, *path, to=value)
    assert [compared(RUN, after)[0], compared(after, RUN)[0]] == [1, 1]


def test_a_difference_is_a_line_with_its_entry_field_and_both_values(compared):
    _, said = compared(RUN, changed(RUN, "results", 0, "items", 1, "score", to=0.75))
    assert said.splitlines()[-3:] == [
        'results: association | mean | tiny | jobs | [["gender", "male"]] | ["male", "female"] | {"seed": 0}: '
        "items[a/nurse/B].score: 0.5 → 0.75",
        "largest spread of items.score: 0.25",
        "1 difference",
    ]


@pytest.mark.parametrize("kind", ["results", "gates", "comparisons", "searches"])
def test_an_entry_that_only_one_file_has_fails(kind, compared):
    fewer = {**RUN, kind: []}
    assert ": only before\n" in compared(RUN, fewer)[1]
    code, said = compared(fewer, RUN)
    assert code == 1
    assert ": only after\n" in said


def test_another_test_slice_or_margin_of_the_same_measure_is_another_entry(compared):
    other = [{**GATE, "test": "other"}, {**GATE, "key": {**KEY, "slice": []}}, {**GATE, "bound": "below"}]
    code, said = compared({**RUN, "gates": [GATE, *other]}, {**RUN, "gates": [*other[::-1], GATE]})
    assert code == 0
    assert "gates: 4 equal\n" in said


def test_entries_of_one_key_must_be_the_same(compared):
    twice = {**RUN, "gates": [GATE, GATE]}
    assert compared(twice, RUN)[0] == 0
    unlike = {**RUN, "gates": [GATE, {**GATE, "margin": 0.3}]}
    code, said = compared(unlike, unlike)
    assert code == 1
    assert said.count("two entries of one key, with unlike content") == 2


def test_what_changes_from_run_to_run_is_not_compared(compared):
    after = changed(RUN, "results", 0, "provenance", "created", to="2027-02-03T11:00:00+00:00")
    after = changed(after, "results", 0, "provenance", "versions", to={"numpy": "3.0.0"})
    code, said = compared(RUN, changed(after, "schema", to=4), "--text")
    assert code == 0
    assert "note" not in said


def test_other_words_and_digests_are_notes(compared):
    after = changed(RUN, "results", 0, "interval", "method", to="cluster bootstrap, 2000 resamples")
    after = changed(after, "results", 0, "provenance", "model_fingerprint", to="ffff456789abcdef0123")
    code, said = compared(RUN, after)
    assert code == 0
    assert "note: interval.method: other words in 1 place, e.g. results: association" in said
    assert "note: provenance.model_fingerprint: other words in 1 place" in said
    assert compared(RUN, after, "--text")[1].count("\nresults: association") == 1  # the method; a digest stays a note


def test_a_tolerance_is_absolute_and_relative(compared):
    after = changed(RUN, "results", 0, "estimate", to=0.375 + 0.001)
    assert compared(RUN, after, "--tolerance", "0.0005")[0] == 1
    code, said = compared(RUN, after, "--tolerance", "0.00075")
    assert code == 0
    assert "largest spread of estimate: 0.001\n" in said
    assert compared(RUN, changed(RUN, "gates", 0, "offenders", 0, to="nurse +0.37"), "--tolerance", "0.01")[0] == 0


def test_items_of_a_baseline_are_found_by_their_steps(compared):
    rows = [["0", "first"], *BASELINE["items"]]
    entry = BASELINE["entries"][0]
    shifted = {**BASELINE, "items": rows, "entries": [{**entry, "items": [1, 2]}]}
    assert compared(BASELINE, shifted)[0] == 0
    other = {**BASELINE, "entries": [{**entry, "items": [0, 1]}]}
    _, said = compared(BASELINE, other)
    assert "items[b/mason].score: 0.375 → nothing" in said
    assert "items[a/nurse/B].score: nothing → 0.375" in said


def test_a_renamed_field_is_the_same_field(compared, monkeypatch):
    gate = {**{name: value for name, value in GATE.items() if name not in ("verdict", "test")}, "test_id": GATE["test"]}
    after = {**{name: value for name, value in RUN.items() if name != "gates"}}
    after["judgements"] = [{**gate, "ruling": "inconclusive"}]
    assert compared(RUN, after)[0] == 1
    names = {"verdict": "ruling", "test": "test_id", "gates": "judgements"}
    monkeypatch.setattr(tool, "RENAMED_FIELDS", names)
    assert compared(RUN, after)[0] == 0
    after["judgements"][0]["ruling"] = "within"
    assert compared(RUN, after)[0] == 1


def test_two_fields_cannot_be_renamed_to_one(compared, monkeypatch):
    monkeypatch.setattr(tool, "RENAMED_FIELDS", {"n": "estimate"})
    with pytest.raises(ValueError, match="the same name"):
        compared(RUN, RUN)


def test_a_page_has_the_numbers_that_a_reader_sees():
    assert visible_numbers.numbers_of(visible_numbers.visible_text(PAGE)) == ["-0.31", "-0.52", "0.10", "1234"]


def test_pages_are_compared_by_their_numbers(compared):
    later = (
        PAGE.replace("10:00 UTC", "11:11 UTC to 2027-02-03 12:00 UTC")
        .replace("3.2 s", "4 min")
        .replace("0.2.0", "0.3.0")
    )
    later = (
        later.replace("/tmp/run-1/x", "/var/run-2/y").replace("0123abcd4567", "89ab01234567").replace("n = 8", "n = 9")
    )
    assert compared(PAGE, later, suffix=".html") == (0, "before.html: 4 of 4 numbers equal\nno figure differs\n")
    code, said = compared(PAGE, PAGE.replace("0.10", "0.11"), suffix=".html")
    assert code == 1
    assert "[−0.52, 0.10] of 1,234 items.' → " in said
    assert "[−0.52, 0.11] of 1,234 items.'\n" in said
    code, said = compared(PAGE, PAGE.replace("1,234", ""), suffix=".md")
    assert code == 1
    assert "count of numbers: 4 → 3" in said


def test_other_words_of_a_page_are_a_note_unless_asked_for(compared):
    after = PAGE.replace("The gap", "A gap")
    code, said = compared(PAGE, after, suffix=".html")
    assert code == 0
    assert "note: page: other words in 1 place" in said
    assert compared(PAGE, after, "--text", suffix=".html")[0] == 1


def test_folders_are_compared_file_by_file(tmp_path, capsys):
    for folder in ("one", "two"):
        (tmp_path / folder / "baselines").mkdir(parents=True)
        (tmp_path / folder / "run.json").write_text(json.dumps(RUN), encoding="utf-8")
        (tmp_path / folder / "run.html").write_text(PAGE, encoding="utf-8")
        (tmp_path / folder / "run.log").write_text(folder, encoding="utf-8")
        (tmp_path / folder / "baselines" / "tiny.json").write_text(json.dumps(BASELINE), encoding="utf-8")
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert tool.main(folders) == 0
    assert "baselines/tiny.json entries: 1 equal\n" in capsys.readouterr().out
    (tmp_path / "two" / "run.exit").write_text("1\n", encoding="utf-8")
    assert tool.main(folders) == 1
    assert "run.exit: only after\n" in capsys.readouterr().out
    (tmp_path / "one" / "run.exit").write_text("0\n", encoding="utf-8")
    assert tool.main(folders) == 1
    (tmp_path / "two" / "run.exit").unlink()
    (tmp_path / "one" / "run.exit").unlink()
    (tmp_path / "two" / "run.html").write_text(PAGE.replace("0.31", "0.32"), encoding="utf-8")
    assert tool.main(folders) == 1


def test_folders_without_a_common_file_are_not_equal(tmp_path, capsys):
    assert tool.main([str(tmp_path), str(tmp_path)]) == 1
    assert "no file is in both folders\n" in capsys.readouterr().out


def test_a_file_is_not_compared_with_a_folder(tmp_path, capsys):
    (tmp_path / "run.json").write_text(json.dumps(RUN), encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        tool.main([str(tmp_path), str(tmp_path / "run.json")])
    assert "name two files or two folders" in capsys.readouterr().err


def test_a_path_that_does_not_exist_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        tool.main([str(tmp_path), str(tmp_path / "absent")])
    assert f"not found: {tmp_path / 'absent'}" in capsys.readouterr().err
