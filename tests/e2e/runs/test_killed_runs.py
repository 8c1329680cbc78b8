"""Runs that are killed at any moment: each file is absent or whole, and a baseline is the old one or the new one."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from biascheck.runs.baseline import read_baseline
from biascheck.runs.file import read_run
from support.artefacts import FILES, OUTPUTS, UPDATE

pytestmark = pytest.mark.slow
KILLS = 30
YESTERDAY = "<!-- written by biascheck -->\nyesterday"
OLD, NEW = ([round(n / 1000 + shift, 3) for n in range(60)] for shift in (0.0, 0.5))
SUITE = """
def test_many():
    for n in range(60):
        biascheck.assert_within_margin(result(n / 1000 + float(os.environ["SHIFT"]), on=f"corpus {n}"), margin=9)
    open("measured", "w").close()
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


def wait_for(process, mark):
    while process.poll() is None and not mark.exists():
        time.sleep(0.001)


def kill_somewhere(process, mark, rng, sent, ending):
    """Kill a run at a random moment: mostly while it writes its files, at times before. Say whether it was alive."""
    if rng.random() < 0.8:
        wait_for(process, mark)
        time.sleep(rng.uniform(0, ending))
    else:
        time.sleep(rng.uniform(0, ending))
    alive = process.poll() is None
    process.send_signal(sent)
    process.wait()
    return alive


def state_of(folder):
    """How many files a run has left; each of them is whole, or all are those of yesterday."""
    left = [name for name in FILES if (folder / name).exists()]
    stale = [name for name in left if (folder / name).read_text(encoding="utf-8") == YESTERDAY]
    if stale:
        assert stale == list(FILES)  # the run had not begun
        return 0
    assert [name for name in left if not is_whole(folder / name)] == []
    return len(left)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=["KILL", "TERM"])
def test_a_killed_run_leaves_whole_files_and_the_old_or_the_new_baseline(tiny, monkeypatch, sent):
    folder, rng = tiny.folder, random.Random(0)
    (folder / "test_tiny.py").write_text(tiny.head + SUITE, encoding="utf-8")
    process = start(folder, 0.0, monkeypatch)
    wait_for(process, folder / "measured")
    begun = time.monotonic()
    assert process.wait() == 0
    ending = time.monotonic() - begun
    (folder / "baseline.json").rename(folder / "old.json")
    landed = Counter()
    while landed["alive"] < KILLS:
        shutil.copy(folder / "old.json", folder / "baseline.json")
        (folder / "measured").unlink(missing_ok=True)
        for name in FILES:
            (folder / name).write_text(YESTERDAY)
        landed["alive"] += kill_somewhere(start(folder, 0.5, monkeypatch), folder / "measured", rng, sent, ending)
        files = state_of(folder)
        landed[f"{files} files"] += 1
        found = sorted(round(entry.estimate, 3) for entry in read_baseline(folder / "baseline.json").entries)
        assert found in (OLD, NEW)
        landed["new baseline"] += found == NEW
        assert found == OLD or files == len(FILES)  # the baseline is written last
    print(sent.name, dict(landed))
