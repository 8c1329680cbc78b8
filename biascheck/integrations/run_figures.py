"""A run as plain numbers by name, as trackers of experiments take them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from biascheck.gates.run import Run
from biascheck.results.result import Result

__all__ = ["scores_of_run", "tags_of"]

REFUSED = re.compile(r"[^\w\-. /]")
"""What MLflow does not take in a name."""


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
    """What a reader filters runs by: the verdict and why, and which models were measured."""
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
