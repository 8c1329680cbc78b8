"""Model cards: for the report, a fragment for the Hub, an ``.eval_results`` file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from biascheck.core.errors import UsageError
from biascheck.core.release import require
from biascheck.core.wording import escape_control, level_text, only_uncorrected_text, tally, verdict_text
from biascheck.gates.gate import Gate
from biascheck.report.words import SPECIAL, measured_text
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict

# The cards of the report, one for each model.

FINGERPRINT_LENGTH = 12
MARKUP = {code: shown for code, shown in SPECIAL.items() if chr(code) not in "()"}


@dataclass(frozen=True)
class ModelCard:
    """A model, how it was measured, and the outcome of its gates."""

    name: str
    verdict: str
    tally: str
    fingerprints: tuple[str, ...]
    seeds: tuple[int, ...]
    measured: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    versions: tuple[str, ...]
    results: int


def model_cards(results: Sequence[Result], gates: Sequence[Gate]) -> tuple[ModelCard, ...]:
    """One card for every model that has a result or a gate, in their order."""
    names = dict.fromkeys([*(result.model_label for result in results), *(gate.model_label for gate in gates)])
    return tuple(
        _card(name, [r for r in results if r.model_label == name], [g for g in gates if g.model_label == name])
        for name in names
    )


def _card(name: str, results: Sequence[Result], gates: Sequence[Gate]) -> ModelCard:
    provenances = [result.provenance for result in results]
    dates = sorted({provenance.created for provenance in provenances if provenance.created})
    versions = _distinct(f"{library} {v}" for p in provenances for library, v in p.versions.items())
    return ModelCard(
        name=name,
        verdict=next((str(verdict) for verdict in Verdict if any(gate.verdict is verdict for gate in gates)), "none"),
        tally=tally(gates),
        fingerprints=_distinct(short_fingerprint(p.model_fingerprint) for p in provenances if p.model_fingerprint),
        seeds=tuple(sorted({r.seed for r in results} | {g.seed for g in gates})),
        measured=_distinct(when(date) for date in (*dates[:1], *dates[-1:])),
        about=tuple(dict.fromkeys(fact for p in provenances for fact in p.model.items())),
        versions=versions,
        results=len(results),
    )


def short_fingerprint(fingerprint: str) -> str:
    """The first characters of a fingerprint: enough to tell two models apart."""
    return fingerprint[:FINGERPRINT_LENGTH]


def when(created: str) -> str:
    """A date and time to the minute; other text is returned unchanged."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


# A fragment for a model card on the Hugging Face hub: metadata that the hub indexes, and a section to read.
#
# The metadata is the ``model-index`` of the hub's specification; ``huggingface_hub.ModelCardData`` reads it.

CARD_LIMITS = (
    "A measured gap is evidence about a model's probabilities in template sentences. "
    "It is not proof of harm, and its absence is not proof of fairness."
)


def hub_card_of(run: Run, model: str | None = None) -> str:
    """The YAML block of ``model-index``, then a Markdown section with every result and its gates."""
    require("a model card", "hub")
    import yaml

    name = only_model(run, model)
    results = [result for result in run.results if result.model == name]
    metadata = yaml.safe_dump({"model-index": model_index(name, results)}, allow_unicode=True, sort_keys=False)
    return escape_control(f"---\n{metadata}---\n\n{_section(run, results)}", lines=True)


def model_index(name: str, results: Sequence[Result]) -> list[dict[str, Any]]:
    """The results as the hub's metadata: one entry per result, the corpus as data set, the estimate as metric."""
    return [{"name": escape_control(name), "results": [_entry(result) for result in results]}]


def _entry(result: Result) -> dict[str, Any]:
    metric: dict[str, Any] = {
        "type": escape_control(result.measure).replace(" ", "_"),
        "value": round(result.estimate, 6),
        "name": escape_control(result.measure),
        "args": {"statistic": result.statistic, "n": result.n, "seed": result.seed, "parity": result.parity},
    }
    if result.interval is not None:
        interval = result.interval
        metric["args"] |= {"low": round(interval.low, 6), "high": round(interval.high, 6), "level": interval.level}
    return {
        "task": {"type": "bias-evaluation", "name": "Bias evaluation"},
        "dataset": {
            "type": "biascheck",
            "name": escape_control(result.corpus_label),
            "args": {"corpus_fingerprint": result.provenance.corpus_fingerprint},
        },
        "metrics": [metric],
    }


