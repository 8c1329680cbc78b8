"""A fragment for a model card on the Hugging Face hub: metadata that the hub indexes, and a section to read.

The metadata is the ``model-index`` of the hub's specification; ``huggingface_hub.ModelCardData`` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.errors import UsageError
from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.results.result import Result
from biascheck.wording import figure

__all__ = ["card_of", "model_index"]

LIMITS = (
    "A measured gap is evidence about a model's probabilities in template sentences. "
    "It is not proof of harm, and its absence is not proof of fairness."
)


def card_of(run: Run, model: str | None = None) -> str:
    """The YAML block of ``model-index``, then a Markdown section with every result and its gate."""
    import yaml

    name = _only_model(run, model)
    results = [result for result in run.results if result.model == name]
    metadata = yaml.safe_dump({"model-index": model_index(name, results)}, allow_unicode=True, sort_keys=False)
    return f"---\n{metadata}---\n\n{_section(run, name, results)}"


def model_index(name: str, results: Sequence[Result]) -> list[dict[str, Any]]:
    """The results as the hub's metadata: one entry a result, the corpus as data set, the estimate as metric."""
    return [{"name": name, "results": [_entry(result) for result in results]}]


def _entry(result: Result) -> dict[str, Any]:
    metric: dict[str, Any] = {
        "type": result.measure.replace(" ", "_"),
        "value": round(result.estimate, 6),
        "name": result.measure,
        "args": {"statistic": result.statistic, "n": result.n, "seed": result.seed, "parity": result.parity},
    }
    if result.interval is not None:
        interval = result.interval
        metric["args"] |= {"low": round(interval.low, 6), "high": round(interval.high, 6), "level": interval.level}
    return {
        "task": {"type": "bias-evaluation", "name": "Bias evaluation"},
        "dataset": {
            "type": "biascheck",
            "name": result.corpus,
            "args": {"corpus_fingerprint": result.provenance.corpus_fingerprint},
        },
        "metrics": [metric],
    }


def _section(run: Run, name: str, results: Sequence[Result]) -> str:
    gates: dict[tuple[str, str], Gate] = {(gate.measure, gate.corpus): gate for gate in run.gates if gate.model == name}
    lines = [
        "## Bias",
        "",
        "Measured with pytest-biascheck.",
        "",
        "| measure | corpus | estimate | interval | allowed | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        gate = gates.get((result.measure, result.corpus))
        interval = (
            "–" if result.interval is None else f"{figure(result.interval.low)} to {figure(result.interval.high)}"
        )
        allowed, verdict = ("–", "not judged") if gate is None else (gate.allowed, str(gate.verdict))
        cells = (result.measure, result.corpus, figure(result.estimate), interval, allowed, verdict)
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    cautions = dict.fromkeys(warning for result in results for warning in result.warnings)
    lines += ["", *(f"- Caution: {caution}" for caution in cautions), *([""] if cautions else []), LIMITS]
    if not run.complete:
        lines += ["", f"The run was interrupted: {run.not_run} tests did not run."]
    return "\n".join(lines) + "\n"


def _only_model(run: Run, model: str | None) -> str:
    found = sorted({result.model for result in run.results})
    if model is None and len(found) == 1:
        return found[0]
    if model in found:
        return str(model)
    if not found:
        raise UsageError("the file has no results; measure with pytest --bias-results FILE")
    raise UsageError(f"the file has results of {', '.join(found)}; name one with --model")
