"""A run as Markdown: short enough for a pull request, the worst first, the rest folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.results.comparison import Comparison
from biascheck.results.result import treatment_of
from biascheck.stats import Change, Interval, Verdict
from biascheck.wording import figure, signed

__all__ = ["comparison_table", "summary"]

SPECIAL = {ord(character): f"&#{ord(character)};" for character in "|*_`[]()<>~@#\\&"}
MARKS = {
    Verdict.WITHIN: "✅ within",
    Verdict.EXCEEDS: "❌ exceeds",
    Verdict.INCONCLUSIVE: "⚠️ inconclusive",
    Change.REGRESSED: "❌ regressed",
    Change.INCONCLUSIVE: "⚠️ inconclusive",
    Change.NO_WORSE: "✅ no worse",
    Change.IMPROVED: "✅ improved",
}
GATES = (Verdict.EXCEEDS, Verdict.INCONCLUSIVE, Verdict.WITHIN)
CHANGES = (Change.REGRESSED, Change.INCONCLUSIVE, Change.IMPROVED, Change.NO_WORSE)
# A comment on GitHub holds 65,536 characters.
MOST_ROWS = 100

GATE_HEAD = ("verdict", "measure", "corpus", "estimate", "allowed", "largest")
CHANGE_HEAD = ("verdict", "measure", "corpus", "before → after", "change in distance from parity", "moved most")


def summary(run: Run) -> str:
    """The whole run: the verdict, what failed or could not be told, and folded what is fine."""
    lines = ["## Bias gates", ""]
    if not run.complete:
        lines += [f"**Incomplete**: the run was interrupted and {run.not_run} tests did not run.", ""]
    models: dict[str, list[Gate]] = {}
    for gate in run.gates:
        models.setdefault(treatment_of(gate.model)[0], []).append(gate)
    for model, gates in models.items():
        lines += _model(model, gates)
    if run.comparisons:
        lines += _comparisons(run.comparisons)
    cautions = dict.fromkeys(warning for gate in run.gates for warning in gate.warnings)
    lines += _folded(f"{len(cautions)} cautions", [f"- {_text(caution)}" for caution in cautions])
    return "\n".join(lines).rstrip() + "\n"


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """Comparisons alone, for ``biascheck compare --markdown``."""
    return "\n".join(["## Bias, before and after", "", *_comparisons(comparisons)]).rstrip() + "\n"


def _model(model: str, gates: Sequence[Gate]) -> Iterator[str]:
    failed = sum(not gate.passed for gate in gates)
    mark = f"❌ {failed} of {len(gates)} gates failed" if failed else f"✅ all {len(gates)} gates passed"
    yield from (f"**{_text(model)}**: {mark} ({_tally(gates, GATES)})", "")
    ordered = sorted(gates, key=lambda gate: (gate.passed, GATES.index(gate.verdict)))
    yield from _table(GATE_HEAD, (_gate_cells(gate) for gate in ordered if gate.verdict is not Verdict.WITHIN))
    within = [_gate_cells(gate) for gate in ordered if gate.verdict is Verdict.WITHIN]
    yield from _folded(f"{len(within)} gates within their margins", list(_table(GATE_HEAD, within)))


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[str]:
    ordered = sorted(comparisons, key=lambda comparison: CHANGES.index(comparison.verdict))
    models = sorted({(treatment_of(one.model_before)[0], treatment_of(one.model_after)[0]) for one in comparisons})
    pairs = ", ".join(f"{_text(before)} → {_text(after)}" for before, after in models)
    yield from (f"**{pairs}**: {_tally(comparisons, CHANGES)}", "")
    fine = (Change.NO_WORSE, Change.IMPROVED)
    yield from _table(CHANGE_HEAD, (_change_cells(one) for one in ordered if one.verdict not in fine))
    rest = [_change_cells(one) for one in ordered if one.verdict in fine]
    yield from _folded(f"{len(rest)} results no worse or improved", list(_table(CHANGE_HEAD, rest)))


def _tally(judged: Sequence[Gate] | Sequence[Comparison], order: Sequence[Verdict] | Sequence[Change]) -> str:
    counts = Counter(str(one.verdict) for one in judged)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in order if counts[verdict])


def _gate_cells(gate: Gate) -> tuple[str, ...]:
    mark = MARKS[gate.verdict] + (" (allowed)" if gate.passed and gate.verdict is Verdict.INCONCLUSIVE else "")
    estimate = f"{figure(gate.estimate)} {_interval(gate.interval)}"
    return (
        mark,
        _text(gate.measure),
        _text(gate.corpus),
        _text(estimate),
        gate.allowed,
        _text(", ".join(gate.offenders)),
    )


def _change_cells(one: Comparison) -> tuple[str, ...]:
    moved = f"{signed(one.change)} {_interval(one.interval)}"
    largest = ", ".join(map(str, one.moves[:3])) if one.change else ""
    figures = f"{figure(one.before)} → {figure(one.after)}"
    corpus = _corpus(one.corpus, one.model_after)
    return MARKS[one.verdict], _text(one.measure), corpus, figures, _text(moved), _text(largest)


def _corpus(corpus: str, model: str) -> str:
    """The corpus, and how the model was treated if it was."""
    return _text(" · ".join(filter(None, (corpus, treatment_of(model)[1]))))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    yield from (_row(head), _row(["---"] * len(head)), *map(_row, listed[:MOST_ROWS]))
    yield ""
    if len(listed) > MOST_ROWS:
        yield from (f"… and {len(listed) - MOST_ROWS} more; the results file has them all.", "")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return [f"<details><summary>{title}</summary>", "", *lines, *([""] if lines[-1] else []), "</details>", ""]


def _interval(interval: Interval | None) -> str:
    return "[no interval]" if interval is None else f"[{figure(interval.low)}, {figure(interval.high)}]"


def _text(text: str) -> str:
    """Text that Markdown shows as it is: nothing in it becomes a table cell, a tag, a link or a mention."""
    return " ".join(text.split()).translate(SPECIAL)
