"""The HTML report: one file that needs neither a network nor a script to be read."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from biascheck.files import write_atomically
from biascheck.gates import Gate
from biascheck.report.gate_rows import GateTable, gate_table
from biascheck.report.model_cards import ModelCard, model_cards
from biascheck.report.result_sections import MeasureSection, measure_sections
from biascheck.report.wording import Headline, headline, shortened
from biascheck.results import Result

__all__ = ["Page", "page_of", "render", "write_html"]

TITLE_LENGTH = 80


@dataclass(frozen=True)
class Page:
    """Everything the template shows."""

    title: str
    headline: Headline
    models: tuple[ModelCard, ...]
    gates: GateTable | None
    sections: tuple[MeasureSection, ...]


def write_html(path: Path, results: Sequence[Result], gates: Sequence[Gate]) -> None:
    """Write one self-contained file, whole or not at all. A place that cannot be written raises OSError."""
    write_atomically(path, render(page_of(results, gates)))


def page_of(results: Sequence[Result], gates: Sequence[Gate]) -> Page:
    """Gather what the page shows; either sequence may be empty.

    Everything is put in order by name: workers finish in any order, and two runs should read alike.
    """
    results = sorted(results, key=lambda r: (r.measure, r.corpus, r.model, r.contrast, r.provenance.variant))
    gates = sorted(gates, key=lambda g: (g.measure, g.corpus, g.model, g.test, g.estimate))
    models = model_cards(results, gates)
    names = ", ".join(card.name for card in models)
    return Page(
        title=shortened(f"Bias report: {names}" if names else "Bias report", TITLE_LENGTH),
        headline=headline(gates),
        models=models,
        gates=gate_table(gates, results) if gates else None,
        sections=measure_sections(results, gates),
    )


def render(page: Page) -> str:
    """Turn a page into HTML text that can always be encoded."""
    environment = _environment()
    style, script = (_source(environment, name) for name in ("report.css", "report.js"))
    html = environment.get_template("report.html.j2").render(
        page=page, style=style, script=script, policy=_policy(script)
    )
    # A stored name may hold half a surrogate pair, which UTF-8 cannot express.
    return html.encode("utf-8", "replace").decode("utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("biascheck.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _source(environment: Environment, name: str) -> Markup:
    """A file of this package as it stands: it holds nothing that was measured."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])


def _policy(script: str) -> str:
    """Allow the report's own script alone, so that not even a slip in escaping could run another."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
