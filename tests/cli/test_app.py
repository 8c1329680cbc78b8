"""The command line: what it prints and how it fails."""

import subprocess
import sys

import pytest

import biascheck
from biascheck import cli
from biascheck.core.store import caching, results_cache
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import TableModel

JOBS = ("nurse", "plumber", "judge", "baker", "pilot")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as the console script does; returns exit code, output and errors."""

    def invoke(*arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return invoke


@pytest.fixture
def result():
    targets = [(Target("he", "male"), Target("she", "female"))]
    pairs = cross([Template("{target} is a {attribute}.", "is-a")], targets, [Attribute(job) for job in JOBS])
    model = TableModel({}, prior={"he": 0.5, "she": 0.5})
    with caching(results_cache()):
        return biascheck.measures.association(model, Corpus("jobs", ("male", "female"), pairs))


def test_the_package_runs_as_a_module():
    told = subprocess.run([sys.executable, "-m", "biascheck", "--help"], capture_output=True, text=True, check=True)
    assert "calibrate" in told.stdout


def test_the_version_is_that_of_the_package(run):
    assert run("--version")[:2] == (0, f"biascheck {biascheck.__version__}\n")


def test_a_stored_result_is_drawn_again(run, result, tmp_path):
    biascheck.write_results(tmp_path / "results.json", [result])
    code, out, _ = run("report", tmp_path / "results.json")
    assert code == 0
    assert out.strip() == f"written: {tmp_path / 'results.html'}"
    assert "association" in (tmp_path / "results.html").read_text()


def test_missing_results_are_one_line(run, tmp_path):
    code, _, err = run("report", tmp_path / "none.json")
    assert code == 2
    assert err.startswith("biascheck: no results at ")
    assert "--bias-results" in err
    assert "Traceback" not in err


def test_an_unwritable_report_names_the_remedy(run, result, tmp_path):
    biascheck.write_results(tmp_path / "results.json", [result])
    (tmp_path / "file").write_text("in the way")
    code, _, err = run("report", tmp_path / "results.json", "--out", tmp_path / "file" / "bias.html")
    assert code == 2
    assert "cannot be written" in err
    assert "--out" in err


@pytest.mark.usefixtures("result")
def test_the_cache_is_counted_and_cleared(run, tmp_path):
    _, out, _ = run("cache", "info")
    assert out.startswith(f"{tmp_path / 'cache'}: ")
    assert "  1 result, " in out
    assert run("cache", "clear")[1].startswith("removed 1 result, 1 lock (")
    assert run("cache", "info")[1] == f"{tmp_path / 'cache'}: 0.0 MB\n"


def test_models_that_need_no_download_are_listed(run):
    code, out, _ = run("models")
    assert code == 0
    assert {"minilm-mlm", "reference:tiny"} <= {line.split()[0] for line in out.splitlines()}


def test_models_in_the_hubs_cache_are_listed(run, monkeypatch, tmp_path):
    snapshot = tmp_path / "models--someone--small-bert" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (snapshot.parent.parent / "refs").mkdir()
    monkeypatch.setattr("huggingface_hub.utils._cache_manager.HF_HUB_CACHE", str(tmp_path))
    assert any(line.startswith("someone/small-bert ") for line in run("models")[1].splitlines())


def test_measures_are_listed_with_needs_and_papers(run):
    code, shown, _ = run("measures")
    rows = {line.split("  ")[0]: " ".join(line.split()) for line in shown.splitlines()}
    assert code == 0
    assert rows["skew"] == "skew skew 0.05 fills masks or scores text manela2021"
    assert rows["neither gap"] == "neither gap difference 0.02 (made from GAP resolution) kurita2019"
    assert rows["sentiment delta"].endswith("rates text jentzsch2022")
    assert len(rows) >= 28


def test_debiasing_writes_a_folder_and_tells_what_it_did(run, tmp_path):
    people = [f"{who} works as a {job}." for who in ("He", "She", "My brother") for job in JOBS]
    (tmp_path / "text.txt").write_text("\n".join(people * 2), encoding="utf-8")
    out = tmp_path / "debiased"
    arguments = ("debias", "reference:tiny", "--recipe", "lora", "--text", tmp_path / "text.txt", "--out", out)
    code, shown, _ = run(*arguments)
    assert code == 0
    assert "of 30 documents changed" in shown
    assert "he → she" in shown
    assert "mean association [in brackets: Bartl et al. 2020, Table 4" in shown
    assert "absolute gap on reference:tiny → reference:tiny·lora × bec-pro-en" in shown
    assert "held-out loss on reference:tiny → reference:tiny·lora × text·held out" in shown
    assert biascheck.load(out).fingerprint != biascheck.load("reference:tiny").fingerprint
    assert run(*arguments)[0::2] == (2, f"biascheck: {out} exists; name another folder with --out, or remove it\n")


def test_debiasing_by_a_recipe_of_manela_shows_skew_and_stereotype(run, tmp_path, monkeypatch):
    """And not the table of another paper. One epoch: what is printed is asked here, not how well it learns."""
    from dataclasses import replace
    from types import MappingProxyType

    from biascheck.mitigation import RECIPES, recipes

    short = replace(RECIPES["manela2021-augmented"], epochs=1)
    monkeypatch.setattr(recipes, "RECIPES", MappingProxyType({**RECIPES, short.name: short}))
    people = [f"{who} works as a {job}." for who in ("He", "She", "My brother saw her. He") for job in JOBS]
    (tmp_path / "text.txt").write_text("\n".join(people * 2), encoding="utf-8")
    arguments = ("--recipe", short.name, "--text", tmp_path / "text.txt", "--out", tmp_path / "debiased")
    code, shown, _ = run("debias", "reference:tiny", *arguments)
    assert code == 0
    assert "Bartl" not in shown
    assert "pronouns on winograd-t2 [in brackets: Manela et al. 2021, BERT → BERT-A]" in shown
    lines = {line.strip().split("  ")[0]: line for line in shown.splitlines()}
    assert lines["stereotype"].endswith("[0.173 → 0.001]")
    assert lines["skew"].endswith("[0.438 → 0.498]")
    assert lines["F1 of female names"].endswith("[0.955 → 0.9]")
    assert "erratum: printed 0.001: the columns of this row are swapped" in shown
    assert "warning: name resolution on reference:tiny" in shown
    assert "pronoun error on reference:tiny → reference:tiny·manela2021-augmented × text·held out" in shown


def test_debiasing_by_an_unknown_recipe_names_those_there_are(run, tmp_path):
    code, _, complaint = run(
        "debias", "reference:tiny", "--recipe", "cure", "--text", tmp_path / "t.txt", "--out", tmp_path / "o"
    )
    assert code == 2
    assert complaint.startswith("biascheck: no recipe 'cure'; there are: bartl2020, ")
