"""Imports point one way, modules stay short, and importing the package stays cheap.

::

    errors, files, figures, kinds, margins, spans · stats → results layer → {assertions, report} ──┐
    errors, files, figures, kinds, margins, spans → {corpora, models} → {measures, debias} ────────┴→ plugin, cli
    {measures, debias} → {standards, studies}
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "biascheck"
LONGEST_MODULE = 400
HEAVY = ("torch", "transformers", "scipy", "numpy", "pandas")

LEAVES = {"errors", "files", "figures", "kinds", "margins", "spans"}
RESULTS = {
    "results",
    "summaries",
    "gates",
    "storage",
    "recording",
    "comparison",
    "compatibility",
    "baselines",
    "baseline_files",
}
JUDGES = {"assertions", "report"}
SOURCES = {"corpora", "models"}
MAKERS = {"measures", "debias"}
STANDARDS = {"standards", "studies"}
FRONT = {"biascheck", "loading", "testing"}
OUTSIDE = {"plugin", "cli", "__main__"}
ALL = LEAVES | {"stats"} | RESULTS | JUDGES | SOURCES | MAKERS | STANDARDS | FRONT | OUTSIDE

MAY_IMPORT = {
    "errors": set(),
    **{leaf: {"errors"} for leaf in LEAVES - {"errors"}},
    "stats": {"errors"},
    **dict.fromkeys(RESULTS, LEAVES | {"stats"} | RESULTS),
    **dict.fromkeys(JUDGES, LEAVES | {"stats"} | RESULTS),
    **dict.fromkeys(SOURCES, LEAVES),
    **dict.fromkeys(MAKERS, LEAVES | {"stats"} | RESULTS | SOURCES),
    **dict.fromkeys(STANDARDS, LEAVES | {"stats"} | RESULTS | SOURCES | MAKERS),
    **dict.fromkeys(FRONT, ALL - OUTSIDE),
    **dict.fromkeys(OUTSIDE, ALL - OUTSIDE),
    "__main__": {"cli"},
}
"""What each part may import besides itself; "biascheck" is the package's own front."""


def imported(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every module of ours that a source text imports, at any depth of it, with the line."""
    parents = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = [] if node.level == 0 else parents[: len(parents) - node.level + 1]
            base = ".".join([*origin, *([node.module] if node.module else [])])
            # `from biascheck import stats` is an import of biascheck.stats
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            yield from ((node.lineno, str(given.value)) for given in node.args[:1] if isinstance(given, ast.Constant))


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def part_of(module: str) -> str:
    """The part a dotted name belongs to: a name that is no part of ours comes through the package's front."""
    names = module.split(".")
    return names[1] if len(names) > 1 and names[1] in ALL - {"biascheck"} else "biascheck"


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    part = part_of(module)
    allowed = MAY_IMPORT[part] | {part}
    return [
        f"{module}:{line} imports {name}, and {part} may import only {', '.join(sorted(allowed))}"
        for line, name in imported(source, module, is_package=is_package)
        if name.split(".")[0] == "biascheck" and part_of(name) not in allowed
    ]


def modules() -> dict[str, Path]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


MODULES = modules()


def test_the_whole_package_is_looked_at():
    assert {"biascheck", "biascheck.errors", "biascheck.stats", "biascheck.cache.document_cache"} <= MODULES.keys()


def test_every_module_has_a_place():
    top = {module.split(".")[1] for module in MODULES if "." in module}
    assert top <= ALL, f"{sorted(top - ALL)} stand nowhere in the layers; give them a place in MAY_IMPORT"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module):
    path = MODULES[module]
    found = violations(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("biascheck.gates.assertions", "from biascheck.models.loading.loader import load"),
        ("biascheck.gates.assertions", "import biascheck.measures"),
        ("biascheck.gates.assertions", "import biascheck"),
        ("biascheck.gates.assertions", "from biascheck import association"),
        ("biascheck.gates.assertions", "from . import corpora"),
        ("biascheck.report.html", "from biascheck.plugin.settings import Settings"),
        ("biascheck.report.html", "from ..models import cache"),
        ("biascheck.report.html", "from biascheck.gates.assertions import assert_within_margin"),
        ("biascheck.models.scoring.engine", "from biascheck import corpora"),
        ("biascheck.models.scoring.engine", "def run():\n    from biascheck.results.result import Result"),
        ("biascheck.corpora.corpus", "if TYPE_CHECKING:\n    from biascheck.stats import Sample"),
        ("biascheck.corpora.corpus", "class A:\n    def f(self):\n        import biascheck.cache.document_cache as c"),
        ("biascheck.stats.ranks", "from biascheck.wording import figure"),
        ("biascheck.spans", "from biascheck.files import write_atomically"),
        ("biascheck.errors", "from biascheck.spans import Span"),
        ("biascheck.results.result", "try:\n    from biascheck.corpora import Corpus\nexcept ImportError:\n    pass"),
        ("biascheck.measures.draft", "from biascheck.debias import recipe"),
        ("biascheck.measures.draft", "from biascheck.reference_models.world import World"),
        ("biascheck.measures.draft", "import importlib\nimportlib.import_module('biascheck.cli')"),
        ("biascheck.testing", "from biascheck.cli import app"),
        ("biascheck.cli", "from biascheck.plugin import settings"),
        ("biascheck", "from biascheck.plugin import bias_model"),
    ],
)
def test_an_import_against_the_arrows_is_noticed(module, source):
    (found,) = violations(source, module, is_package=module == "biascheck")
    assert found.startswith(f"{module}:")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "biascheck.gates.assertions",
            "from biascheck import stats\nfrom biascheck.results.result import Result\nimport json",
        ),
        (
            "biascheck.report.html",
            "from .charts import bar\nfrom ..gates import Gate\nfrom biascheck.wording import figure",
        ),
        (
            "biascheck.measures.draft",
            "from biascheck.corpora import Corpus\nfrom biascheck.cache.document_cache import caching",
        ),
        (
            "biascheck.models.scoring.engine",
            "from biascheck.models.scoring.plan import Plan\nimport torch\nimport biascheckers",
        ),
        ("biascheck.testing", "from biascheck.models.adapters.fakes import TableModel"),
        ("biascheck.plugin.session", "from biascheck.report import write_html\nimport biascheck"),
    ],
)
def test_an_import_along_the_arrows_is_fine(module, source):
    assert violations(source, module) == []


@pytest.mark.parametrize("module", MODULES)
def test_modules_stay_short(module):
    lines = len(MODULES[module].read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_MODULE, f"{module} has {lines} lines; a file is one noun, find the second one in it"


@pytest.mark.parametrize("module", ["biascheck", "biascheck.plugin", "biascheck.testing", "biascheck.errors"])
def test_importing_is_cheap(module, tmp_path):
    script = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def test_heavy_imports_would_be_seen(tmp_path):
    script = "import sys, biascheck; biascheck.Result; print('numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "True"
