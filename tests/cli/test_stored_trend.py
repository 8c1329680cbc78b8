"""``biascheck trend``: stored runs in, a page and an exit code out."""

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from biascheck import cli
from biascheck.runs.file import write_run
from biascheck.runs.run import Run
from support.handmade import PROVENANCE, items_of, result_of, spread

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def files(tmp_path):
    def write(name, centre, corpus="jobs"):
        day = int(name.rpartition("-")[2])
        origin = replace(PROVENANCE, model_fingerprint=name, created=f"2025-01-{day:02}T00:00:00+00:00")
        result = result_of(items_of(spread(centre, 0.05, 12)), provenance=origin, corpus=corpus)
        path = tmp_path / f"{name}.json"
        write_run(path, Run((result,)))
        return str(path)

    return write


def trend(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["biascheck", "trend", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


def test_the_page_names_the_first_regression(files, monkeypatch, capsys, tmp_path):
    given = [files("step-3", 0.9, EVIL), files("step-1", 0.1, EVIL), files("step-2", 0.5, EVIL)]
    page = tmp_path / "trend.html"
    assert trend(monkeypatch, *given, "--report", page, "--fail-on-regression") == 1
    shown = capsys.readouterr().out
    assert "1 figure over 3 runs: 1 regressed" in shown
    assert "first worse in step-2: 0.10 → 0.50" in shown
    html = page.read_text(encoding="utf-8")
    assert "1 of 1 figure regressed" in html
    assert EVIL not in html
    assert html.count('<g class="regressed">') == 1


def test_long_work_shows_how_far_it_is(files, monkeypatch):
    """Four files, and three later figures to compare; lines of the log stop before the last step."""
    monkeypatch.setattr("biascheck.core.progress.BAR_AFTER_SECONDS", -1.0)
    monkeypatch.setattr("biascheck.core.progress.BETWEEN_LINES", -1.0)
    stream = StringIO()
    monkeypatch.setattr("biascheck.core.progress._output", lambda: nullcontext(stream))
    assert trend(monkeypatch, *(files(f"step-{n}", 0.1 * n) for n in range(1, 5))) == 0
    lines = [line.partition(", ")[0] for line in stream.getvalue().splitlines()]
    assert lines == [
        *(f"biascheck: reading results: {share}% of 4 files" for share in (25, 50, 75)),
        *(f"biascheck: comparing: {share}% of 3 figures" for share in (33, 67)),
    ]


def test_nothing_worse_passes(files, monkeypatch, capsys):
    assert trend(monkeypatch, files("step-1", 0.5), files("step-2", 0.1), "--fail-on-regression") == 0
    assert "1 figure over 2 runs: 0 regressed" in capsys.readouterr().out


def test_the_order_may_be_given(files, monkeypatch, capsys):
    given = [files("step-2", 0.5), files("step-1", 0.1)]
    assert trend(monkeypatch, *given, "--as-given", "--fail-on-regression") == 0
    assert "0 regressed" in capsys.readouterr().out


def test_one_file_or_the_same_twice_is_refused(files, monkeypatch, capsys):
    only = files("step-1", 0.5)
    assert trend(monkeypatch, only) == 2
    assert "no two of the files answer the same question" in capsys.readouterr().err
    assert trend(monkeypatch, only, only) == 2
    assert "named twice" in capsys.readouterr().err


def test_what_cannot_be_compared_is_said_and_fails_a_pipeline(files, monkeypatch, capsys, tmp_path):
    first, second = files("step-1", 0.1), files("step-2", 0.1)
    document = json.loads(Path(second).read_text(encoding="utf-8"))
    document["results"][0]["provenance"]["model"] = {"runtime": "vLLM"}
    Path(second).write_text(json.dumps(document), encoding="utf-8")
    page = tmp_path / "trend.html"
    assert trend(monkeypatch, first, second, "--report", page) == 0
    shown = capsys.readouterr().out
    assert "0 regressed" in shown
    assert "not compared in step-2: transformers, in the process of the tests gave one and vLLM the other" in shown
    html = page.read_text(encoding="utf-8")
    assert "1 of 1 figure not comparable with the first run" in html
    assert "Nothing to do" not in html
    assert trend(monkeypatch, first, second, "--fail-on-regression") == 1
    assert trend(monkeypatch, first, second, "--fail-on-regression", "--allow-other-runtime") == 0
