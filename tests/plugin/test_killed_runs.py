"""Runs that are killed at any moment: each file is absent or whole, and a baseline is the old one or the new one."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from artefacts import FILES, OUTPUTS, UPDATE

from biascheck.gates.run_files import read_run
from biascheck.results.baseline_files import read_baseline

pytestmark = pytest.mark.slow
KILLS = 30
SUITE = """
def test_many():
    for n in range(200):
        biascheck.assert_within_margin(result(n / 1000 + float(os.environ["SHIFT"]), on=f"corpus {n}"), margin=9)
"""
COMMAND = [sys.executable, "-m", "pytest", "-p", "biascheck.plugin", "-p", "no:cacheprovider", *OUTPUTS, *UPDATE]


def start(folder, shift, monkeypatch):
    monkeypatch.setenv("SHIFT", str(shift))
    with (folder / "log").open("w") as log:
        return subprocess.Popen(COMMAND, cwd=folder, stdout=log, stderr=subprocess.STDOUT)


def is_whole(path):
    """Whether a file is what its writer meant it to be, read as its readers read it."""
    if path.suffix == ".html":
        return path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    if path.name == "results.json":
        return read_run(path).headline.startswith(("PASS", "FAIL"))
    if path.suffix == ".json":
        return isinstance(json.loads(path.read_text(encoding="utf-8")), list)
    return path.read_text(encoding="utf-8").startswith("## Bias gates\n\n")


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=["KILL", "TERM"])
def test_a_killed_run_leaves_whole_files_and_the_old_or_the_new_baseline(tiny, monkeypatch, sent):
    folder, rng = tiny.folder, random.Random(0)
    (folder / "test_tiny.py").write_text(tiny.head + SUITE, encoding="utf-8")
    begun = time.monotonic()
    assert start(folder, 0.0, monkeypatch).wait() == 0
    whole_run = time.monotonic() - begun
    (folder / "baseline.json").rename(folder / "old.json")
    old = (folder / "old.json").read_bytes()
    landed = {"alive": 0, "no file": 0, "some files": 0, "all files": 0, "new baseline": 0}
    while landed["alive"] < KILLS:
        shutil.copy(folder / "old.json", folder / "baseline.json")
        for name in FILES:
            (folder / name).write_text("yesterday")
        process = start(folder, 0.5, monkeypatch)
        # most of the moments lie where the files are written
        moment = rng.uniform(0.5, 1.2) if rng.random() < 0.8 else rng.uniform(0.1, 1.0)
        try:
            process.wait(moment * whole_run)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
            landed["alive"] += 1
        process.wait()
        left = [name for name in FILES if (folder / name).exists()]
        stale = [name for name in left if (folder / name).read_text(encoding="utf-8") == "yesterday"]
        assert stale in ([], list(FILES))  # all of them only if the run had not begun
        assert [name for name in left if not stale and not is_whole(folder / name)] == []
        read_baseline(folder / "baseline.json")
        changed = (folder / "baseline.json").read_bytes() != old
        landed["no file" if not left or stale else "all files" if len(left) == 4 else "some files"] += 1
        landed["new baseline"] += changed
        if changed:
            assert len(left) == 4
    print(landed)
