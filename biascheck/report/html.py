"""The HTML report: one file that needs neither a network nor a script to be read."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from biascheck.core.files import write_atomically
from biascheck.core.secrets import in_use
from biascheck.core.wording import (
    CANNOT_DO_TASK,
    INCONCLUSIVE,
    NOT_COMPARABLE,
    escape_control,
    pluralize,
    shortened,
    verdict_text,
)
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search
from biascheck.report.cards import ModelCard, model_cards
from biascheck.report.changes import ChangeTable, change_table
from biascheck.report.charts import shape_of
from biascheck.report.findings import Findings, findings_of
from biascheck.report.first_screen import (
    ModelVerdict,
    Step,
    Untested,
    answer,
    by_model,
    next_steps,
    since_baseline,
    untested,
)
from biascheck.report.gates import STATES, GateTable, Link, gate_table, state_of
from biascheck.report.items import ItemData, pack_items
from biascheck.report.papers import CitedPaper, PaperSection, paper_of, paper_sections
from biascheck.report.results import Placed
from biascheck.report.words import ORDER, Headline
from biascheck.results.compare import Comparison, with_rankings
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.run import Run
from biascheck.stats import Change

# From a page to HTML text: one file with its style, its script, and a policy that allows no other.

STYLES = ("report.css", "first_screen.css", "print.css")
SCRIPTS = ("report.js", "filters.js", "glossary.js")


def render(template: str, **shown: object) -> str:
    """Fill in a template; names show their control characters, and the result can always be encoded."""
    environment = _environment()
    style, script = (Markup("").join(_source(environment, name) for name in names) for names in (STYLES, SCRIPTS))
    html = environment.get_template(template).render(style=style, script=script, policy=_policy(script), **shown)
    return in_use().masked_page(escape_control(html, lines=True))  # also of the markup


def _shown(value: object) -> object:
    return escape_control(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("biascheck.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["mark_of"] = shape_of
    environment.filters["with_commas"] = "{:,}".format
    environment.globals.update(inconclusive=INCONCLUSIVE, not_comparable=NOT_COMPARABLE)
    return environment


def _source(environment: Environment, name: str) -> Markup:
    """A file of this package, unchanged: it contains nothing that was measured."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])


