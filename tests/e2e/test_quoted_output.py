"""What the documentation shows of a run is what that run prints."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> str:
    """The output of pytest in the project, on one line."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return " ".join(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split())


def blocks(page: str, start: str) -> list[str]:
    """The code blocks of a page that begin with these words."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for body in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL) if body.startswith(start)]


def test_the_test_in_the_readme_prints_the_finding_below_it(tmp_path):
    (test,) = blocks("README.md", "# bias/test_jobs.py")
    (shown,) = blocks("README.md", "typical gap on reference:workforce")
    (tmp_path / "test_jobs.py").write_text(test, encoding="utf-8")
    assert " ".join(shown.split()) in run(
        str(tmp_path), "--rootdir", str(tmp_path), "--bias-model", "reference:workforce"
    )


def test_the_finding_on_the_workforce_is_the_one_shown():
    printed = run("suites/bartl2020/test_english.py", "-k", "profession_group", "--bias-model", "reference:workforce")
    (shown,) = blocks("docs/gate-your-model.md", "association on reference:workforce")
    finding, size = re.fullmatch(r"(.*) (\(.*\))", " ".join(shown.split())).groups()
    assert finding in printed
    assert size in printed


def test_the_terminal_section_is_the_one_shown():
    printed = run("suites/kurita2019", "--bias-model", "reference:tiny")
    (shown,) = blocks("docs/gate-your-model.md", "FAIL: 9 tests failed a gate")
    for line in shown.splitlines():
        assert " ".join(line.split("…")[0].split()) in printed
