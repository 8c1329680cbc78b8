"""The light install: everything but local models works where torch and transformers cannot be imported."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "transformers", "tokenizers", "safetensors", "huggingface_hub", "peft", "accelerate")
BLOCK = f"""
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Block())
"""
MEASURE = """
from pathlib import Path
import biascheck
from biascheck.runs.baseline import read_baseline, write_baseline
from biascheck.runs.baseline import Baseline

def rate(texts):
    return [0.75 if "great" in text else 0.25 for text in texts]

pairs = biascheck.corpora.review_pairs(biascheck.corpora.reviews("test"))
result = biascheck.measures.sentiment_delta(biascheck.as_classifier(rate, name="words"), pairs)
assert result.estimate == 0.0
gate = biascheck.assert_no_sentiment_delta(result, margin=0.05, competence="ignore", reason="two words")
for name in ("before.json", "after.json"):
    biascheck.write_results(Path(name), [result])
write_baseline(Path("baseline.json"), Baseline((result,)))
assert read_baseline(Path("baseline.json")).find(result) is not None
assert biascheck.compare(result, result).change == 0

try:
    biascheck.load("minilm-mlm")
except biascheck.ModelError as error:
    assert "pip install 'pytest-biascheck[local]'" in str(error), error
else:
    raise AssertionError("a model was loaded without torch")
assert not {"torch", "transformers"} & sys.modules.keys()
"""
COMMANDS = (
    ("measures",),
    ("models",),
    ("report", "before.json", "--out", "report.html"),
    ("card", "before.json"),
    ("compare", "before.json", "after.json", "--report", "comparison.html"),
    ("compare", "baseline.json", "after.json"),
    ("init", "project", "--model", "openai:http://127.0.0.1:1/v1#name"),
)


def python(code, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BIASCHECK_CACHE": str(folder / "cache")}
    arguments = [sys.executable, "-c", BLOCK + code]
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_functions_files_and_commands_need_no_torch(tmp_path):
    commands = f"""
from biascheck import cli
for command in {COMMANDS!r}:
    sys.argv = ["biascheck", *command]
    try:
        cli.main()
    except SystemExit as left:
        assert left.code in (0, None), command
"""
    done = python(MEASURE + commands, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    workflow = (tmp_path / "project" / ".github" / "workflows" / "bias.yml").read_text(encoding="utf-8")
    assert "pip install 'pytest-biascheck==" in workflow  # a served model needs no extra


def test_the_package_itself_depends_on_nothing_heavy():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = " ".join(project["dependencies"])
    assert not [name for name in HEAVY if name in core]
    extra = " ".join(project["optional-dependencies"]["local"])
    assert all(name in extra for name in HEAVY[:4])
