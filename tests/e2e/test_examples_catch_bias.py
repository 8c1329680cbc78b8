"""Whoever copies an example must get a gate that bites: README and docs on a model with odds of 4 to 1 both ways.

Men's jobs raise "he" and women's jobs "she", each to 4 to 1, so that the mean gap over all jobs is zero. Every example
that gates an association has to fail on it with a finding, and to pass on the same model with even odds.
"""

import re
from pathlib import Path

import pytest

# Pytester forgets modules that were first imported inside a run, and then there are two of a class.
import biascheck
import biascheck.gates.check
import biascheck.gates.margins
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.runs.baseline
import biascheck.testing
from biascheck.gates.families import ALONE, checking_in
from support.pages import PAGES, ROOT, blocks, files, snippets
from support.planted_models import masked_model

CONFTEST = """
import sys
import pytest
sys.path.insert(0, {tests!r})
from support.planted_models import masked_model

@pytest.fixture(scope="session")
def bias_model():
    return masked_model({before})

@pytest.fixture(scope="session")
def bias_debiased_model():
    return lambda **_: masked_model({odds})
"""
EVEN, FOUR_TO_ONE = 1.0, 4.0
FINDING = re.compile(r"exceeds (?:margin|bound)|: regressed")
OPTIONS = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")


def gates_an_association(text: str) -> bool:
    """By its own words; a measure of one's own is one too if it is judged by its typical gap."""
    return "assert_" in text and ("measures.association(" in text or "measures.typical_gap(" in text)


def pages_where(parts) -> list[Path]:
    chosen = [ROOT / "README.md", *PAGES]
    return [path for path in chosen if gates_an_association(parts(path.read_text(encoding="utf-8")))]


def files_text(text: str) -> str:
    return "\n".join(files(text).values())


def snippets_text(text: str) -> str:
    return "\n".join(block.text for block, _ in snippets(text))


PROJECTS, SCRIPTS = pages_where(files_text), pages_where(snippets_text)


def test_the_examples_are_found():
    assert [path.stem for path in PROJECTS] == ["README", "gate-your-model", "mitigation", "own-measure"]
    assert [path.stem for path in SCRIPTS] == [
        "gate-your-model",
        "results-schema",
        "statistics-for-engineers",
        "statistics",
    ]


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=lambda path: path.stem)
def test_no_example_has_a_margin_beyond_a_small_effect(path):
    text = "\n".join(block.text for block in blocks(path.read_text(encoding="utf-8")) if block.language != "output")
    judged = re.findall(r"assert_association_within\([^\n]*margin=([\d.]+)", text)
    judged += re.findall(r"assert_typical_gap_below\([^\n]*bound=([\d.]+)", text)
    assert all(float(margin) <= 0.36 for margin in judged), judged


@pytest.fixture
def run_project(pytester, monkeypatch):
    """Run the files of a page on planted odds; mitigation starts from even odds and ends with the planted ones."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))

    def run(path, odds, *options):
        before = EVEN if path.stem == "mitigation" else odds
        tests = str(Path(__file__).resolve().parents[1])
        (pytester.path / "conftest.py").write_text(CONFTEST.format(tests=tests, before=before, odds=odds))
        for name, text in files(path.read_text(encoding="utf-8")).items():
            (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
            (pytester.path / name).write_text(text, encoding="utf-8")
        return pytester.runpytest(*OPTIONS, "--bias-baseline", "baseline.json", *options)

    return run


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.stem)
def test_every_project_fails_on_four_to_one_and_passes_on_even_odds(path, run_project):
    even = run_project(path, EVEN, "--bias-update-baseline")
    assert even.ret == 0, even.stdout.str()
    assert even.parseoutcomes().keys() - {"warnings"} == {"passed"}
    biased = run_project(path, FOUR_TO_ONE)
    shown = biased.stdout.str()
    assert biased.ret == 1, shown
    named = files(path.read_text(encoding="utf-8")).items()
    judging = {name for name, text in named if name.endswith(".py") and gates_an_association(text)}
    assert {name for name in judging if f"FAILED {name}::" in shown} == judging
    errors = re.findall(r"^E +(\S+Error.*)$", shown, re.MULTILINE)
    assert errors
    assert all(FINDING.search(error) for error in errors), errors


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_finds_four_to_one_and_nothing_in_even_odds(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert not FINDING.search(printed_on(masked_model(EVEN), text, monkeypatch, capsys))
    assert FINDING.search(printed_on(masked_model(FOUR_TO_ONE), text, monkeypatch, capsys))


def printed_on(model, text, monkeypatch, capsys) -> str:
    """What the snippets of a page print, up to the first finding, if every model of theirs is this one."""
    monkeypatch.setattr(biascheck.testing, "TableModel", lambda *_, **__: model)
    names: dict[str, object] = {"__name__": "example"}
    try:
        for block, _ in snippets(text):
            with checking_in(ALONE):  # the pages of this test are no family
                exec(block.text, names)
    except biascheck.BiasAssertionError as finding:
        return str(finding)
    return capsys.readouterr().out
