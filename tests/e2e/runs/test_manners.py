"""The plugin is free and silent in test runs that have nothing to do with bias."""

import subprocess
import sys

import pytest

HEAVY = "torch transformers tokenizers scipy numpy pandas sklearn"
PROBE = f"""
import sys
import pytest

class Look:
    def pytest_unconfigure(self):
        heavy = [name for name in {HEAVY.split()!r} if name in sys.modules]
        print("HEAVY:", heavy, "PLUGIN:", "biascheck.plugin" in sys.modules)

sys.exit(pytest.main(["-p", "biascheck.plugin", *sys.argv[1:]], plugins=[Look()]))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["test_unrelated.py"], ["--fixtures", "test_unrelated.py"]])
def test_nothing_heavy_is_imported(tmp_path, arguments):
    (tmp_path / "test_unrelated.py").write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    run = subprocess.run([sys.executable, "-c", PROBE, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "HEAVY: [] PLUGIN: True" in run.stdout


def test_a_baseline_in_the_settings_costs_an_unrelated_run_nothing(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.biascheck]\nbaseline = "baseline.json"\n')
    (tmp_path / "baseline.json").write_text('{"kind": "biascheck baseline", "schema": 1, "items": [], "entries": []}')
    (tmp_path / "test_unrelated.py").write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "HEAVY: [] PLUGIN: True" in run.stdout
    assert "bias gates" not in run.stdout


def test_every_flag_starts_with_bias(pytester):
    text = pytester.runpytest("-p", "biascheck.plugin", "--help").stdout.str()
    section = text.split("bias in language models (biascheck):")[1].split("\n\n")[0]
    flags = [word for line in section.splitlines() for word in line.split()[:1] if word.startswith("-")]
    assert "--bias-model=MODEL" in flags
    assert all(flag.startswith("--bias-") for flag in flags)
