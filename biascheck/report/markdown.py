"""A run as Markdown: short enough for a pull request, the worst first, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from biascheck.core.secrets import in_use
from biascheck.core.wording import escape_control, format_number, pluralize, shortened, tally, verdict_text
from biascheck.gates.gate import Gate, beside
from biascheck.gates.search import Search, WorstCase, tally_of_searches
from biascheck.report.findings import Finding, Findings, findings_of
from biascheck.report.first_screen import Step, answer, next_steps
from biascheck.report.words import markdown_text as _text
from biascheck.results.compare import Comparison
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.outcome import MOST_OF_ONE_REASON, RunOutcome
from biascheck.runs.run import Run
from biascheck.stats import Change, Verdict

MARKS: dict[Verdict | Change, str] = {
    **dict.fromkeys(Verdict, "❌"),
    Verdict.WITHIN: "✅",
    Verdict.INCONCLUSIVE: "⚠️",
    Change.REGRESSED: "❌",
    Change.INVALID: "❌",
    Change.INCONCLUSIVE: "⚠️",
    Change.NO_WORSE: "✅",
    Change.IMPROVED: "✅",
}
MOST_MARKDOWN_NAMES = 300
# A comment on GitHub has at most 65,536 characters.
MOST_MARKDOWN_ROWS = 100

SEARCH_HEAD = ("gap", "allowed", "worst pair", "cause", "since first found")
GATE_HEAD = ("verdict", "measure", "corpus", "estimate", "allowed", "largest; notes")
CHANGE_HEAD = ("verdict", "measure", "corpus", "before → after", "change in distance from parity", "moved most")


def summary(run: Run) -> str:
    """The whole run: verdict, failures in plain words, next steps, every gate, and tests that were not run.

    The sentences are those of the first screen of the HTML report.
    """
    lines = ["## Bias gates", "", f"{'✅' if run.passed else '❌'} **{_text(run.headline)}**", ""]
    lines += [_text(answer(run)), ""]
    lines += [line for found in findings_of(run, {}) if not found.folded for line in _findings(found)]
    if run.outcome is not None:
        lines += _unfinished(run.outcome)
    lines += _steps(next_steps(run))
    models: dict[str, list[Gate]] = {}
    for gate in run.gates:
        models.setdefault(gate.model, []).append(gate)
    for model, gates in models.items():
        lines += _model(model, gates)
    if run.caught:
        lines += [f"{pluralize(len(run.caught), 'failing gate')} expected by a test and not counted.", ""]
    lines += _searches(run.searches)
    if run.all_comparisons:
        lines += _comparisons(run.all_comparisons)
    if run.baseline is not None:
        lines += _baseline(run.baseline)
    if run.outcome is not None:
        lines += _not_tested(run.outcome)
    cautions = dict.fromkeys(warning for gate in run.gates for warning in gate.warnings)
    lines += _folded(pluralize(len(cautions), "caution"), [f"- {_text(caution)}" for caution in cautions])
    return in_use().masked_page(escape_control("\n".join(lines), lines=True).rstrip() + "\n")


def _findings(found: Findings) -> Iterator[str]:
    """The worst findings of the first models, in plain words."""
    yield from (f"**{found.heading}**: {found.count}", "")
    shown = [of for of in found.models if not of.folded]
    for of in shown:
        if len(found.models) > 1:
            yield from (f"{_text(of.model or 'Baseline')}, {of.count}:", "")
        yield from (f"- {_finding(one)}" for one in of.shown)
        yield from ([f"- … and {of.hidden:,} more, in the tables below"] if of.hidden else [])
        yield ""
    if rest := len(found.models) - len(shown):
        yield from (f"… and {pluralize(rest, 'more model')}, in the tables below", "")


def _finding(one: Finding) -> str:
    if not one.plain:
        return f"{_text(one.title)}{_text(one.text)}"
    example = ""
    if one.example is not None:
        before, after = _edged(one.example.before), _edged(one.example.after)
        both = f"**{_text(one.example.first)} / {_text(one.example.second)}**"
        example = f" For example “{before}{both}{after}”: {_text(one.example.effect)}."
    return f"{_text(one.plain)}{example}<br><sub>{_text(one.title)}{_text(one.text)}</sub>"


def _steps(steps: Sequence[Step]) -> Iterator[str]:
    if steps:
        yield from ("**What to do next**", "")
        for step in steps:
            yield f"- {_text(step.text)}{f' <code>{_text(step.command)}</code>' if step.command else ''}"
        yield ""


def _searches(searches: Sequence[Search]) -> Iterator[str]:
    """The searches, with the worst pairs of those that found some."""
    if not searches:
        return
    mark = "✅" if all(one.passed for one in searches) else "❌"
    yield from (f"**Searches for worst cases**: {mark} {tally_of_searches(searches)}", "")
    for one in searches:
        sign = "✅" if one.passed else "❌"
        said = f"found in {one.examples:,} examples" if one.cases else one.finding.partition(": ")[2]
        yield from (
            f"- {sign} {_text(one.title)}: {_text(said)}{_text(f'; {one.share_text}') if one.cases else ''}",
            "",
        )
        if one.cases and one.memory_notes:
            yield from (*(f"- {_text(note)}" for note in one.memory_notes), "")
        yield from _table(SEARCH_HEAD, (_case_cells(one, case) for case in (*one.cases, *one.mended)))


def _case_cells(search: Search, case: WorstCase) -> tuple[str, ...]:
    gap = f"{'❌' if case.exceeds else '✅'} {format_number(case.gap)}"
    return gap, search.allowed, _text(case.both), _text(case.reason), _text(case.change)


def _unfinished(outcome: RunOutcome) -> Iterator[str]:
    tests = outcome.stuck(MOST_OF_ONE_REASON)
    yield from (f"- ❌ {state}: {_text(test)} – {_text(reason)}" for state, test, reason in tests)
    rerun = [(test.test, story) for test in outcome.tests for story in test.earlier]
    yield from (f"- ⚠️ run again: {_text(test)} – {_text(story)}" for test, story in rerun)
    if tests or rerun:
        yield ""


def _not_tested(outcome: RunOutcome) -> list[str]:
    lines = [
        f"- {_text(reason)}: {pluralize(len(tests), 'test')} "
        f"({_text(shortened(', '.join(tests), MOST_MARKDOWN_NAMES))})"
        for reason, tests in outcome.not_tested.items()
    ]
    count = sum(map(len, outcome.not_tested.values()))
    return [f"**Not tested**: {pluralize(count, 'test')}", "", *lines, ""] if lines else []


def _baseline(found: BaselineComparison) -> Iterator[str]:
    yield from (f"- ❌ not comparable: {_text(one.title)} – {_text(one.reason)}" for one in found.refused)
    yield from (f"- ❌ fewer items: {_text(one.title)} – {_text(one.reason)}" for one in found.shrunk)
    yield from (f"- ⚠️ not in the baseline: {_text(title)}" for title in found.new[:MOST_MARKDOWN_ROWS])
    if found.refused or found.shrunk or found.new:
        yield ""


def comparison_table(found: BaselineComparison) -> str:
    """Comparisons, and results that are not comparable, for ``biascheck compare --markdown``."""
    lines = ["## Bias, before and after", "", *_comparisons(found.comparisons), *_baseline(found)]
    return in_use().masked_page(escape_control("\n".join(lines), lines=True).rstrip() + "\n")


def _model(model: str, gates: Sequence[Gate]) -> Iterator[str]:
    failed = sum(not gate.passed for gate in gates)
    all_of_them = pluralize(len(gates), "gate")
    mark = f"❌ {failed} of {all_of_them} failed" if failed else f"✅ {all_of_them} passed"
    yield from (f"**{_text(model)}**: {mark} ({tally(gates)})", "")
    ordered = sorted(gates, key=lambda gate: (gate.passed, list(Verdict).index(gate.verdict)))
    yield from _table(GATE_HEAD, (_gate_cells(gate) for gate in ordered if gate.verdict is not Verdict.WITHIN))
    within = [_gate_cells(gate) for gate in ordered if gate.verdict is Verdict.WITHIN]
    yield from _folded(f"{pluralize(len(within), 'gate')} within", list(_table(GATE_HEAD, within)))


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[str]:
    ordered = sorted(comparisons, key=lambda comparison: list(Change).index(comparison.verdict))
    models = sorted({(one.model_before, one.model_after) for one in comparisons})
    pairs = ", ".join(f"{_text(before)} → {_text(after)}" for before, after in models)
    yield from (f"**{pairs}**: {tally(comparisons)}", "")
    fine = (Change.NO_WORSE, Change.IMPROVED)
    yield from _table(CHANGE_HEAD, (_change_cells(one) for one in ordered if one.verdict not in fine))
    rest = [_change_cells(one) for one in ordered if one.verdict in fine]
    yield from _folded(f"{pluralize(len(rest), 'result')} no worse or improved", list(_table(CHANGE_HEAD, rest)))


def _gate_cells(gate: Gate) -> tuple[str, ...]:
    return (
        f"{MARKS[gate.verdict]} {verdict_text(gate.verdict, gate.passed)}",
        _text(gate.measure),
        _subject(gate),
        _text(gate.measured),
        gate.allowed,
        _text("; ".join(filter(None, (", ".join(gate.offenders), beside(gate))))),
    )


def _change_cells(one: Comparison) -> tuple[str, ...]:
    largest = ", ".join(map(str, one.moves[:3])) if one.change else ""
    verdict = f"{MARKS[one.verdict]} {verdict_text(one.verdict, one.passed)}"
    return verdict, _text(one.measure), _subject(one), one.figures, _text(one.moved_and_tolerated), _text(largest)


def _subject(judged: Gate | Comparison) -> str:
    """The corpus, and how the model was treated if it was."""
    return _text(" · ".join((judged.corpus, *judged.key.treatment)))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    yield from (_row(head), _row(["---"] * len(head)), *map(_row, listed[:MOST_MARKDOWN_ROWS]))
    yield ""
    if len(listed) > MOST_MARKDOWN_ROWS:
        yield from (f"… and {len(listed) - MOST_MARKDOWN_ROWS} more; the results file has them all.", "")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return [f"<details><summary>{title}</summary>", "", *lines, *([""] if lines[-1] else []), "</details>", ""]


def _edged(text: str) -> str:
    """Part of a sentence, with the space that separates it from the next part."""
    return f"{' ' * text.startswith(' ')}{_text(text)}{' ' * (text.endswith(' ') and bool(text.strip()))}"
