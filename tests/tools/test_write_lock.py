"""The lock: every version that is needed here, and nothing of where it came from."""

import importlib.util
import re
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
SPEC = importlib.util.spec_from_file_location("write_lock", ROOT / "tools" / "write_lock.py")
write_lock = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(write_lock)
INSTALLED = {
    "mine": ("1.0", ["Torch>=2", "both", "only-dev; extra == 'dev'", "only-gpu; extra == 'gpu'"]),
    "torch": ("2.13.0+cpu", ["old-python; python_version < '3'", "both"]),
    "both": ("0.1", ["ring[more]"]),
    "ring": ("2", ["mine", "extra-of-ring; extra == 'more'"]),
    "extra-of-ring": ("3.post1", []),
    "only-dev": ("4", None),
    "beside": ("5", []),
}


class Installed:
    def __init__(self, name):
        if (name := canonicalize_name(name)) not in INSTALLED:
            raise PackageNotFoundError(name)
        self.version, self.requires = INSTALLED[name]


def test_it_has_what_is_needed_and_nothing_beside():
    first, *lines = write_lock.lock("mine[dev]", Installed).splitlines()
    assert lines == ["both==0.1", "extra-of-ring==3.post1", "only-dev==4", "ring==2", "torch==2.13.0"]
    assert re.match(r"# Tested on Python 3\.\d+\.\d+, \w+ \w+; `make lock` writes this file", first)


def test_what_is_needed_and_absent_is_named():
    with pytest.raises(SystemExit, match='only-gpu; extra == "gpu" is not installed; run make lock'):
        write_lock.lock("mine[gpu]", Installed)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_a_lock_says_for_which_machine_it_is_and_has_versions_only(path):
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    python, system, machine = re.fullmatch(r"py3(\d+)-(\w+?)-(\w+)", path.stem).groups()
    assert re.match(rf"# Tested on Python 3\.{python}\.\d+, {system} {machine};", first)
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.!]+", line)] == []
    assert lines == sorted(lines)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_a_permitted_version_of_everything_that_is_required(path):
    versions = dict(line.split("==") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *(one for name in extras if name != "umap" for one in extras[name])]
    wanted = [one for one in map(Requirement, listed) if one.name != project["name"]]
    assert [str(one) for one in wanted if not one.specifier.contains(versions[canonicalize_name(one.name)])] == []
    assert f"torch=={versions['torch']}" in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
