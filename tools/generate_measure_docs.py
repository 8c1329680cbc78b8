"""Write docs/measures.md from what the measures say about themselves; ``make docs-measures`` runs it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import Any

from biascheck import measures
from biascheck.core.files import write_atomically
from biascheck.measures.measure import CatalogueEntry, catalogue
from biascheck.report.papers import PAPERS
from biascheck.results.definition import Description

PAGE = Path(__file__).resolve().parent.parent / "docs" / "measures.md"
PAPER = {paper.key: paper.name for paper in PAPERS}
DIRECTIONS = {"from parity": "either side of parity", "upwards": "when large", "unstated": "–"}

OPENING = """# Measures

<!-- Written by tools/generate_measure_docs.py from the declarations in biascheck/measures; edit those. -->

`biascheck measures` lists them on the command line. Gender corpora put male first: a positive gap points towards male.
The default of every measure is the definition in the paper, computed correctly (`variant="ours"`).
`variant="as published (…)"` repeats what the authors' code did, is off by default, and is recorded in the result's
provenance. Where published figures cannot be reproduced even so, see [errata](errata.md). What the corpora are, and how
masked and causal models are scored, is on [corpora and models](corpora-and-models.md).
"""

SOURCE = re.compile(r"^Source: (.*)\.$", re.MULTILINE)
HELPERS = """## Tables and helpers

What is made of results or for measures, and is not a measure of its own.
"""


def main() -> None:
    """Write the page."""
    write_atomically(PAGE, page())
    print(f"written: {PAGE}")


def page() -> str:
    """The whole page."""
    entries = catalogue()
    return "\n".join([OPENING, overview(entries), *map(section, entries), HELPERS, *map(helper, helpers())])


def overview(entries: tuple[CatalogueEntry, ...]) -> str:
    """One row for each measure."""
    rows = ["| measure | statistic | parity | bad | needs a model that | paper |", "|---|---|---|---|---|---|"]
    for entry in entries:
        what, name = entry.description, entry.functions[0].__name__
        cells = [f"[`{name}`](#{name})", f"`{what.statistic}`", f"{what.parity:g}", DIRECTIONS[what.direction]]
        rows.append(f"| {' | '.join([*cells, needs_of(what), PAPER.get(what.paper, '–')])} |")
    return "\n".join(rows) + "\n"


def needs_of(what: Description) -> str:
    """What a measure is taken of: a model that can do something, or another result."""
    if what.needs:
        return " or ".join(what.needs)
    return f"(made from {' or '.join(what.made_from) or 'another result'})"


def section(entry: CatalogueEntry) -> str:
    """A measure: what it is about, its definition, how to read it, and what it cannot tell."""
    what, (defining, *others) = entry.description, entry.functions
    parts = [f"## {defining.__name__}", signature_of(defining), what.about, definition_of(defining)]
    for other in others:
        parts += [signature_of(other), definition_of(other)]
    parts += [facts(what, source_of(defining)), "Limits:", "\n".join(f"- {limit}" for limit in what.limits)]
    return "\n\n".join(part for part in parts if part) + "\n"


def facts(what: Description, source: str) -> str:
    """How to read the figure; in the sign, *first* and *second* are the contrasted groups."""
    rows = {
        "measure": f"{what.name}, version {what.version}",
        "statistic": f"`{what.statistic}`, parity {what.parity:g}, bad {DIRECTIONS[what.direction]}",
        "unit": what.unit or "that of the other result",
        "smallest change": smallest_change_of(what),
        "sign": what.sign.replace("{first}", "*first*").replace("{second}", "*second*"),
        "needs": f"a model that {needs_of(what)}" if what.needs else needs_of(what).strip("()"),
        "paper": PAPER.get(what.paper, "that of the other result"),
        "source": source,
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows.items() if text)])


def smallest_change_of(what: Description) -> str:
    """The smallest change that matters, with the reason."""
    if what.smallest_change is None:
        return "that of the other result"
    return f"{what.smallest_change:g}: {what.smallest_change_reason}"


def source_of(function: Callable[..., Any]) -> str:
    """The publications that the last line of a measure's docstring names."""
    found = SOURCE.search(inspect.getdoc(function) or "")
    return found[1] if found else ""


def helpers() -> list[FunctionType]:
    """The functions of ``biascheck.measures`` that are not measures."""
    found = [getattr(measures, name) for name in measures.__all__]
    return [thing for thing in found if isinstance(thing, FunctionType)]


def helper(function: FunctionType) -> str:
    """A function: its call and its docstring."""
    return "\n\n".join([f"### {function.__name__}", signature_of(function), definition_of(function)]) + "\n"


def signature_of(function: Callable[..., Any]) -> str:
    """The call without its types."""
    parts: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
            continue
        parts.append(parameter.name if parameter.default is parameter.empty else _with_default(parameter))
    return f"`{getattr(function, '__name__', '')}({', '.join(parts)})`"


def _with_default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return f"{parameter.name}={shown}"


def definition_of(function: Callable[..., Any]) -> str:
    """A docstring as Markdown."""
    return "\n\n".join(_blocks(SOURCE.sub("", inspect.getdoc(function) or "").strip()))


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs; what is indented after ``::`` is shown as it is, an example as a session."""
    literal = False
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        elif literal and paragraph.startswith("    "):
            yield f"```text\n{dedent(paragraph)}\n```"
        else:
            literal = paragraph.endswith("::")
            yield _prose(paragraph.removesuffix(":") if literal else paragraph)


def _prose(text: str) -> str:
    return re.sub(r":\w+:`([^`]+)`", r"`\1`", text.replace("``", "`"))


if __name__ == "__main__":
    main()
