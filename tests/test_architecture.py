"""A topic has one module, imports point one way, and importing the package stays cheap.

The arrows are drawn once, in ``ARROWS``; what a room may import is what can be reached along them. Line counts keep a
module a topic: longer than 500 lines it is two, shorter than 60 it belongs to another unless it says why not.
"""

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, TESTS = ROOT / "biascheck", ROOT / "tests"
LONGEST_MODULE = 500
SHORTEST_MODULE = 60
HEAVY = ("torch", "transformers", "scipy", "numpy", "pandas", "msgspec", "jinja2", "sklearn", "hypothesis", "ray")

ARROWS = {
    "core": (),
    "stats": ("core",),
    "corpora": ("stats",),
    "models": ("corpora",),
    "results": ("stats",),
    "measures": ("models", "results"),
    "mitigation": ("measures",),
    "reference": ("measures",),
    "gates": ("results",),
    "worst_cases": ("measures", "gates"),
    "runs": ("gates",),
    "report": ("runs",),
    "papers": ("mitigation", "report"),
    "calibration": ("mitigation", "reference", "worst_cases", "report"),
}
"""The rooms, and the rooms below each. What lies below a neighbour may be imported, too."""
LOADING = {"loading": ("mitigation", "reference")}
OUTSIDE = ("integrations", "plugin", "cli", "__main__")
"""These may import every room, and no room imports them."""
FRONTS = ("biascheck", "extend", "testing")
"""Names for users, gathered from the rooms; nothing inside the package imports them."""

REASONS = {
    "biascheck.core.context": "light, so that the plugin can ask for it in every run",
    "biascheck.core.spans": "the one type that corpora and models share",
}
"""Why a module of less than 60 lines is a topic of its own."""

PUBLIC = {
    "biascheck.extend",
    "biascheck.integrations.trackers",
    "biascheck.integrations.trainer",
    "biascheck.testing",
    "biascheck.worst_cases.strategies",
}
"""Modules that users import from; they and the fronts of the rooms say what is public by ``__all__``."""


# Folders of tests that mirror nothing in the package.
NO_ROOMS = {"e2e", "golden", "house", "support", "tools"}

TESTED_ELSEWHERE = {
    "calibration.page": "calibration/test_calibration.py",
    "cli.calibrate": "calibration/test_calibration.py calibration/test_coverage.py",
    "core.context": "worst_cases/test_memory.py",
    "core.errors": "house/test_public_api.py",
    "core.spans": "corpora/test_sentence.py corpora/test_templates.py",
    "corpora.bbq": "corpora/test_published_benchmarks.py",
    "corpora.crows_pairs": "corpora/test_published_benchmarks.py",
    "corpora.decisions": "corpora/test_published_benchmarks.py",
    "corpora.rewriting.gender_words": "corpora/test_lexicon.py",
    "corpora.rewriting.name_rules": "corpora/rewriting/test_name_finder.py",
    "corpora.rewriting.name_surroundings": "corpora/rewriting/test_name_finder.py",
    "corpora.sentence_pairs": "corpora/test_published.py",
    "corpora.stereoset": "corpora/test_published_benchmarks.py",
    "corpora.winogender": "corpora/test_published_benchmarks.py",
    "gates.judge": "gates/test_check.py gates/test_gate.py",
    "gates.search": "worst_cases/test_search_findings.py",
    "measures.bbq": "measures/test_answers.py golden/test_published_figures_of_benchmarks.py",
    "measures.names": "measures/test_skew.py measures/test_skew_pronoun_f1.py",
    "measures.pronouns": "measures/test_skew.py measures/test_competency.py",
    "measures.subspace": "measures/test_geometry.py",
    "measures.topics": "measures/test_coreference.py",
    "models.fakes": "models/test_base.py measures/test_association.py",
    "models.files": "models/local/test_loader_errors.py models/local/test_weights.py",
    "models.local.causal": "models/scoring/test_continuations.py models/test_base.py",
    "models.local.folders": "models/local/test_loader.py core/test_identity.py",
    "models.scoring.cost": "e2e/served/test_plan_of_a_run.py",
    "models.scoring.engine_choice": "plugin/test_engines.py",
    "models.scoring.queries": "models/scoring/test_encode.py models/scoring/test_continuations.py",
    "models.served.model": "models/served/test_transport.py models/served/test_handshake.py",
    "models.served.routes": "models/served/test_handshake.py",
    "papers.manela_models": "papers/test_manela2021.py",
    "papers.page": "papers/test_run.py e2e/browser/test_pages.py",
    "papers.paper": "papers/test_run.py",
    "plugin.planning": "e2e/served/test_plan_of_a_run.py",
    "plugin.record": "e2e/runs/test_outcome.py e2e/runs/test_families.py",
    "plugin.session": "e2e/runs/test_outcome.py e2e/runs/test_manners.py",
    "report.changes": "report/test_comparison_page.py report/test_first_screen.py",
    "report.gates": "report/test_html.py gates/test_check_bounds.py",
    "report.overviews": "report/test_drawings.py",
    "report.results": "report/test_html.py",
    "report.svg": "report/test_charts.py",
    "report.trend_page": "report/test_comparison_page.py cli/test_stored_trend.py",
    "results.attachments": "results/test_codec.py report/test_drawings.py",
    "results.items": "results/test_item_files.py results/test_codec.py",
    "runs.file": "results/test_codec.py cli/test_stored_fuzzed_files.py",
    "runs.run": "runs/test_outcome.py report/test_first_screen.py",
    "stats.vectors": "stats/test_tests_ranks.py",
    "worst_cases.assertion": "worst_cases/test_invariants.py worst_cases/test_search_findings.py",
    "worst_cases.people": "worst_cases/test_grammar.py worst_cases/test_strategies.py",
    "worst_cases.programs": "worst_cases/test_search.py worst_cases/test_grammar.py",
    "worst_cases.shrink": "worst_cases/test_search.py",
    "worst_cases.templates": "worst_cases/test_exploration.py worst_cases/test_strategies.py",
}
"""Modules without a test file of their own, and where they are tested."""


