"""``biascheck run``: the shipped suites without a checkout, with the outcome and the files of pytest itself."""

import shutil
import sys
from pathlib import Path

import pytest

# Pytest forgets nothing here, but numpy cannot be imported twice.
import biascheck.gates.margins
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.runs.baseline  # noqa: F401
from biascheck import cli
from biascheck.cli.init import available_suites
from biascheck.core import release
from biascheck.runs.file import read_run

HANDMADE = Path(__file__).resolve().parents[1] / "support" / "handmade.py"
SUITE = """
import pytest
import biascheck
from handmade import items_of, result_of, spread

pytestmark = pytest.mark.bias

@pytest.fixture(scope="session")
def figure(bias_model):
    return 0.1 if bias_model.name == "reference:tiny" else 0.0

def test_gap(figure, bias_margins):
    biascheck.assert_within_margin(
        result_of(items_of(spread(figure, 0.01, 10))), **bias_margins["NAME.gap"].as_arguments()
    )
"""
REMEMBERS = """
@pytest.mark.bias(judges=False)
def test_memory():
    from pathlib import Path
    from biascheck.core.context import memory_file
    Path("seen").write_text(str(memory_file()), encoding="utf-8")
"""
MARGINS = """
[NAME.gap]
margin = { strict = 0.01, standard = 0.05, watch = 0.5 }
reason = "by hand"
"""


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Two suites of our own in place of the shipped ones, and an empty folder to run in."""
    home, work = tmp_path / "suites", tmp_path / "work"
    for name in ("first", "second"):
        (home / name).mkdir(parents=True)
        (home / name / f"test_{name}.py").write_text(SUITE.replace("NAME", name), encoding="utf-8")
    (home / "margins.toml").write_text("".join(MARGINS.replace("NAME", n) for n in ("first", "second")), "utf-8")
    shutil.copy(HANDMADE, home / "first")
    shutil.copy(HANDMADE, home / "second")
    work.mkdir()
    monkeypatch.setattr(release, "HOMES", (home,))
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(work)
    yield work
    for name in ("test_first", "test_second"):  # the next test has others of these names
        sys.modules.pop(name, None)


def biascheck_run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["biascheck", "run", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


def test_the_exit_code_and_the_files_are_those_of_the_gates(shipped, monkeypatch, capsys):
    outputs = ("--results", "r.json", "--report", "r.html", "--markdown", "r.md")
    assert biascheck_run(monkeypatch, "reference:tiny", "--suites", "all", *outputs) == 1
    shown = capsys.readouterr().out
    assert "FAIL: 2 tests failed a gate (2 gates: 2 exceed)" in shown
    assert "Traceback" not in shown
    assert "warning" not in shown
    assert read_run(shipped / "r.json").verdict == "FAIL"
    assert sorted(path.name for path in shipped.iterdir()) == ["r.html", "r.json", "r.md"]


@pytest.mark.parametrize(
    ("folder", "options", "memory"),
    [
        (None, (), None),
        (None, ("--report", "out/r.html"), "out/worst_cases.jsonl"),
        (None, ("--report", "r.html", "--results", "out/r.json"), "out/worst_cases.jsonl"),
        ("bias", ("--report", "out/r.html"), "bias/worst_cases.jsonl"),
        ("bias", ("--worst-cases", "mine.jsonl"), "mine.jsonl"),
        ("bias", ("--worst-cases", "none"), None),
    ],
)
def test_worst_cases_are_kept_beside_the_files_that_were_asked_for(shipped, monkeypatch, folder, options, memory):
    suite = release.HOMES[0] / "first" / "test_first.py"
    suite.write_text(suite.read_text(encoding="utf-8") + REMEMBERS, encoding="utf-8")
    for name in filter(None, (folder, "out")):
        (shipped / name).mkdir()
    assert biascheck_run(monkeypatch, "reference:tiny", "--suites", "first", "--profile", "watch", *options) == 0
    assert (shipped / "seen").read_text(encoding="utf-8") == str(memory and shipped / memory)


def test_suites_and_profile_are_chosen(shipped, monkeypatch, capsys):  # noqa: ARG001
    assert biascheck_run(monkeypatch, "reference:tiny", "--suites", "second", "--bias-profile", "watch") == 0
    assert "PASS (1 gate: 1 within)" in capsys.readouterr().out


def test_an_unknown_suite_is_refused_with_those_that_exist(shipped, monkeypatch, capsys):  # noqa: ARG001
    assert biascheck_run(monkeypatch, "reference:tiny", "--suites", "third") == 2
    assert "there is no suite third; there are: first, second" in capsys.readouterr().err


def test_a_reference_model_is_asked_what_it_was_built_for(shipped, monkeypatch, capsys):  # noqa: ARG001
    monkeypatch.setattr("biascheck.reference.specs.SERVED_SUITES", ("second",))
    assert biascheck_run(monkeypatch, "reference:tiny", "--profile", "watch") == 0
    shown = capsys.readouterr().out
    assert "built for; left out: first (--suites all)" in shown
    assert "PASS (1 gate: 1 within)" in shown


MISTAKES = {
    "model": (("./nonsense",), "no folder './nonsense'; check the path, or pass a Hub id such as 'org/name'"),
    "second model": (("reference:tiny", "reference:tny"), "no reference model 'tny'; there are: reference:parity"),
    "server": (("llamacpp:http://127.0.0.1:9",), "cannot be reached"),
    "data": (("reference:tiny", "--data", "no-folder"), "--data no-folder: no such folder"),
    "profile": (("reference:tiny", "--profile", "lax"), "--profile lax: there is no such profile; there are: strict"),
    "baseline": (("reference:tiny", "--baseline", "b.json"), "b.json: no such file; --update-baseline writes it"),
    "no baseline": (("reference:tiny", "--update-baseline"), "--update-baseline needs --baseline FILE"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line_and_leaves_no_file_of_an_earlier_run(shipped, monkeypatch, capsys, arguments, message):
    monkeypatch.setattr("biascheck.reference.specs.SERVED_SUITES", ("first",))
    (shipped / "old.html").write_text('<meta name="generator" content="biascheck">PASS', encoding="utf-8")
    assert biascheck_run(monkeypatch, *arguments, "--report", "old.html") == 2
    shown = capsys.readouterr()
    assert not shown.out or shown.out.startswith("a reference model reads only")
    assert shown.err.startswith("biascheck: ")
    assert message in shown.err
    assert "--bias-" not in shown.err
    assert len(shown.err.splitlines()) == 1
    assert list(shipped.iterdir()) == []


def test_the_suites_of_this_installation_are_found():
    assert {"bartl2020", "basta2019", "jentzsch2022", "kurita2019", "manela2021"} <= set(available_suites())
