"""A run in Weights & Biases: figures, the verdict in the summary, results and report as an artefact."""

from __future__ import annotations

import tempfile
from pathlib import Path

from biascheck.errors import UsageError
from biascheck.gates.run import Run
from biascheck.gates.run_files import read_run, write_run
from biascheck.integrations.run_figures import scores_of_run, tags_of
from biascheck.report import write_report

__all__ = ["log_to_wandb"]


def log_to_wandb(run: Run | str | Path, *, step: int | None = None, name: str = "bias") -> None:
    """Log a run, or the results file of one, to the active run of Weights & Biases.

    Figures are logged with their intervals; the summary has the verdict and its reasons; results and HTML report make
    an artefact called ``name``.
    """
    import wandb

    if wandb.run is None:
        raise UsageError("no run of Weights & Biases is active; call wandb.init(…) first")
    found = run if isinstance(run, Run) else read_run(Path(run))
    wandb.run.log(scores_of_run(found), step=step, commit=True)
    wandb.run.summary.update(dict(tags_of(found)))
    artefact = wandb.Artifact(name, type="bias-report", metadata=dict(tags_of(found)))
    with tempfile.TemporaryDirectory() as place:
        write_run(Path(place) / "results.json", found)
        write_report(Path(place) / "bias.html", found)
        artefact.add_dir(place)
        wandb.run.log_artifact(artefact)