@cache
def may_import(room: str) -> frozenset[str]:
    """The rooms that a room may import, itself among them."""
    everything = {*ARROWS, *LOADING}
    if room in (*OUTSIDE, *FRONTS):
        return frozenset(
            {*everything, *OUTSIDE, *FRONTS} if room in OUTSIDE else {*everything, room, "extend", "testing"}
        )
    below = {**ARROWS, **LOADING}[room]
    return frozenset({room}.union(*map(may_import, below)))


def imported(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every module of ours that a source text imports or names as text, at any depth of it, with the line."""
    parents = module.split(".") if is_package else module.split(".")[:-1]
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = [] if node.level == 0 else parents[: len(parents) - node.level + 1]
            base = ".".join([*origin, *([node.module] if node.module else [])])
            # `from biascheck import stats` is an import of biascheck.stats
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Constant) and id(node) not in prose and _is_dotted(node.value):
            yield node.lineno, node.value


def _is_dotted(value: object) -> bool:
    """Whether a text names a module of ours, as what is imported by its name does."""
    return isinstance(value, str) and value.startswith("biascheck.") and value.replace(".", "_").isidentifier()


def room_of(module: str) -> str:
    """The room a dotted name belongs to: a name that is no room of ours comes through the package's front."""
    names = module.split(".")
    known = {*ARROWS, *LOADING, *OUTSIDE, *FRONTS} - {"biascheck"}
    return names[1] if len(names) > 1 and names[1] in known else "biascheck"


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    room = room_of(module)
    allowed = may_import(room)
    return [
        f"{module}:{line} imports {name}, and {room} may import only {', '.join(sorted(allowed))}"
        for line, name in imported(source, module, is_package=is_package)
        if name.split(".")[0] == "biascheck" and room_of(name) not in allowed and not _front(name, allowed)
    ]


def _front(name: str, allowed: frozenset[str]) -> bool:
    """Whether a name is a room itself, taken from the package: ``from biascheck import stats``."""
    names = name.split(".")
    return len(names) == 2 and names[1] in allowed


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {str(path.relative_to(ROOT)): path for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])}
MODULES = {module_of(path): path for path in FILES.values() if path.suffix == ".py"}
TREES = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in MODULES.items()}
LINES = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}


def test_the_whole_package_is_looked_at():
    some = {"__init__.py", "__init__.pyi", "core/errors.py", "stats/__init__.py", "models/scoring/plan.py"}
    assert {f"biascheck/{name}" for name in some} <= FILES.keys()


def test_every_module_has_a_place():
    rooms = {room_of(module) if module.count(".") else module for module in MODULES}
    assert rooms == {*ARROWS, *LOADING, *OUTSIDE, *FRONTS}


@pytest.mark.parametrize("file", FILES)
def test_imports_point_one_way(file):
    path = FILES[file]
    found = violations(path.read_text(encoding="utf-8"), module_of(path), is_package=path.stem == "__init__")
    assert not found, "\n".join(found)


