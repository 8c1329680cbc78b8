"""Imports point one way, rooms stay small, and importing the package stays cheap.

::

    leaves: collector, errors, files, wording, spans, release, spilled_blocks → packed_columns · cache (uses leaves)

    stats → results → gates → report ─────────────────────────────┐
    stats → {corpora, models} → {measures, debias} ───────────────┼→ plugin, cli
            {measures, debias} → reference_models → calibration ──┘
            {measures, debias} → studies ─┐
            report ───────────────────────┴→ reproduce ─────────── cli
    corpora → strategies → search (uses measures and gates) ──────── plugin
    models, model_specs → engines ──────────────────────────────────── plugin, cli

    fronts: biascheck (its public names), extend, testing, model_specs
"""

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "biascheck"
LONGEST_MODULE = 350
MOST_MODULES = 22
HEAVY = ("torch", "transformers", "scipy", "numpy", "pandas", "msgspec", "jinja2", "sklearn", "hypothesis", "ray")

LEAVES = {"collector", "errors", "files", "packed_columns", "release", "spans", "spilled_blocks", "wording"}
BASE = LEAVES | {"stats"}
SOURCES = {"corpora", "models"}
MAKERS = {"measures", "debias"}
FRONTS = {"biascheck", "extend", "testing", "model_specs"}
OUTSIDE = {"plugin", "cli"}
INSIDE = (
    BASE
    | {"cache", "results", "gates", "report", "reference_models", "calibration", "studies", "integrations", "reproduce"}
    | {"strategies", "search", "engines"}
    | SOURCES
    | MAKERS
)
ALL = INSIDE | FRONTS | OUTSIDE | {"__main__"}

MAY_IMPORT = {
    **{leaf: {"errors"} for leaf in LEAVES - {"errors"}},
    "errors": set(),
    "packed_columns": {"spilled_blocks"},
    "cache": LEAVES,
    "stats": {"errors", "release"},
    "results": BASE,
    "gates": BASE | {"results"},
    "report": BASE | {"results", "gates"},
    "corpora": BASE,
    "models": BASE | {"cache"},
    "measures": BASE | {"cache", "results"} | SOURCES,
    "debias": BASE | {"cache", "results"} | SOURCES,
    "reference_models": BASE | {"cache", "results"} | SOURCES | MAKERS,
    "calibration": BASE | {"cache", "results", "gates", "reference_models"} | SOURCES | MAKERS,
    "strategies": LEAVES | {"corpora"},
    "search": BASE | {"cache", "results", "gates", "measures", "strategies"} | SOURCES,
    "studies": BASE | {"cache", "results"} | SOURCES | MAKERS,
    "reproduce": BASE | {"cache", "results", "gates", "report", "studies"} | SOURCES | MAKERS,
    "integrations": BASE | {"cache", "results", "gates", "report", "models"},
    "model_specs": LEAVES | {"cache", "models", "debias", "reference_models"},
    "engines": LEAVES | {"cache", "models", "model_specs"},
    "testing": {"models"},
    "extend": BASE | {"results", "measures"} | SOURCES,
    "biascheck": (INSIDE | FRONTS) - {"biascheck", "report", "studies", "calibration", "reproduce"},
    "plugin": INSIDE | FRONTS,
    "cli": INSIDE | FRONTS,
    "__main__": {"cli"},
}
"""What each room may import besides itself; "biascheck" is the package's own front."""


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


def room_of(module: str) -> str:
    """The room a dotted name belongs to: a name that is no room of ours comes through the package's front."""
    names = module.split(".")
    return names[1] if len(names) > 1 and names[1] in ALL - {"biascheck"} else "biascheck"


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    room = room_of(module)
    allowed = MAY_IMPORT[room] | {room}
    return [
        f"{module}:{line} imports {name}, and {room} may import only {', '.join(sorted(allowed))}"
        for line, name in imported(source, module, is_package=is_package)
        if name.split(".")[0] == "biascheck" and room_of(name) not in allowed
    ]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {str(path.relative_to(ROOT)): path for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])}
MODULES = [path for path in FILES.values() if path.suffix == ".py"]


def test_the_whole_package_is_looked_at():
    some = {"__init__.py", "__init__.pyi", "errors.py", "stats/__init__.py", "cache/document_cache.py"}
    assert {f"biascheck/{name}" for name in some} <= FILES.keys()


def test_every_module_has_a_place():
    rooms = {module_of(path).split(".")[1] for path in MODULES if path.parent != PACKAGE or path.stem != "__init__"}
    assert rooms <= ALL, f"{sorted(rooms - ALL)} are in no room; give them a place in MAY_IMPORT"
    assert MAY_IMPORT.keys() == ALL


