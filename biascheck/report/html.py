"""The HTML report: one file that needs neither a network nor a script to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from biascheck.files import write_atomically
from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.gates.searches import Search
from biascheck.report.rendering import render
from biascheck.report.sections.change_rows import ChangeTable, change_table
from biascheck.report.sections.findings import Findings, findings_of
from biascheck.report.sections.first_screen import ModelVerdict, answer, by_model, since_baseline
from biascheck.report.sections.gate_rows import GateTable, Link, gate_table, state_of
from biascheck.report.sections.item_data import ItemData, pack_items
from biascheck.report.sections.model_cards import ModelCard, model_cards
from biascheck.report.sections.next_steps import Step, next_steps
from biascheck.report.sections.paper_sections import PaperSection, paper_sections
from biascheck.report.sections.papers import CitedPaper, paper_of
from biascheck.report.sections.printed_page import Printed, printed_page
from biascheck.report.sections.result_sections import Placed
from biascheck.report.sections.untested import Untested, untested
from biascheck.report.sentences import ORDER, Headline
from biascheck.results.baselines import BaselineComparison
from biascheck.results.comparing.rankings import with_rankings
from biascheck.results.comparison import Comparison
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.wording import shortened

__all__ = ["Page", "page_of", "render_page", "write_html", "write_report"]

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
    """Write the report of results and gates that belong to no run; see :func:`write_report`."""
    write_report(path, Run(tuple(results), tuple(gates), tuple(comparisons)))


def write_report(path: Path, run: Run) -> None:
    """Write one self-contained file, whole or not at all. A place that cannot be written raises OSError."""
    write_atomically(path, render_page(page_of(run)))


def page_of(run: Run) -> Page:
    """Gather what the page shows.

    Everything is put in order by name: workers finish in any order, and two runs should read alike.
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
    """The models that were measured, whatever was done to them; of many only the number."""
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
