"""The documentation site: every page is in its navigation, and every public name in its API."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest
import yaml

import biascheck

ROOT = Path(__file__).resolve().parents[1]


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
    assert sorted(pages) == sorted(written | set(site.ELSEWHERE) | {"api.md"})


def test_every_public_name_is_in_the_api(site):
    api = site.api_page()
    modules = {"corpora", "debias", "extend", "measures", "models", "strategies", "testing"}
    names = [name for name in biascheck.__all__ if name not in modules and not name.startswith("__")]
    assert names
    assert [name for name in names if f".{name}\n" not in api] == []


def test_pages_from_elsewhere_exist_and_links_lead_to_them(site):
    assert all(path.is_file() for path in site.ELSEWHERE.values())
    assert site.on_page_markdown("[Contributing](../CONTRIBUTING.md)") == "[Contributing](contributing.md)"
