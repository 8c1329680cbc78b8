"""A run in MLflow or Weights & Biases: figures as metrics, the verdict, results and report."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from biascheck.core.errors import UsageError
from biascheck.report import write_report
from biascheck.results.result import Result
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run

# A run as named numbers, the format of experiment trackers.

__all__ = ["log_to_mlflow", "log_to_wandb"]

REFUSED = re.compile(r"[^\w\-. /]")
"""Characters that MLflow refuses in a name."""


def scores_of_run(run: Run) -> dict[str, float]:
    """The estimate and interval of every result, and how many gates failed.

    No name is the beginning of another up to a slash: MLflow keeps them as files in folders.

    Names say measure, corpus and part; where two results would share one, the beginning of their digest tells them
    apart.
    """
    named = Counter(_name(result) for result in run.results)
    found: dict[str, float] = {}
    for result in run.results:
        name = _name(result)
        found |= _figures(name if named[name] == 1 else f"{name}.{result.key.digest[:8]}", result)
    caught = run.caught
    failed = sum(not gate.passed and gate not in caught for gate in run.gates)
    return found | {"bias/gates": float(len(run.gates)), "bias/failed_gates": float(failed)}


def tags_of(run: Run) -> Mapping[str, str]:
    """The tags of a run: the verdict and its reasons, and the measured models."""
    return {
        "bias.verdict": run.verdict,
        "bias.reasons": "; ".join(run.failures),
        "bias.counts": run.counts,
        "bias.models": ", ".join(sorted({result.model_label for result in run.results})),
        "bias.fingerprints": ", ".join(sorted({result.provenance.model_fingerprint[:12] for result in run.results})),
    }


def _figures(name: str, result: Result) -> dict[str, float]:
    ends = result.interval
    return {name: result.estimate} | ({} if ends is None else {f"{name}.low": ends.low, f"{name}.high": ends.high})


def _name(result: Result) -> str:
    about = ".".join((result.corpus_label, *result.treatment))
    return "/".join(REFUSED.sub("_", part.replace("=", "-")) for part in ("bias", result.measure, about))


# A run in MLflow: figures as metrics, the verdict as tags, results and report as artefacts.


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


# A run in Weights & Biases: figures, the verdict in the summary, results and report as an artefact.


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
