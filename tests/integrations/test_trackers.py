"""A run in MLflow and in Weights & Biases, by the installed libraries, without a network."""

from dataclasses import replace

import pytest

from biascheck.core.errors import UsageError
from biascheck.gates.gate import LimitSettings, make_gate
from biascheck.integrations.trackers import scores_of_run, tags_of
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.handmade import PROVENANCE, items_of, result_of, spread


@pytest.fixture(scope="module")
def run():
    """Two results, one of which exceeds its margin."""
    first, second = (
        result_of(
            items_of(spread(centre, 0.05, 12)), corpus=name, provenance=replace(PROVENANCE, corpus_fingerprint=name)
        )
        for centre, name in ((0.5, "jobs"), (0.0, "müller=ß|x"))
    )
    gates = (
        make_gate(first, 0.2, first.interval, Verdict.EXCEEDS, LimitSettings()),
        make_gate(second, 0.2, second.interval, Verdict.WITHIN, LimitSettings()),
    )
    return Run((first, second), gates)


def test_figures_have_names_that_trackers_take_and_the_numbers_of_the_results(run):
    figures = scores_of_run(run)
    assert figures["bias/association/jobs"] == pytest.approx(0.5)
    assert figures["bias/association/jobs.low"] < 0.5 < figures["bias/association/jobs.high"]
    assert figures["bias/association/müller-ß_x"] == pytest.approx(0.0)
    assert (figures["bias/gates"], figures["bias/failed_gates"]) == (2.0, 1.0)
    assert tags_of(run)["bias.verdict"] == "FAIL"


def test_two_results_that_read_alike_stay_two(run):
    other = replace(run.results[0], provenance=replace(PROVENANCE, corpus_fingerprint="another"))
    names = [name.removesuffix(".low").removesuffix(".high") for name in scores_of_run(Run((run.results[0], other)))]
    assert len({name for name in names if name.startswith("bias/association/jobs.")}) == 2


def test_mlflow_has_metrics_tags_and_the_report(run, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="pip install mlflow, or mlflow-skinny")
    from biascheck.integrations.trackers import log_to_mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    file = tmp_path / "results.json"
    write_run(file, run)
    with mlflow.start_run() as active:
        log_to_mlflow(file, step=3)
    stored = mlflow.get_run(active.info.run_id)
    assert stored.data.metrics["bias/association/jobs"] == pytest.approx(0.5)
    assert stored.data.metrics["bias/failed_gates"] == 1.0
    assert stored.data.tags["bias.verdict"] == "FAIL"
    assert (stored.data.tags["bias.models"], stored.data.tags["bias.fingerprints"]) == ("tiny", "m" * 12)
    place = mlflow.artifacts.download_artifacts(run_id=active.info.run_id, artifact_path="bias", dst_path=str(tmp_path))
    assert read_run(tmp_path / "bias" / "results.json").verdict == "FAIL", place
    assert "FAIL" in (tmp_path / "bias" / "bias.html").read_text(encoding="utf-8")


def test_wandb_has_the_figures_and_the_verdict_offline(run, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="pip install wandb")
    from biascheck.integrations.trackers import log_to_wandb

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_SILENT", "true")
    with pytest.raises(UsageError, match=r"wandb\.init"):
        log_to_wandb(run)
    active = wandb.init(mode="offline", project="bias", dir=str(tmp_path))
    log_to_wandb(run, step=1)
    summary = dict(active.summary)
    active.finish()
    assert summary["bias/association/jobs"] == pytest.approx(0.5)
    assert summary["bias.verdict"] == "FAIL"
    assert list((tmp_path / "wandb").glob("offline-run-*/run-*.wandb"))
