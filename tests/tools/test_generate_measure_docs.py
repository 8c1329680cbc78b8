"""The page of measures is what the measures say, and a stale page is noticed."""

import importlib.util
from dataclasses import replace
from pathlib import Path

from biascheck.measures.measure import catalogue

PATH = Path(__file__).resolve().parents[2] / "tools" / "generate_measure_docs.py"
SPEC = importlib.util.spec_from_file_location("generate_measure_docs", PATH)
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)


def test_the_page_is_fresh():
    written = tool.PAGE.read_text(encoding="utf-8")
    assert written == tool.page(), "docs/measures.md is stale: run make docs-measures"


def test_every_measure_has_a_section_with_its_words():
    page = tool.page()
    for entry in catalogue():
        assert f"\n## {entry.functions[0].__name__}\n" in page
        assert entry.description.about in page
        assert all(f"- {limit}" in page for limit in entry.description.limits)


def test_another_word_makes_another_page():
    (entry, *_) = catalogue()
    other = replace(entry, description=replace(entry.description, about="Something else."))
    assert tool.section(other) != tool.section(entry)


def test_a_docstring_becomes_markdown():
    def sample(model, *, mode="a", seed=0):
        """Short ``code`` of :func:`other`.

        With a formula::

            a = b
              + c

        and an example:

        >>> 1 + 1
        2
        """

    assert tool.signature_of(sample) == '`sample(model, *, mode="a", seed=0)`'
    assert tool.definition_of(sample) == (
        "Short `code` of `other`.\n\nWith a formula:\n\n```text\na = b\n  + c\n```\n\nand an example:\n\n"
        "```pycon\n>>> 1 + 1\n2\n```"
    )
