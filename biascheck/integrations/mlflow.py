"""A run in MLflow: figures as metrics, the verdict as tags, results and report as artefacts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from biascheck.gates.run import Run
from biascheck.gates.run_files import read_run, write_run
from biascheck.integrations.run_figures import scores_of_run, tags_of
from biascheck.report import write_report

__all__ = ["log_to_mlflow"]


def log_to_mlflow(run: Run | str | Path, *, step: int | None = None, folder: str = "bias") -> None:
    """Log a run, or the results file of one, to the active MLflow run (one is started where there is none).

    Metrics are the figures with their intervals and the number of failed gates; tags the verdict and its reasons; the
    artefacts ``results.json`` and ``bias.html`` go into ``folder``.
    """
    import mlflow

    found = run if isinstance(run, Run) else read_run(Path(run))
    mlflow.log_metrics(scores_of_run(found), step=step)
    mlflow.set_tags(dict(tags_of(found)))
    with tempfile.TemporaryDirectory() as place:
        write_run(Path(place) / "results.json", found)
        write_report(Path(place) / "bias.html", found)
        mlflow.log_artifacts(place, artifact_path=folder)
