"""Whatever users copy uses public names only: suites, docs, README, examples and the files of ``biascheck init``.

Public are ``biascheck.X``, the names of the rooms in ROOMS, those of each integration, and nothing below them.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import biascheck

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("corpora", "extend", "measures", "mitigation", "models", "papers", "testing")
PYTHON_BLOCK = re.compile(r"^(?P<indent> *)```(?:python|py|pycon)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.M | re.S)
DOCTEST = re.compile(r"^(?:>>>|\.\.\.) ?(.*)$", re.M)


def private_names(source: str) -> Iterator[str]:
    """Every use of biascheck in a source text that goes past its public names, with the line."""
    tree = ast.parse(source)
    front, rooms = {"biascheck"}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _imported(node, alias.name.split("."))
                if alias.name == "biascheck":
                    front.add(alias.asname or alias.name)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                path = [*node.module.split("."), alias.name]
                yield from _imported(node, path)
                if path[0] == "biascheck" and path[-1] in ROOMS and len(path) == 2:
                    rooms[alias.asname or alias.name] = alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (path := _path(node, front, rooms)):
            yield from _imported(node, path)


def _imported(node: ast.stmt | ast.expr, path: list[str]) -> Iterator[str]:
    if path[0] == "biascheck" and not is_public(path[1:]):
        yield f"{node.lineno}: {'.'.join(path)}"


def is_public(path: list[str]) -> bool:
    match path:
        case [] | ["*"]:
            return True
        case [name]:
            return name in ROOMS or name in biascheck.__all__
        case [room, name]:
            return room in ROOMS and name in importlib.import_module(f"biascheck.{room}").__all__
        case ["integrations", module, name]:  # each imported only where its library is
            return name in importlib.import_module(f"biascheck.integrations.{module}").__all__
        case _:
            return False


def _path(node: ast.Attribute, front: set[str], rooms: dict[str, str]) -> list[str]:
    """``bc.corpora.Corpus.of`` as biascheck, corpora, Corpus: what is beyond a name of a room is that thing's own."""
    names = [node.attr]
    inner = node.value
    while isinstance(inner, ast.Attribute):
        names.insert(0, inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        return []
    if inner.id in front:
        return ["biascheck", *names[: 2 if names[0] in ROOMS else 1]]
    return ["biascheck", rooms[inner.id], names[0]] if inner.id in rooms else []


def code_of(path: Path) -> list[tuple[int, str]]:
    """The Python of a file, each piece with the line before it: all of a module, the code blocks of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md":
        return [(0, text)]
    found = []
    for block in PYTHON_BLOCK.finditer(text):
        code = dedent(block["code"])
        if ">>>" in code:
            code = "\n".join(DOCTEST.findall(code))
        found.append((text[: block.start("code")].count("\n"), code))
    return found


FILES = [
    *sorted((ROOT / "suites").rglob("*.py")),
    *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "biascheck" / "cli" / "templates").glob("*.py.txt")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "suites").rglob("*.md")),
    ROOT / "README.md",
    ROOT / "conftest.py",
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_users_copy_uses_public_names_only(path):
    found = [
        f"{path.relative_to(ROOT)}: line {line} of the code after line {start}: {name}"
        for start, code in code_of(path)
        for line, name in (entry.split(": ", 1) for entry in private_names(code))
    ]
    assert not found, "\n".join(found)


def test_there_is_something_to_look_at():
    names = {path.name for path in FILES}
    assert {"README.md", "own-measure.md", "test_own.py.txt", "test_sentiment_delta.py"} <= names
    assert sum(len(code_of(path)) for path in FILES if path.suffix == ".md") > 20


@pytest.mark.parametrize(
    "source",
    [
        "from biascheck.results.result import Result",
        "import biascheck.models.local.loader",
        "from biascheck import stats",
        "from biascheck.corpora import sentence",
        "from biascheck.corpora.bec_pro import bec_pro",
        "import biascheck as bc\nbc.results.Result",
        "import biascheck as bc\nbc.measures.declaration.measure",
        "from biascheck import corpora as c\nc.datasets",
        "def test():\n    from biascheck.plugin import settings",
    ],
)
def test_a_private_name_is_noticed(source):
    assert list(private_names(source))


@pytest.mark.parametrize(
    "source",
    [
        "import biascheck as bc\nbc.measures.association(bc.load('x'), bc.corpora.bec_pro())",
        "from biascheck import Result, assert_within_margin, corpora\ncorpora.Corpus.nothing",
        "from biascheck.extend import summarise, ItemScore\nfrom biascheck import UsageError",
        "import pytest\nfrom handmade import items_of\nbiascheckers.private.name",
        "import biascheck\nbiascheck.__version__",
    ],
)
def test_a_public_name_is_fine(source):
    assert list(private_names(source)) == []