def _policy(script: str) -> str:
    """Allow the report's own script alone, so that not even a slip in escaping could run another."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


# The second page of a printed report: one line for each gate and comparison that needs a reader.

MOST_PRINTED_ROWS = 34
"""The rows that fit onto one page."""
PRINTED_CHANGES = {
    Change.REGRESSED: "Worse than before",
    Change.INVALID: f"{NOT_COMPARABLE}: {CANNOT_DO_TASK}",
    Change.INCONCLUSIVE: INCONCLUSIVE,
    Change.IMPROVED: "Better than before",
}


@dataclass(frozen=True)
class PrintedRow:
    """One judgement in a line."""

    verdict: str
    measure: str
    subject: str
    figures: str
    allowed: str


@dataclass(frozen=True)
class PrintedBlock:
    """The judgements of one state; what does not fit onto the page is counted."""

    title: str
    count: int
    rows: tuple[PrintedRow, ...]
    hidden: int


@dataclass(frozen=True)
class Printed:
    """The second printed page: its blocks, and a note of what it leaves out."""

    blocks: tuple[PrintedBlock, ...]
    left_out: str


def printed_page(gates: Sequence[Gate], comparisons: Sequence[Comparison], caught: Collection[Gate]) -> Printed:
    """Gather the gates and comparisons that need attention, the most urgent first."""
    found: dict[str, list[PrintedRow]] = {
        title: [_gate(gate) for gate in _ranked(gates) if state_of(gate, caught) == state]
        for state, title in STATES.items()
        if state != "within"
    }
    found["Worse than before"] = [_change(one) for one in comparisons if one.verdict is Change.REGRESSED]
    within = sum(state_of(gate, caught) == "within" for gate in gates)
    return Printed(_blocks(found), _left_out(within))


def printed_comparisons(comparisons: Sequence[Comparison]) -> Printed:
    """The same for a page that only compares: worse, then not comparable or inconclusive, then better."""
    ordered = sorted(comparisons, key=lambda one: -one.change)
    named = len({(one.model_before, one.model_after) for one in comparisons}) > 1  # else the headline names them
    found = {
        title: [_change(one, named=named) for one in ordered if one.verdict is verdict]
        for verdict, title in PRINTED_CHANGES.items()
    }
    return Printed(
        _blocks(found),
        "Not printed: results no worse than before, charts, changes word by word, the explanation of terms. They are "
        "in the file itself.",
    )


def _blocks(found: Mapping[str, Sequence[PrintedRow]]) -> tuple[PrintedBlock, ...]:
    """Blocks, cut to the rows that fit onto the page."""
    blocks, room = [], MOST_PRINTED_ROWS
    for title, rows in found.items():
        if rows:
            blocks.append(PrintedBlock(title, len(rows), tuple(rows[:room]), len(rows[room:])))
            room = max(0, room - len(rows) - 2)
    return tuple(blocks)


def _left_out(within: int) -> str:
    inside = (
        f"{pluralize(within, 'gate')} within {'its margin' if within == 1 else 'their margins'}, " if within else ""
    )
    return (
        f"Not printed: {inside}results no worse than before, charts, sentences, worst cases, facts about models, the "
        "explanation of terms. They are in the file itself; suites opened on the screen are printed as well."
    )


def _ranked(gates: Sequence[Gate]) -> list[Gate]:
    return sorted(gates, key=lambda gate: ORDER.index(gate.verdict))


def _gate(gate: Gate) -> PrintedRow:
    return PrintedRow(
        verdict_text(gate.verdict, gate.passed),
        gate.measure,
        f"{gate.corpus} on {gate.model_label}",
        gate.measured,
        f"allowed {gate.allowed}",
    )


def _change(one: Comparison, *, named: bool = True) -> PrintedRow:
    subject = f"{one.corpus} on {one.models}" if named else " · ".join((one.corpus, *one.key.treatment))
    return PrintedRow(str(one.verdict), one.measure, subject, one.figures, one.moved_and_tolerated)


PAGE_TITLE_LENGTH = 80
MOST_NAMED = 4


@dataclass(frozen=True)
class Page:
    """Everything the template shows."""

    title: str
    who: str
    headline: Headline
    answer: str
    by_model: tuple[ModelVerdict, ...]
    since: str
    untested: Untested | None
    baseline: BaselineComparison | None
    shares: tuple[tuple[str, int], ...]
    findings: tuple[Findings, ...]
    models: tuple[ModelCard, ...]
    gates: GateTable | None
    changes: ChangeTable | None
    papers: tuple[PaperSection, ...]
    data: Markup
    printed: Printed
    searches: tuple[Search, ...] = ()
    next_steps: tuple[Step, ...] = ()


def write_html(
    path: Path, results: Sequence[Result], gates: Sequence[Gate], *, comparisons: Sequence[Comparison] = ()
) -> None:
    """Write the report of results and gates without a run; see :func:`write_report`."""
    write_report(path, Run(tuple(results), tuple(gates), tuple(comparisons)))


def write_report(path: Path, run: Run) -> None:
    """Write one self-contained file, whole or not at all. A place that cannot be written raises OSError."""
    write_atomically(path, render_page(page_of(run)))


def page_of(run: Run) -> Page:
    """Gather what the page shows.

    Everything is sorted by name: workers finish in any order, and two runs should read alike.
    """
    results = sorted(
        with_rankings(run.results), key=lambda r: (r.measure, r.corpus_label, r.model_label, r.contrast, r.key.digest)
    )
    gates = sorted(run.gates, key=lambda g: (g.measure, g.corpus, g.model_label, g.key.contrast, g.test, g.key.digest))
    judged = _gates_by_result(gates)
    caught = run.caught
    data = pack_items(results)
    placed = [
        _placed(result, number, judged.get(result.key, ()), caught, data) for number, result in enumerate(results)
    ]
    links = {entry.result.key: Link(entry.anchor, " − ".join(entry.result.contrast)) for entry in placed}
    of_papers = [(paper_of(gate, [gate.test]), gate) for gate in gates]
    models = model_cards(results, gates)
    names = ", ".join(card.name for card in models)
    counts = Counter(gate.verdict for gate in gates)
    comparisons = run.all_comparisons
    return Page(
        title=shortened(f"Bias report: {names}" if names else "Bias report", PAGE_TITLE_LENGTH),
        who=_who(run),
        headline=_headline(run),
        answer=answer(run),
        by_model=by_model(run),
        since=since_baseline(run.baseline),
        untested=None if run.outcome is None else untested(run.outcome),
        baseline=run.baseline,
        shares=tuple((str(verdict), counts[verdict]) for verdict in ORDER if counts[verdict]),
        findings=findings_of(run, links),
        models=models,
        gates=gate_table(of_papers, links, caught) if gates else None,
        changes=change_table(comparisons) if comparisons else None,
        papers=paper_sections([(_paper(entry, judged), entry) for entry in placed], of_papers),
        # base64 and nothing else
        data=Markup(data.text),
        printed=printed_page(gates, comparisons, caught),
        searches=tuple(sorted(run.searches, key=lambda one: (one.passed, one.model, one.strategy, one.test))),
        next_steps=next_steps(run),
    )


def _who(run: Run) -> str:
    """The names of the measured models; of many only the number."""
    names = sorted({result.model for result in run.results} | {gate.model for gate in run.gates})
    return (
        ", ".join(shortened(name, PAGE_TITLE_LENGTH) for name in names)
        if len(names) <= MOST_NAMED
        else f"{len(names)} models"
    )


def _headline(run: Run) -> Headline:
    """PASS or FAIL, why, and what was counted."""
    return Headline(run.verdict.lower(), run.verdict, run.counts, run.failures)


def render_page(page: Page) -> str:
    """The page as HTML text."""
    return render("report.html.j2", page=page)


def _gates_by_result(gates: Sequence[Gate]) -> dict[ResultKey, list[Gate]]:
    judged: dict[ResultKey, list[Gate]] = {}
    for gate in gates:
        judged.setdefault(gate.key, []).append(gate)
    return judged


def _placed(result: Result, number: int, gates: Sequence[Gate], caught: Collection[Gate], data: ItemData) -> Placed:
    verdicts = dict.fromkeys(str(gate.verdict) for gate in gates)
    states = dict.fromkeys(state_of(gate, caught) for gate in gates)
    return Placed(result, number, tuple(verdicts), data.counts[number], tuple(states), data.drawn[number])


def _paper(entry: Placed, judged: Mapping[ResultKey, list[Gate]]) -> CitedPaper:
    return paper_of(entry.result, [gate.test for gate in judged.get(entry.result.key, ())])
