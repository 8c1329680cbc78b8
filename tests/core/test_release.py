"""The extras that errors and ``biascheck doctor`` name are those of pyproject.toml, and each brings what it says."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from biascheck.core.errors import CorpusError, UsageError
from biascheck.core.release import EXTRAS, install_line, missing, require

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]
FOR_US = {"dev", "docs"}
# Where a distribution and its module have different names.
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "google.protobuf": "protobuf",
    "yaml": "pyyaml",
    "umap": "umap-learn",
    "grpc": "ray",  # by its extra [client]
}
NAMED = re.compile(r"pytest-biascheck\[([\w,-]+)\]|(?<=')\.\[([\w,-]+)\]")


def requirements(extra):
    """The names of what an extra requires, without our own."""
    names = {re.match(r"[\w-]+", one)[0] for one in DECLARED[extra]}
    return names - {"pytest-biascheck"}


def included(extra):
    """The extras of ours that an extra includes."""
    own = [re.match(r"pytest-biascheck\[(.*)\]", one) for one in DECLARED[extra]]
    return {name for match in own if match for name in match[1].split(",")}


def test_pyproject_and_the_package_name_the_same_extras():
    assert set(DECLARED) - FOR_US - {"all"} == set(EXTRAS)
    assert included("all") == set(EXTRAS)


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_the_modules_that_it_names(extra):
    assert {DISTRIBUTIONS.get(module, module) for module in EXTRAS[extra].modules} == requirements(extra)


def test_what_extras_bring_is_no_dependency_of_all():
    names = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    assert names & {name for extra in DECLARED for name in requirements(extra)} == set()
    assert not names & {"pooch", "requests", "tenacity"}


def test_the_tests_run_with_every_extra_but_the_large_one():
    assert included("dev") == set(EXTRAS) - {"umap"}


def test_every_install_line_in_this_repository_names_extras_that_exist():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    files = [ROOT / name for name in listed.split("\0") if name.endswith((".py", ".md", ".yml", ".ipynb", ".txt"))]
    if not files:
        pytest.skip("this is no clone with git")
    named = {
        (path.name, extra)
        for path in files
        if path.is_file() and path.name not in ("CHANGELOG.md", Path(__file__).name)
        for match in NAMED.findall(path.read_text(encoding="utf-8"))
        for extra in "".join(match).split(",")
    }
    assert len(named) > 10
    assert {(name, extra) for name, extra in named if extra not in DECLARED} == set()


def test_what_is_missing_is_refused_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert missing(("json", "yaml", "no_such_module", "no_such_package.module")) == [
        "yaml",
        "no_such_module",
        "no_such_package.module",
    ]
    with pytest.raises(UsageError) as error:
        require("a card", "hub", instead=", or go without")
    assert str(error.value) == (
        "a card needs yaml, which this environment does not have; install the extra with "
        "pip install 'pytest-biascheck[hub]', or go without"
    )
    with pytest.raises(CorpusError, match=r"^a table needs yaml and no_such_module, which"):
        require("a table", "arrow", ("json", "yaml", "no_such_module"), CorpusError)
    require("a table", "arrow", ("json",))
    assert install_line("worst-cases") == "pip install 'pytest-biascheck[worst-cases]'"


def without_scikit_learn():
    import numpy as np

    from biascheck.measures.geometry import _predicted, word_map
    from biascheck.measures.topics import topics_of
    from biascheck.stats.geometry import two_centres

    rows, sides = np.eye(4), np.array([1.0, 1.0, -1.0, -1.0])
    everything = np.ones(4, dtype=bool)
    return {
        "k-means": lambda: two_centres(rows, seed=0),
        "a map by t-SNE": lambda: word_map(rows, "abcd", "mmff", method="t-SNE"),
        "a support-vector machine": lambda: _predicted(rows, sides, everything),
        "a factorisation into topics": lambda: topics_of(["one text"]),
    }


@pytest.mark.parametrize(
    "what", ["k-means", "a map by t-SNE", "a support-vector machine", "a factorisation into topics"]
)
def test_without_scikit_learn_each_of_its_users_names_the_extra(what, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(UsageError, match=rf"{what} needs sklearn, .* pip install 'pytest-biascheck\[local\]'"):
        without_scikit_learn()[what]()