def test_the_arrows_have_no_circle():
    """Rooms can be put in an order in which each imports only earlier ones."""
    left = {room: set(below) for room, below in {**ARROWS, **LOADING}.items()}
    while free := [room for room, below in left.items() if not below & left.keys()]:
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
        ("biascheck.report.html", "from ..models import scoring"),
        ("biascheck.gates.gate", "from biascheck.report.html import write_html"),
        ("biascheck.results.result", "from biascheck.gates.gate import Gate"),
        ("biascheck.results.result", "from biascheck.runs.baseline import Baseline"),
        ("biascheck.core.store", "from biascheck.results.result import Result"),
        ("biascheck.core.wording", "from biascheck.stats import Interval"),
        ("biascheck.calibration.readings", "from biascheck.papers.grid import SentimentGrid"),
        ("biascheck.reference.world", "from biascheck.calibration.readings import read_dose"),
        ("biascheck.loading", "from biascheck.report.html import write_html"),
        ("biascheck.models.scoring.engine", "from biascheck import measures"),
        ("biascheck.models.scoring.engine", "def run():\n    from biascheck.results.result import Result"),
        ("biascheck.models.scoring.ray", "LOADER = 'biascheck.loading'"),
        ("biascheck.corpora.corpus", "if TYPE_CHECKING:\n    from biascheck.results import Result"),
        ("biascheck.corpora.corpus", "class A:\n    def f(self):\n        import biascheck.models.base as b"),
        ("biascheck.results.result", "try:\n    from biascheck.corpora import Corpus\nexcept ImportError:\n    pass"),
        ("biascheck.measures.measure", "from biascheck.mitigation import recipe_named"),
        ("biascheck.measures.measure", "from biascheck.reference.world import World"),
        ("biascheck.measures.measure", "import importlib\nimportlib.import_module('biascheck.cli')"),
        ("biascheck.testing", "from biascheck.cli import app"),
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
        ("biascheck.report.html", "from .charts import bar_chart\nfrom ..gates.gate import Gate"),
        (
            "biascheck.measures.measure",
            "from biascheck.corpora import Corpus\nfrom biascheck.core.store import caching",
        ),
        ("biascheck.models.scoring.engine", "from biascheck.models.scoring.plan import Plan\nimport biascheckers"),
        ("biascheck.testing", "from biascheck.models.fakes import TableModel"),
        ("biascheck.plugin.session", "from biascheck.report import write_html\nimport biascheck"),
    ],
)
def test_an_import_along_the_arrows_is_fine(module, source):
    assert violations(source, module) == []


def test_no_room_below_the_plugin_starts_pytest():
    """A program that is started is named by a text of its own, in a list of arguments."""
    starting = {
        module
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and node.value == "pytest")
        or (isinstance(node, ast.Import) and any(alias.name == "pytest" for alias in node.names))
    }
    assert {room_of(module) for module in starting} <= set(OUTSIDE)


def test_modules_stay_short():
    assert {module: count for module, count in LINES.items() if count > LONGEST_MODULE} == {}


def test_a_short_module_says_why_it_is_one():
    short = {
        module
        for module, path in MODULES.items()
        if LINES[module] < SHORTEST_MODULE and path.stem[:2] != "__" and module not in PUBLIC
    }
    assert short - REASONS.keys() == set(), "which topics do they belong to?"
    assert REASONS.keys() - short == set(), "they are no longer short, or are no more"


def test_no_class_name_stands_twice():
    names = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_only_public_modules_list_their_names():
    listing = {
        module
        for module, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.Assign) and any("__all__" in ast.unparse(target) for target in node.targets)
    }
    assert {module for module in listing - PUBLIC if MODULES[module].stem != "__init__"} == set()


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


def modules_in(room: Path) -> set[str]:
    """The modules of a room; a room itself is one, for tests of what it exports."""
    return {path.stem for path in room.glob("*.py") if path.stem not in ("__init__", "__main__")}


def module_of_test(path: Path) -> str | None:
    """The module that a test file names: the longest beginning of its stem, in whole words."""
    room = PACKAGE / path.parent.relative_to(TESTS)
    words = path.stem.removeprefix("test_").split("_")
    stems = ("_".join(words[:count]) for count in range(len(words), 0, -1))
    return next((stem for stem in stems if stem in modules_in(room) | {room.name}), None)


def rooms() -> list[Path]:
    return sorted({path.parent for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE})


def files_of_tests() -> list[Path]:
    """Those of rooms: what lies at the top of tests/ or in a folder of its own kind is about no single module."""
    files = TESTS.rglob("test_*.py")
    return sorted(path for path in files if path.parent != TESTS and path.relative_to(TESTS).parts[0] not in NO_ROOMS)


def test_every_test_file_names_a_module_of_its_room():
    nameless = [str(path.relative_to(ROOT)) for path in files_of_tests() if module_of_test(path) is None]
    assert not nameless, f"{nameless}: call them test_<module>.py or test_<module>_<aspect>.py"


def test_every_module_has_a_test_file_or_says_where_it_is_tested():
    own = {(path.parent.relative_to(TESTS), module_of_test(path)) for path in files_of_tests()}
    every = {(room.relative_to(PACKAGE), module) for room in rooms() for module in modules_in(room)}
    lacking = {".".join([*room.parts, module]) for room, module in every - own}
    assert lacking - TESTED_ELSEWHERE.keys() == set(), "give them a test file"
    assert TESTED_ELSEWHERE.keys() - lacking == set(), "they have a test file, or are no more"
    named = {name for places in TESTED_ELSEWHERE.values() for name in places.split()}
    assert [name for name in sorted(named) if not (TESTS / name).is_file()] == []
