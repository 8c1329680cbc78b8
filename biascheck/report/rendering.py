"""From a page to HTML text: one file with its style, its script, and a policy that allows no other."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from biascheck.report.charts.planes import shape_of
from biascheck.wording import escape_control

__all__ = ["render"]

STYLES = ("report.css", "first_screen.css", "print.css")
SCRIPTS = ("report.js", "filters.js", "glossary.js")


def render(template: str, **shown: object) -> str:
    """Fill in a template; names show their control characters, and the result can always be encoded."""
    environment = _environment()
    style, script = (Markup("").join(_source(environment, name) for name in names) for names in (STYLES, SCRIPTS))
    html = environment.get_template(template).render(style=style, script=script, policy=_policy(script), **shown)
    return escape_control(html, lines=True)  # what came in as markup


def _shown(value: object) -> object:
    return escape_control(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("biascheck.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["mark_of"] = shape_of
    environment.filters["with_commas"] = "{:,}".format
    return environment


def _source(environment: Environment, name: str) -> Markup:
    """A file of this package, unchanged: it contains nothing that was measured."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])


def _policy(script: str) -> str:
    """Allow the report's own script alone, so that not even a slip in escaping could run another."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
