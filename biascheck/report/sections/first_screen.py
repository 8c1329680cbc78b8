"""The first sentences of a report: the answer in plain words, and what changed since the baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.gates.outcome import BiasTestState
from biascheck.gates.run import Run
from biascheck.gates.searches import SearchVerdict
from biascheck.report.sections.gate_rows import state_of
from biascheck.results.baselines import BaselineComparison
from biascheck.stats import Change, Verdict
from biascheck.wording import pluralize, tally

__all__ = ["ModelVerdict", "answer", "by_model", "since_baseline"]

CHANGES_IN_WORDS = {
    Change.REGRESSED: "further from equal treatment",
    Change.INVALID: "not to be compared, as the model cannot do what is asked",
    Change.INCONCLUSIVE: "not decided",
    Change.NO_WORSE: "no worse",
    Change.IMPROVED: "closer to equal treatment",
}

SEARCHES = {
    SearchVerdict.FOUND: "found some",
    SearchVerdict.INVALID: "said nothing, as the model cannot read the sentences",
    SearchVerdict.NOT_SEARCHED: "got too few figures from the model",
}

UNFINISHED = {
    BiasTestState.CRASHED: "crashed, so that what was to be tested there is not known",
    BiasTestState.JUDGED_NOTHING: "judged nothing",
    BiasTestState.NOT_RUN: "did not run, so that the run says less than it was meant to",
}

GATES = {
    "exceeds": "more bias than allowed in {}",
    "invalid": "the model cannot do what is asked in {}",
    "inconclusive": "not decided in {} (counts as failed)",
    "accepted": "not decided in {} (accepted)",
    "tolerated": "more bias than the margin, but accepted for this model, in {}",
    "expected": "a failure that a test expects in {}",
    "within": "within the margin in {}",
}


@dataclass(frozen=True)
class ModelVerdict:
    """One model of several: whether all its gates passed, how many did not, and what they found."""

    model: str
    passed: bool
    text: str
    tally: str


def answer(run: Run) -> str:
    """What the run says about its models, in one sentence that needs no statistics; what failed it comes first."""
    caught = run.caught
    gates, rest = [*_gates(run)], [*_rest(run)]
    exceeding = any(gate.verdict is Verdict.EXCEEDS and not gate.passed and gate not in caught for gate in run.gates)
    words = "; ".join([*gates, *rest] if exceeding else [*rest, *gates])
    if not words:
        return "Nothing was judged, so this run says nothing about the model."
    return f"{words[:1].upper()}{words[1:]}."


def _gates(run: Run) -> Iterator[str]:
    caught = run.caught
    states = Counter(_word(gate, caught) for gate in run.gates)
    total = len(run.gates)
    if not total:
        return
    if states["within"] == total:
        yield "the gate is within its margin" if total == 1 else f"all {total:,} gates are within their margins"
        return
    listed = [(text, states[word]) for word, text in GATES.items() if states[word]]
    if all(gate.passed or gate in caught for gate in run.gates):
        listed.insert(0, listed.pop())  # what is within comes first where nothing failed
    first, count = listed[0]
    others = [f"{text.format(count)}" for text, count in listed[1:]]
    yield ", ".join([first.format(f"{count:,} of {pluralize(total, 'gate')}"), *others])


def _word(gate: Gate, caught: Sequence[Gate]) -> str:
    state = state_of(gate, caught)
    if state == "accepted" and gate.verdict is not Verdict.INCONCLUSIVE:
        return "tolerated"
    return {Verdict.INVALID: "invalid"}.get(gate.verdict, "exceeds") if state == "failed" else state


def _rest(run: Run) -> Iterator[str]:
    verdicts = Counter(one.verdict for one in run.searches)
    for verdict, words in SEARCHES.items():
        if count := verdicts[verdict]:
            yield f"{pluralize(count, 'search', 'searches')} for worst cases {words}"
    if worse := sum(not one.passed for one in run.all_comparisons):
        yield f"{pluralize(worse, 'figure')} {'is' if worse == 1 else 'are'} worse than before, or cannot be compared"
    if run.outcome is not None:
        for state, words in UNFINISHED.items():
            if count := len(run.outcome.having(state)):
                yield f"{pluralize(count, 'test')} {words}"


def by_model(run: Run) -> tuple[ModelVerdict, ...]:
    """How each model fares in the gates, the worst first; nothing where there is only one."""
    caught = run.caught
    gates: dict[str, list[Gate]] = {}
    for gate in run.gates:
        gates.setdefault(gate.model, []).append(gate)
    if len(gates) < 2:
        return ()
    failed = {
        model: Counter(gate.verdict for gate in of if not gate.passed and gate not in caught)
        for model, of in gates.items()
    }
    worst_first = sorted(gates, key=lambda m: (-failed[m][Verdict.EXCEEDS], -failed[m].total(), m))
    return tuple(_fares(model, failed[model].total(), gates[model]) for model in worst_first)


def _fares(model: str, failed: int, gates: Sequence[Gate]) -> ModelVerdict:
    total = pluralize(len(gates), "gate")
    return ModelVerdict(
        model, not failed, f"{failed:,} of {total} failed" if failed else f"{total} passed", tally(gates)
    )


def since_baseline(found: BaselineComparison | None) -> str:
    """How the results compare with the baseline, in words; empty where there is none."""
    if found is None:
        return ""
    counts = [(len(found.having(verdict)), words) for verdict, words in CHANGES_IN_WORDS.items()]
    counts += [
        (len(found.refused), "cannot be compared"),
        (len(found.shrunk), "measured on fewer items"),
        (len(found.new), "not in the baseline"),
        (len(found.unused), "only in the baseline"),
    ]
    listed = [f"{count:,} {words}" for count, words in counts if count]
    return f"{', '.join(listed)}." if listed else "Nothing was compared."
