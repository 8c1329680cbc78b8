"""The comparison report: results before and after side by side, what moved, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biascheck.core.files import write_atomically
from biascheck.core.wording import CANNOT_DO_TASK, format_number, pluralize, shortened, tally
from biascheck.report.changes import ChangeTable, change_table, numbered
from biascheck.report.findings import ChangeFinding, change_findings
from biascheck.report.first_screen import Step
from biascheck.report.html import Printed, printed_comparisons, render
from biascheck.report.words import Headline
from biascheck.results.compare import Comparison
from biascheck.runs.baseline import BaselineComparison
from biascheck.stats import Change

COMPARISON_TITLE_LENGTH = 80


@dataclass(frozen=True)
class LaterScore:
    """One later figure, and its verdict against the first."""

    after: str
    verdict: str
    change: str


@dataclass(frozen=True)
class SideBySide:
    """A result of the first file beside that of every later model; the cell of a model without it is empty."""

    measure: str
    corpus: str
    before: str
    cells: tuple[LaterScore | None, ...]


@dataclass(frozen=True)
class ComparisonPage:
    """Everything the template shows."""

    title: str
    headline: Headline
    before: str
    afters: tuple[str, ...]
    rows: tuple[SideBySide, ...]
    changes: ChangeTable | None
    found: BaselineComparison
    worse: tuple[ChangeFinding, ...]
    undecided: tuple[ChangeFinding, ...]
    better: tuple[ChangeFinding, ...]
    invalid: tuple[ChangeFinding, ...]
    next_steps: tuple[Step, ...]
    printed: Printed


def write_comparison_html(path: Path, found: BaselineComparison) -> None:
    """Write one self-contained file, whole or not at all. A place that cannot be written raises OSError."""
    write_atomically(path, render("comparison.html.j2", page=comparison_page(found)))


def comparison_page(found: BaselineComparison) -> ComparisonPage:
    """Gather what the page shows."""
    comparisons = found.comparisons
    before = ", ".join(dict.fromkeys(one.model_before for one in comparisons))
    named = _named(comparisons)
    entries = numbered(comparisons)
    afters = tuple(dict.fromkeys(name for name, _ in named))
    return ComparisonPage(
        title=shortened(f"Bias: {before} → {', '.join(afters)}", COMPARISON_TITLE_LENGTH),
        headline=_headline(found),
        before=before,
        afters=afters,
        rows=_side_by_side(named, afters),
        changes=change_table(comparisons) if comparisons else None,
        found=found,
        worse=change_findings(entries, Change.REGRESSED),
        undecided=change_findings(entries, Change.INCONCLUSIVE),
        better=change_findings(entries, Change.IMPROVED),
        invalid=change_findings(entries, Change.INVALID),
        printed=printed_comparisons(comparisons),
        next_steps=tuple(_next_steps(found)),
    )


def _next_steps(found: BaselineComparison) -> Iterator[Step]:
    if found.having(Change.REGRESSED):
        yield Step("Open the worse figures below, and read which words moved.")
        yield Step("Make a pipeline fail on a regression:", "biascheck compare BEFORE AFTER --fail-on regressed")
    if found.refused or found.shrunk:
        yield Step("Measure both models with the same suites, corpora and seed, and compare again.")
    if found.having(Change.INCONCLUSIVE):
        yield Step("Measure more items, or allow a tolerance that matters:", "biascheck compare … --tolerance 0.05")
    if found.passed and not found.having(Change.INCONCLUSIVE) and found.comparisons:
        yield Step("Nothing to do: keep the later file for the next comparison.")


def _headline(found: BaselineComparison) -> Headline:
    total = len(found.comparisons)
    detail = tally(found.comparisons)
    lost = [
        f"{pluralize(len(entries), 'result')} {what}"
        for entries, what in ((found.refused, "not comparable"), (found.shrunk, "measured on fewer items than before"))
        if entries
    ]
    if count := len(found.having(Change.INVALID)):
        lost.append(f"{pluralize(count, 'result')} invalid: {CANNOT_DO_TASK}")
    if count := len(found.having(Change.REGRESSED)):
        return Headline("regressed", f"{count:,} of {pluralize(total, 'result')} regressed", detail, tuple(lost))
    if lost:
        return Headline("regressed", ", ".join(lost), detail)
    if not total:
        return Headline("none", "Nothing was compared", "The files have no result in common.")
    if count := len(found.having(Change.INCONCLUSIVE)):
        doubt = f"{count:,} of {total:,} {'is' if count == 1 else 'are'} inconclusive"
        return Headline("inconclusive", f"Nothing regressed, but {doubt}", detail)
    return Headline("no worse", "Nothing regressed", detail)


def _named(comparisons: Sequence[Comparison]) -> list[tuple[str, Comparison]]:
    """Every comparison under the name of its later model; two models of one name, from two files, are numbered."""
    seen: Counter[tuple[object, ...]] = Counter()
    named = []
    for one in comparisons:
        key = (one.key.question, one.model_after)
        seen[key] += 1
        named.append((one.model_after if seen[key] == 1 else f"{one.model_after} ({seen[key]})", one))
    return named


def _side_by_side(named: Sequence[tuple[str, Comparison]], afters: Sequence[str]) -> tuple[SideBySide, ...]:
    rows: dict[tuple[object, ...], dict[str, Comparison]] = {}
    for name, one in sorted(named, key=lambda entry: (entry[1].measure, entry[1].corpus, entry[1].contrast)):
        rows.setdefault(one.key.question, {})[name] = one
    return tuple(_row(found, afters) for found in rows.values())


def _row(found: Mapping[str, Comparison], afters: Sequence[str]) -> SideBySide:
    any_of_them = next(iter(found.values()))
    return SideBySide(
        measure=any_of_them.measure,
        corpus=" · ".join((any_of_them.corpus, *any_of_them.key.treatment)),
        before=format_number(any_of_them.before),
        cells=tuple(_cell(found[after]) if after in found else None for after in afters),
    )


def _cell(one: Comparison) -> LaterScore:
    return LaterScore(format_number(one.after), str(one.verdict), one.moved)