def _section(run: Run, results: Sequence[Result]) -> str:
    gates: dict[ResultKey, list[Gate | None]] = {}
    for gate in run.gates:
        gates.setdefault(gate.key, []).append(gate)
    lines = [
        "## Bias",
        "",
        "Measured with pytest-biascheck.",
        "",
        "| measure | corpus | estimate | interval | level | allowed | family | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    judged = [(result, gate) for result in results for gate in gates.get(result.key, [None])]
    for result, found in judged:
        *figures, verdict = _figures(result, found)
        cells = (_plain(result.measure), _plain(result.corpus_label), *figures, _plain(verdict))
        lines.append(f"| {' | '.join(cells)} |")
    cautions = dict.fromkeys(warning for result in results for warning in result.warnings)
    lines += [
        "",
        *(f"- Caution: {_plain(caution)}" for caution in cautions),
        *([""] if cautions else []),
        CARD_LIMITS,
    ]
    lines += ["", f"The run: {_plain(run.headline)}."]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Text that a page shows as it is: no tag, link, cell or mention; with brackets escaped, (…) makes no link."""
    return escape_control(text).translate(MARKUP)


def _figures(result: Result, gate: Gate | None) -> tuple[str, ...]:
    """Estimate, interval and its level, margin, family and verdict: of the gate, where there is one."""
    if gate is None:
        return *measured_text(result), _level(result.interval), "–", "–", "not judged"
    family = f"{gate.family} gates" if gate.family > 1 else "alone"
    return gate.estimate_text, gate.interval_text, _level(gate.interval), gate.allowed, family, _verdict(gate)


def _level(interval: Interval | None) -> str:
    return "–" if interval is None else level_text(interval.level)


def _verdict(gate: Gate) -> str:
    """The verdict, whether it was accepted, and why it is not the one that interval and margin alone would give."""
    words = verdict_text(gate.verdict, gate.passed)
    return f"{words}: {reason}" if (reason := _reason(gate)) else words


def _reason(gate: Gate) -> str:
    if gate.verdict is Verdict.INVALID:
        return gate.inability
    if gate.verdict is not Verdict.INCONCLUSIVE:
        return ""
    if gate.too_many_skipped:
        return f"{gate.skipped:,} of {gate.n + gate.skipped:,} {gate.unit} were skipped"
    if gate.interval is None:
        return "too few clusters for an interval"
    low, high = gate.region
    if gate.interval.low > high or (gate.bound == "within" and gate.interval.high < low):
        corrected = 1 - (1 - gate.interval.level) / gate.family
        return f"exceeds on its own; {only_uncorrected_text(gate.family, corrected)}"
    return ""


def only_model(run: Run, model: str | None) -> str:
    """The model that is named, or the only one of the run."""
    found = sorted({result.model for result in run.results})
    if model is None and len(found) == 1:
        return found[0]
    if model in found:
        return str(model)
    if not found:
        raise UsageError("the file has no results; measure with pytest --bias-results FILE")
    raise UsageError(f"the file has results of {', '.join(found)}; name one with --model")


# Results as an ``.eval_results`` file of a model's repository on the Hugging Face Hub.
#
# The Hub shows such a file on the page of the model and on the leaderboard of the data set that an entry names;
# see ``huggingface_hub.EvalResultEntry``. An entry must name a data set of the Hub, so the user has to give one.

EVERY = ""
"""The key of every corpus that is not named."""
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
    return [_eval_entry(hub_id, result, alone=tasks[hub_id, _task(result)] == 1) for hub_id, result in listed]


def _eval_entry(hub_id: str, result: Result, *, alone: bool) -> dict[str, Any]:
    task = _task(result) if alone else f"{_task(result)}_{result.key.digest[:8]}"
    entry = {"dataset": {"id": hub_id, "task_id": task}, "value": round(result.estimate, 6)}
    created = result.provenance.created
    return entry | ({"date": created} if created else {}) | {"notes": escape_control(_notes(result))}


def _task(result: Result) -> str:
    words = " ".join((result.measure, result.corpus_label, *result.treatment))
    return NOT_IN_A_TASK.sub("_", words).strip("_").lower()


def _notes(result: Result) -> str:
    """Notes that the Hub shows beside the value: interval, parity, items, seed."""
    ends = result.interval
    shown = "no interval" if ends is None else f"{level_text(ends.level)} interval {measured_text(result)[1]}"
    parity = f"parity is {result.parity:g}"
    return (
        f"{result.measure} on {result.corpus_label}; {shown}; {parity}; {result.n:,} {result.unit}; seed {result.seed}"
    )
