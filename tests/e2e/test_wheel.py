"""From the built wheel, in a virtual environment of its own: ``biascheck init``, then ``pytest bias/``."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def call(*command, cwd, **environment):
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "BIASCHECK_DATA")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel that is built from the source distribution, as an index would receive it."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = [path for path in folder.iterdir() if path.is_dir()]
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An empty environment with the wheel; torch and the like are borrowed from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    (site,) = folder.rglob("site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    call(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    where = call(python, "-c", "import biascheck; print(biascheck.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(folder)
    return python


def test_the_wheel_carries_every_suite(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    suites = {path.relative_to(ROOT / "suites").as_posix() for path in (ROOT / "suites").rglob("*.py")}
    assert {f"biascheck/suites/{name}" for name in suites} <= inside
    assert {"biascheck/suites/margins.toml", "biascheck/cli/templates/github.yml"} <= inside
    assert not any("__pycache__" in name for name in inside)


def test_init_and_pytest_work_in_an_empty_folder(environment, tmp_path):
    """With the suites that the parity standard can serve: its states mean little, and it has no bias to reduce."""
    chosen = ("bartl2020", "kurita2019", "manela2021")
    call(environment, "-m", "biascheck", "init", "--suites", ",".join(chosen), "--ci", "both", cwd=tmp_path)
    shown = call(
        environment, "-m", "pytest", "bias/", "--bias-model", "reference:parity", "-q", "-p", "no:cacheprovider",
        cwd=tmp_path, BIASCHECK_CACHE=str(tmp_path / "cache"),
    )  # fmt: skip
    assert "reference:parity: passed " in shown
    for suite in chosen:
        assert f"  {suite} " in shown
