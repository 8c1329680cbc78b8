"""``biascheck compare`` and ``biascheck card``: what they print, and every exit code."""

import sys
from dataclasses import replace

import pytest

import biascheck
from biascheck import cli
from biascheck.runs.baseline import Baseline, write_baseline
from support.handmade import PROVENANCE, items_of, result_of, spread


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as the console script does; returns exit code, output and errors."""

    def invoke(*arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return invoke


BEFORE = result_of(items_of(spread(1.0, 0.5, 12)), model="base")


def moved(by, **fields):
    wobble = fields.pop("wobble", 0.0)
    items = [replace(item, score=item.score + by + wobble * (-1) ** number) for number, item in enumerate(BEFORE.items)]
    return result_of(items, **{"model": "later", **fields})


@pytest.fixture
def file(tmp_path):
    def write(name, *results):
        biascheck.write_results(tmp_path / name, results)
        return tmp_path / name

    return write


@pytest.fixture
def before(file):
    return file("before.json", BEFORE)


@pytest.mark.parametrize(
    ("after", "fail_on", "code"),
    [
        (moved(0.3), None, 0),
        (moved(0.3), "regressed", 1),
        (moved(0.3), "inconclusive", 1),
        (moved(0.01, wobble=0.3), None, 0),
        (moved(0.01, wobble=0.3), "regressed", 0),
        (moved(0.01, wobble=0.3), "inconclusive", 1),
        (moved(0.0), "inconclusive", 0),
        (moved(-0.3), "inconclusive", 0),
    ],
    ids=lambda value: str(getattr(value, "estimate", value)),
)
def test_exit_codes_follow_fail_on(run, before, file, after, fail_on, code):
    options = ["--fail-on", fail_on] if fail_on else []
    assert run("compare", before, file("after.json", after), *options)[0] == code


def test_a_regression_reads_as_one_in_a_log(run, before, file):
    code, out, _ = run("compare", before, file("after.json", moved(0.3)))
    assert code == 0
    heading, row, tally = out.splitlines()
    assert heading.split("  ")[0] == "verdict"
    assert " ".join(row.split()) == (
        "regressed association · jobs base → later 1.00 → 1.30 +0.30 [0.30, 0.30] "
        "job0 +0.50 → +0.80, job1 +0.59 → +0.89, job10 +1.41 → +1.71"
    )
    assert tally == "1 regressed"
    assert "\x1b" not in out


def test_later_files_are_each_compared_with_the_first(run, before, file):
    _, out, _ = run("compare", before, file("b.json", moved(0.3)), file("c.json", moved(-0.3, model="third")))
    assert out.splitlines()[-1] == "1 regressed, 1 improved"


def test_a_tolerance_is_kept(run, before, file):
    after = file("after.json", moved(0.3))
    assert run("compare", before, after, "--fail-on", "regressed", "--tolerance", "0.4")[0] == 0


def test_a_baseline_may_come_first(run, tmp_path, file):
    write_baseline(tmp_path / "baseline.json", Baseline((BEFORE,)))
    code, out, _ = run("compare", tmp_path / "baseline.json", file("after.json", BEFORE), "--fail-on", "inconclusive")
    assert (code, out.splitlines()[-1]) == (0, "1 no worse")


def test_what_only_one_file_has_is_named(run, file):
    first = file("a.json", BEFORE, result_of(BEFORE.items, model="base", corpus="gone"))
    _, out, _ = run("compare", first, file("b.json", moved(0.0), moved(0.0, corpus="new")))
    assert "only after: association on later × new" in out
    assert "only before: association on base × gone" in out


def test_markdown_is_written(run, before, file, tmp_path):
    code, out, _ = run("compare", before, file("after.json", moved(0.3)), "--markdown", tmp_path / "c.md")
    assert code == 0
    assert out.endswith(f"written: {tmp_path / 'c.md'}\n")
    assert "| ❌ regressed | association | jobs |" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_a_report_is_written(run, before, file, tmp_path):
    afters = file("after.json", moved(0.3)), file("more.json", moved(0.0, model="more"))
    code, out, _ = run("compare", before, *afters, "--report", tmp_path / "c.html")
    assert code == 0
    assert out.endswith(f"written: {tmp_path / 'c.html'}\n")
    html = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "1 of 2 results regressed" in html
    assert "Side by side" in html


def test_unreadable_files_exit_with_2(run, before, tmp_path):
    code, _, err = run("compare", before, tmp_path / "none.json")
    assert code == 2
    assert err.startswith("biascheck: no results at ")
    (tmp_path / "broken.json").write_text("{")
    assert run("compare", tmp_path / "broken.json", before)[0] == 2


def test_results_that_cannot_be_compared_exit_with_2_and_the_reason(run, before, file):
    other = moved(0.3, provenance=replace(PROVENANCE, corpus_fingerprint="d" * 64))
    code, _, err = run("compare", before, file("after.json", other), "--fail-on", "regressed")
    assert code == 2
    assert "1 result not comparable:\n  association on later × jobs: the corpus of that name has changed" in err


def test_files_without_a_common_result_exit_with_2(run, before, file):
    code, _, err = run("compare", before, file("after.json", moved(0.3, corpus="other")))
    assert code == 2
    assert "the files have no result in common; compare runs of the same suites" in err
    code, _, err = run("compare", before, file("chat.json", moved(0.3, treatment=("chat",))))
    assert code == 2
    assert "treated differently (as it comes, and chat)" in err


@pytest.mark.parametrize("arguments", [["--fail-on", "improved"], ["--tolerance", "-1"], ["--nonsense"]])
def test_wrong_use_exits_with_2(run, before, arguments):
    assert run("compare", before, before, *arguments)[0] == 2


@pytest.mark.parametrize("option", ["--markdown", "--report"])
def test_an_unwritable_file_exits_with_2(run, before, tmp_path, option):
    (tmp_path / "file").write_text("in the way")
    code, _, err = run("compare", before, before, option, tmp_path / "file" / "c")
    assert (code, "cannot be written" in err) == (2, True)


def test_a_card_is_printed_or_written(run, before, tmp_path):
    code, out, _ = run("card", before)
    assert code == 0
    assert out.startswith("---\nmodel-index:\n- name: base\n")
    assert run("card", before, "--out", tmp_path / "card.md")[1] == f"written: {tmp_path / 'card.md'}\n"
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == out


def test_a_card_of_an_unknown_model_names_the_known_ones(run, before):
    code, _, err = run("card", before, "--model", "other")
    assert (code, "the file has results of base; name one with --model" in err) == (2, True)


def test_what_is_gone_fails_where_all_is_required(run, file):
    both = file("before.json", BEFORE, result_of(items_of(spread(1.0, 0.5, 12)), model="base", corpus="gone"))
    same, part = file("same.json", moved(0.0), moved(0.0, corpus="gone")), file("part.json", moved(0.0))
    assert run("compare", both, part, "--fail-on", "regressed")[0] == 0
    assert run("compare", both, part, "--require-all")[0] == 1
    assert run("compare", both, same, "--require-all", "--fail-on", "regressed")[0] == 0
