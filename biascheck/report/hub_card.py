"""A fragment for a model card on the Hugging Face hub: metadata that the hub indexes, and a section to read.

The metadata is the ``model-index`` of the hub's specification; ``huggingface_hub.ModelCardData`` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.errors import UsageError
from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.release import require
from biascheck.report.sentences import measured_text
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.stats import Interval, Verdict
from biascheck.wording import escape_control, level_text, verdict_text

__all__ = ["hub_card_of", "model_index", "only_model"]

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
    """The results as the hub's metadata: one entry a result, the corpus as data set, the estimate as metric."""
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
        "| measure | corpus | estimate | interval | level | allowed | judged together | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    judged = [(result, gate) for result in results for gate in gates.get(result.key, [None])]
    for result, found in judged:
        cells = (result.measure, result.corpus_label, *_figures(result, found))
        lines.append(f"| {' | '.join(escape_control(cell).replace('|', '&#124;') for cell in cells)} |")
    cautions = dict.fromkeys(warning for result in results for warning in result.warnings)
    lines += [
        "",
        *(f"- Caution: {escape_control(caution)}" for caution in cautions),
        *([""] if cautions else []),
        CARD_LIMITS,
    ]
    lines += ["", f"The run: {escape_control(run.headline)}."]
    return "\n".join(lines) + "\n"


def _figures(result: Result, gate: Gate | None) -> tuple[str, ...]:
    """Estimate, interval and its level, allowed, family and verdict: of the gate, where there is one."""
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
        needed = level_text(1 - (1 - gate.interval.level) / gate.family)
        return f"outside alone, but not at the {needed} that {gate.family} gates judged together need"
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
