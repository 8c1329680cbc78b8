"""An .eval_results file, read back by the Hub's own library."""

import sys
from dataclasses import replace

import pytest
import yaml

from biascheck import cli
from biascheck.core.errors import UsageError
from biascheck.report.cards import data_sets_named, eval_results_of
from biascheck.runs.file import write_run
from biascheck.runs.run import Run
from support.handmade import items_of, result_of, spread

huggingface_hub = pytest.importorskip("huggingface_hub")


@pytest.fixture
def run():
    """Two corpora, and one of them once more with other options."""
    first, second = (result_of(items_of(spread(0.3, 1.0, 12)), corpus=name) for name in ("jobs", "names"))
    again = replace(first, provenance=replace(first.provenance, options={"multi_token": "first"}))
    return Run((first, second, again))


def test_the_hub_reads_the_entries_back(run):
    entries = eval_results_of(run, {"jobs": "org/jobs", "": "org/rest"})
    found = huggingface_hub.parse_eval_result_entries(entries)
    assert [(one.dataset_id, one.value) for one in found] == [("org/jobs", 0.3), ("org/rest", 0.3), ("org/jobs", 0.3)]
    assert found[1].task_id == "association_names"
    assert {found[0].task_id, found[2].task_id} == {
        f"association_jobs_{result.key.digest[:8]}" for result in run.results[::2]
    }
    assert found[0].date == "2024-05-01T12:00:00+00:00"
    assert "parity is 0; 12 pairs; seed 0" in found[0].notes
    assert huggingface_hub.eval_result_entries_to_yaml(found) == entries


def test_a_corpus_without_a_data_set_is_left_out(run):
    assert [entry["dataset"]["id"] for entry in eval_results_of(run, {"names": "org/names"})] == ["org/names"]
    with pytest.raises(UsageError, match="no such corpus; there are: jobs, names"):
        eval_results_of(run, {"nams": "org/names"})


@pytest.mark.parametrize(
    "given", [["names"], ["jobs=names"], ["=org/name"], ["a=org/x", "a=org/y"], ["org/x", "org/y"]]
)
def test_a_data_set_that_nobody_can_find_is_refused(given):
    with pytest.raises(UsageError, match="--dataset"):
        data_sets_named(given)


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["biascheck", "card", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


@pytest.mark.takes_seconds
def test_the_command_writes_the_file_beside_the_card(run, tmp_path, monkeypatch, capsys):
    write_run(tmp_path / "results.json", run)
    target = tmp_path / ".eval_results" / "bias.yaml"
    outputs = ("--out", tmp_path / "card.md", "--eval-results", target)
    assert command(monkeypatch, tmp_path / "results.json", *outputs, "--dataset", "org/bias") == 0
    assert capsys.readouterr().out == f"written: {target}\nwritten: {tmp_path / 'card.md'}\n"
    assert len(huggingface_hub.parse_eval_result_entries(yaml.safe_load(target.read_text(encoding="utf-8")))) == 3
    assert command(monkeypatch, tmp_path / "results.json", "--eval-results", target) == 2
    assert "--dataset ORG/NAME go together" in capsys.readouterr().err
