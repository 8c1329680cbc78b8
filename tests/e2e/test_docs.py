"""The examples of ``docs/*.md`` run, and the pages name what there is.

The convention of a page:

- A ``python`` block is run. The blocks of a page share their names, in order, and run in an empty folder. An ``output``
  block right after it is exactly what it prints.
- A block whose first line is a comment with a path (``# bias/test_jobs.py``) is a file of the reader's project. The
  files of a page are written into one folder and its tests run there on ``reference:parity``, which can read what they
  ask; all must pass, and so must the run.
- Blocks in any other language (``sh``, ``text``, ``toml`` without a path) are not looked at.
"""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import biascheck
import biascheck.gates.margins
import biascheck.measures
import biascheck.plugin.terminal
from biascheck.corpora import DEVIATIONS
from biascheck.gates.families import ALONE, checking_in
from biascheck.gates.gate import Gate
from biascheck.models.local.bundled import build_reference
from biascheck.plugin.options import COMMAND_LINE_ONLY, TYPES, add_options
from biascheck.results.compare import Comparison
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Provenance, Result
from biascheck.stats import ESTIMATORS, Interval
from support.pages import DOCS, PAGES, files, snippets

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
build_reference("reference:tiny")

LINK = re.compile(r"\]\(([^)\s]+)\)")


def having(part) -> list[Path]:
    return [page for page in PAGES if part(page.read_text(encoding="utf-8"))]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def run_snippets(text: str, name: str, capsys) -> None:
    names: dict[str, object] = {"__name__": "example"}
    for block, promised in snippets(text):
        # Leading lines make a traceback point to the line of the page.
        with checking_in(ALONE):  # the pages of this test are no family
            exec(compile("\n" * (block.line - 1) + block.text, name, "exec"), names)
        printed = capsys.readouterr().out
        assert promised is None or printed == promised


def test_there_are_pages_with_examples():
    assert len(PAGES) >= 9
    assert {path.name for path in having(snippets)} >= {"own-corpus.md", "statistics.md", "results-schema.md"}
    assert {path.name for path in having(files)} >= {"gate-your-model.md", "own-measure.md"}


@pytest.mark.parametrize("path", having(snippets), ids=lambda path: path.stem)
def test_examples_run_and_print_what_they_promise(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_snippets(path.read_text(encoding="utf-8"), str(path), capsys)


@pytest.mark.parametrize("path", having(files), ids=lambda path: path.stem)
def test_projects_of_a_page_pass(path, pytester, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    for name, text in files(path.read_text(encoding="utf-8")).items():
        (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
        (pytester.path / name).write_text(text, encoding="utf-8")
    # By path, not by name: our own tests have modules of the same names.
    options = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")
    baseline = ("--bias-baseline", "baseline.json", "--bias-update-baseline")
    run = pytester.runpytest(*options, "--bias-model", "reference:parity", *baseline)
    assert run.parseoutcomes().keys() - {"warnings"} == {"passed"}, run.stdout.str()
    assert run.ret == 0, run.stdout.str()


def test_an_example_that_prints_something_else_is_noticed(capsys):
    rotten = "```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"
    with pytest.raises(AssertionError):
        run_snippets(rotten, "rotten", capsys)


class _Options:
    """Stands in for pytest's parser and keeps the names."""

    def __init__(self):
        self.names: list[str] = []

    def getgroup(self, *_args):
        return self

    def addoption(self, name, **_kwargs):
        self.names.append(name)


def test_every_option_and_setting_is_in_the_table_of_options():
    declared = _Options()
    add_options(declared)
    text = page("gate-your-model.md")
    rows = re.findall(r"^\| `(--bias-[a-z-]+)[^`]*` \| (?:`(\w+)`|–)", text, re.MULTILINE)
    assert sorted(option for option, _ in rows) == sorted(declared.names)
    assert sorted(key for _, key in rows if key) == sorted(TYPES)
    only_said = {f"--bias-{key.replace('_', '-')}" for key in COMMAND_LINE_ONLY}
    assert {option for option, key in rows if not key} == only_said


@pytest.mark.parametrize("name", biascheck.__all__)
def test_every_public_name_is_documented(name):
    everything = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert re.search(rf"\b{name}\b", everything), f"no page of docs/ speaks of {name}"


STORED = [Result, Interval, Provenance, ItemScore, Skipped, Gate, Comparison]


@pytest.mark.parametrize("kind", STORED, ids=lambda kind: kind.__name__)
def test_every_stored_field_is_in_the_schema(kind):
    rows = set(re.findall(r"^\| `(\w+)` \|", page("results-schema.md"), re.MULTILINE))
    assert {field.name for field in fields(kind)} <= rows


def test_every_statistic_is_documented():
    assert {name for name in ESTIMATORS if f"`{name}`" not in page("statistics.md")} == set()


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda deviation: deviation.profession)
def test_every_deviation_of_the_german_corpus_is_listed(deviation):
    row = next(line for line in page("errata.md").splitlines() if line.startswith(f"| {deviation.profession} |"))
    assert [cell.strip() for cell in row.strip("|").split("|")[1:3]] == [deviation.published, deviation.ours]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        linked = (path.parent / file).resolve() if file else path
        assert linked.is_file(), f"{path.name} links to {target}, which does not exist"
        headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        assert not anchor or anchor in {_anchor(heading) for heading in headings}, f"{path.name}: no {target}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
