"""The first sentences of a report: the answer in plain words, and what changed since the baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from biascheck.gates.gate import Gate
from biascheck.gates.outcome import State
from biascheck.gates.run import Run
from biascheck.report.sections.gate_rows import state_of
from biascheck.results.baselines import Judgement
from biascheck.stats import Change, Verdict
from biascheck.wording import counted

__all__ = ["answer", "since_baseline"]

CHANGES = {
    Change.REGRESSED: "further from equal treatment",
    Change.INVALID: "not to be compared, as the model cannot do what is asked",
    Change.INCONCLUSIVE: "not decided",
    Change.NO_WORSE: "no worse",
    Change.IMPROVED: "closer to equal treatment",
}

GATES = {
    "exceeds": "more bias than allowed in {}",
    "invalid": "the model cannot do what is asked in {}",
    "inconclusive": "not decided in {}, which counts as failed",
    "accepted": "not decided in {}, which is accepted",
    "expected": "a failure that a test expects in {}",
    "within": "within the margin in {}",
}


def answer(run: Run) -> str:
    """What the run says about its models, in one sentence that needs no statistics."""
    parts = [*_gates(run), *_rest(run)]
    if not parts:
        return "Nothing was judged, so this run says nothing about the model."
    return f"{'; '.join(parts)}."


def _gates(run: Run) -> Iterator[str]:
    caught = run.caught
    states = Counter(_word(gate, caught) for gate in run.gates)
    total = len(run.gates)
    if not total:
        return
    if states["within"] == total:
        yield "The gate is within its margin" if total == 1 else f"All {total:,} gates are within their margins"
        return
    listed = [(text, states[word]) for word, text in GATES.items() if states[word]]
    if all(gate.passed or gate in caught for gate in run.gates):
        listed.insert(0, listed.pop())  # what is within comes first where nothing failed
    first, count = listed[0]
    others = [f"{text.format(count)}" for text, count in listed[1:]]
    words = ", ".join([first.format(f"{count:,} of {counted(total, 'gate')}"), *others])
    yield f"{words[:1].upper()}{words[1:]}"


def _word(gate: Gate, caught: Sequence[Gate]) -> str:
    state = state_of(gate, caught)
    return {Verdict.INVALID: "invalid"}.get(gate.verdict, "exceeds") if state == "failed" else state


def _rest(run: Run) -> Iterator[str]:
    if found := sum(not one.passed for one in run.searches):
        yield f"{counted(found, 'search', 'searches')} for worst cases found some"
    if run.outcome is not None and (stuck := run.outcome.having(State.CRASHED, State.JUDGED_NOTHING)):
        noun = "says" if len(stuck) == 1 else "say"
        yield f"{counted(len(stuck), 'test')} did not finish and {noun} nothing"


def since_baseline(found: Judgement | None) -> str:
    """How the results compare with the baseline, in words; empty where there is none."""
    if found is None:
        return ""
    counts = [(len(found.having(verdict)), words) for verdict, words in CHANGES.items()]
    counts += [
        (len(found.refused), "cannot be compared"),
        (len(found.shrunk), "measured on fewer items"),
        (len(found.new), "not in the baseline"),
        (len(found.unused), "only in the baseline"),
    ]
    listed = [f"{count:,} {words}" for count, words in counts if count]
    return f"{', '.join(listed)}." if listed else "Nothing was compared."
