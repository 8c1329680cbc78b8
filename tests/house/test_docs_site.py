"""The documentation site: every page is in its navigation, and every public name in its API."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest
import yaml

import biascheck
from biascheck.papers import papers

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site():
    """The hook, without MkDocs, which is an extra."""
    fake = types.ModuleType("mkdocs.structure.files")
    fake.File = fake.Files = object
    known = {name: sys.modules.get(name) for name in ("mkdocs", "mkdocs.structure", "mkdocs.structure.files")}
    sys.modules.update(dict.fromkeys(known, fake))
    spec = importlib.util.spec_from_file_location("docs_site", ROOT / "tools" / "docs_site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, found in known.items():
        if found is None:
            del sys.modules[name]
        else:
            sys.modules[name] = found
    return module


def listed(entries):
    for entry in entries:
        found = entry if isinstance(entry, str) else next(iter(entry.values()))
        yield from [found] if isinstance(found, str) else listed(found)


def test_every_page_is_in_the_navigation_once(site):
    pages = list(listed(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    written = {path.name for path in (ROOT / "docs").glob("*.md")}
    made = set(site.ELSEWHERE) | set(site.tutorials()) | set(site.paper_pages.pages()) | {"api.md"}
    assert sorted(pages) == sorted(written | made)


def test_every_suite_of_a_paper_has_a_page_with_commands_that_exist(site):
    suites = {path.name for path in (ROOT / "suites").iterdir() if list(path.glob("test_*.py"))}
    assert set(site.paper_pages.TITLES) == suites - {"mitigation", "worst_cases"}
    for suite, text in ((Path(name).stem, text) for name, text in site.paper_pages.pages().items()):
        assert f"biascheck run bert-base-uncased --suites {suite} --data DIR" in text
        assert (f"biascheck reproduce {suite} --model" in text) == (suite in papers())
        assert f"| `{suite}." in text, "its margins"
        assert "github.com/" in text or "put there by hand" in text
    bbq = site.paper_pages.page("parrish2022")
    assert "biascheck data fetch bbq kobbq esbbq --to DIR" in bbq
    assert "| known flaw |" in bbq


def test_notebooks_become_pages_with_what_they_printed(site):
    text = site.tutorials()["tutorials/first-gate.md"]
    assert "FAIL: 1 test failed a gate (1 gate: 1 exceeds)" in text
    assert '<div class="notebook-output"><table>' in text
    assert "[an endpoint](audit-an-endpoint.md)" in text
    assert site.on_page_markdown("[x](../examples/notebooks/first-gate.ipynb)") == "[x](tutorials/first-gate.md)"
    assert site.on_page_markdown("[x](../reports/sample/bias.html)") == "[x](samples/bias.html)"


def test_every_public_name_is_in_the_api(site):
    api = site.api_page()
    modules = {"corpora", "mitigation", "extend", "measures", "models", "strategies", "testing"}
    names = [name for name in biascheck.__all__ if name not in modules and not name.startswith("__")]
    assert names
    assert [name for name in (*names, *biascheck.extend.__all__) if f".{name}\n" not in api] == []


def test_roles_of_docstrings_are_not_shown(site):
    html = "see :class:<code>Gate</code> and :func:<code>load</code>: <code>x</code>"
    assert site.on_page_content(html) == "see <code>Gate</code> and <code>load</code>: <code>x</code>"


def test_pages_from_elsewhere_exist_and_links_lead_to_them(site):
    assert all(path.is_file() for path in site.ELSEWHERE.values())
    assert site.on_page_markdown("[Contributing](../CONTRIBUTING.md)") == "[Contributing](contributing.md)"
