"""Results as an ``.eval_results`` file of a model's repository on the Hugging Face Hub.

The Hub shows such a file on the page of the model and on the leaderboard of the data set that an entry names; see
``huggingface_hub.EvalResultEntry``. An entry must name a data set of the Hub, so that whoever publishes says which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from biascheck.errors import UsageError
from biascheck.gates.run import Run
from biascheck.report.hub_card import only_model
from biascheck.report.sentences import measured_text
from biascheck.results.result import Result
from biascheck.wording import escape_control, level_text

__all__ = ["EVERY", "data_sets_named", "eval_results_of"]

EVERY = ""
"""Stands for every corpus that is not named."""
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
NOT_IN_A_TASK = re.compile(r"[^\w]+")


def data_sets_named(given: list[str]) -> dict[str, str]:
    """The data sets of ``CORPUS=ORG/NAME``, by corpus; ``ORG/NAME`` alone is that of every other corpus."""
    found: dict[str, str] = {}
    for one in given:
        corpus, equals, hub_id = one.rpartition("=")
        if not HUB_ID.fullmatch(hub_id) or (equals and not corpus):
            raise UsageError(f"--dataset {one}: name a data set of the Hub, as in ORG/NAME or CORPUS=ORG/NAME")
        if corpus in found:
            raise UsageError(f"--dataset {one}: {corpus or 'every other corpus'} has a data set already")
        found[corpus] = hub_id
    return found


def eval_results_of(run: Run, data_sets: Mapping[str, str], model: str | None = None) -> list[dict[str, Any]]:
    """One entry for each result whose corpus has a data set; its notes have interval, items and seed."""
    name = only_model(run, model)
    results = [result for result in run.results if result.model == name]
    if unknown := sorted(set(data_sets) - {EVERY} - {result.corpus for result in results}):
        known = ", ".join(sorted({escape_control(result.corpus) for result in results}))
        raise UsageError(f"--dataset {', '.join(unknown)}: the file has no such corpus; there are: {known}")
    chosen = [(data_sets.get(result.corpus, data_sets.get(EVERY, "")), result) for result in results]
    listed = [(hub_id, result) for hub_id, result in chosen if hub_id]
    tasks = Counter((hub_id, _task(result)) for hub_id, result in listed)
    return [_entry(hub_id, result, alone=tasks[hub_id, _task(result)] == 1) for hub_id, result in listed]


def _entry(hub_id: str, result: Result, *, alone: bool) -> dict[str, Any]:
    task = _task(result) if alone else f"{_task(result)}_{result.key.digest[:8]}"
    entry = {"dataset": {"id": hub_id, "task_id": task}, "value": round(result.estimate, 6)}
    created = result.provenance.created
    return entry | ({"date": created} if created else {}) | {"notes": escape_control(_notes(result))}


def _task(result: Result) -> str:
    words = " ".join((result.measure, result.corpus_label, *result.treatment))
    return NOT_IN_A_TASK.sub("_", words).strip("_").lower()


def _notes(result: Result) -> str:
    """What the bare value leaves out; the Hub shows it beside."""
    ends = result.interval
    shown = "no interval" if ends is None else f"{level_text(ends.level)} interval {measured_text(result)[1]}"
    parity = f"parity is {result.parity:g}"
    return (
        f"{result.measure} on {result.corpus_label}; {shown}; {parity}; {result.n:,} {result.unit}; seed {result.seed}"
    )