@pytest.mark.parametrize("file", FILES)
def test_imports_point_one_way(file):
    path = FILES[file]
    found = violations(path.read_text(encoding="utf-8"), module_of(path), is_package=path.stem == "__init__")
    assert not found, "\n".join(found)


def test_the_arrows_have_no_circle():
    """Rooms can be put in an order in which each imports only earlier ones; a front may be used from outside only."""
    left = {room: set(allowed) for room, allowed in MAY_IMPORT.items()}
    while free := [room for room, allowed in left.items() if not allowed & left.keys()]:
        for room in free:
            del left[room]
    assert not left


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("biascheck.gates.check", "from biascheck.models.local.loader import load"),
        ("biascheck.gates.check", "import biascheck.measures"),
        ("biascheck.gates.check", "import biascheck"),
        ("biascheck.gates.check", "from biascheck import association"),
        ("biascheck.gates.check", "from .. import corpora"),
        ("biascheck.report.html", "from biascheck.plugin.options import Settings"),
        ("biascheck.report.html", "from ..models import cache"),
        ("biascheck.gates.gate", "from biascheck.report.html import write_html"),
        ("biascheck.results.result", "from biascheck.gates.gate import Gate"),
        ("biascheck.results.result", "from biascheck.core.store import caching"),
        ("biascheck.core.store", "from biascheck.results.result import Result"),
        ("biascheck.core.wording", "from biascheck.stats import Interval"),
        ("biascheck.calibration.readings", "from biascheck.papers.grid import sentiment_grid"),
        ("biascheck.reference.world", "from biascheck.calibration.readings import readings"),
        ("biascheck.loading", "from biascheck.measures import association"),
        ("biascheck.models.scoring.engine", "from biascheck import corpora"),
        ("biascheck.models.scoring.engine", "def run():\n    from biascheck.results.result import Result"),
        ("biascheck.corpora.corpus", "if TYPE_CHECKING:\n    from biascheck.results import Result"),
        ("biascheck.corpora.corpus", "class A:\n    def f(self):\n        import biascheck.core.store as c"),
        ("biascheck.stats.tests", "from biascheck.core.wording import format_number"),
        ("biascheck.core.spans", "from biascheck.core.files import write_atomically"),
        ("biascheck.core.errors", "from biascheck.core.spans import Span"),
        ("biascheck.results.result", "try:\n    from biascheck.corpora import Corpus\nexcept ImportError:\n    pass"),
        ("biascheck.measures.measure", "from biascheck.mitigation import recipe"),
        ("biascheck.measures.measure", "from biascheck.reference.world import World"),
        ("biascheck.measures.measure", "import importlib\nimportlib.import_module('biascheck.cli')"),
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
            "biascheck.gates.check",
            "from biascheck import stats\nfrom biascheck.results.result import Result\nimport json",
        ),
        (
            "biascheck.report.html",
            "from .charts import bar\nfrom ..gates import Gate\nfrom biascheck.core.wording import format_number",
        ),
        (
            "biascheck.measures.measure",
            "from biascheck.corpora import Corpus\nfrom biascheck.core.store import caching",
        ),
        (
            "biascheck.models.scoring.engine",
            "from biascheck.models.scoring.plan import Plan\nimport torch\nimport biascheckers",
        ),
        ("biascheck.testing", "from biascheck.models.fakes import TableModel"),
        ("biascheck.plugin.session", "from biascheck.report import write_html\nimport biascheck"),
    ],
)
def test_an_import_along_the_arrows_is_fine(module, source):
    assert violations(source, module) == []


def test_modules_stay_short():
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in FILES.items()}
    long = {name: count for name, count in lines.items() if count > LONGEST_MODULE}
    assert not long, f"{long}: a file is one noun, find the second one in it"


def test_folders_stay_small():
    sizes = Counter(str(path.parent.relative_to(ROOT)) for path in MODULES)
    crowded = {folder: count for folder, count in sizes.items() if count > MOST_MODULES}
    assert not crowded, f"{crowded}: more than {MOST_MODULES} modules; give them a room of their own"


def test_no_two_modules_have_one_name():
    names = Counter(path.stem for path in MODULES if path.stem not in ("__init__", "__main__"))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_two_test_files_have_one_name():
    """pytest imports them without packages: of two files of one name, the second is an error or the first again."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.stem not in ("__init__", "conftest")]
    assert [name for name, count in Counter(path.stem for path in files).items() if count > 1] == []


@pytest.mark.parametrize(
    "module",
    [
        "biascheck",
        "biascheck.plugin",
        "biascheck.testing",
        "biascheck.core.errors",
        "biascheck.core.wording",
        "biascheck.cli",
    ],
)
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
