"""Figures 1 to 4 of Manela et al. 2021."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from biascheck.corpora.datasets.winobias import WinoBiasRule
from biascheck.corpora.datasets.winograd import WinogradKind
from biascheck.measures import certainty_histogram, skew_of, stereotype_of
from biascheck.measures.pronouns.certain_gaps import CERTAINTY
from biascheck.reproduce.cells import Bars, BarSeries, Cell, DrawnFigure, Shown, Value
from biascheck.reproduce.manela2021.manela_rows import ANOTHER, models_in, rows, treatment_of
from biascheck.reproduce.manela2021.manela_trained import ManelaMeasurements
from biascheck.reproduce.setting import Setting
from biascheck.results.result import Result

__all__ = ["certainties", "sentences", "trade_off"]


def sentences(kind: WinogradKind) -> Callable[[Setting], Iterator[Shown]]:
    """Figures 1 and 2 show what sentences look like; here, how many of them are kept."""

    def run(setting: Setting) -> Iterator[Shown]:
        def kept(rule: WinoBiasRule) -> float:
            return float(len(ManelaMeasurements(setting).all_sentences(kind, rule)))

        yield setting.cell(
            f"lines of {kind}, test split",
            "kept",
            ours=setting.tried(kept, "ours"),
            as_published=setting.tried(kept, "authors"),
            note="Of 396 lines; the same for every model.",
        )

    return run


def certainties(setting: Setting) -> Iterator[Shown]:
    """Figure 3: how far apart the probabilities of the two pronouns are."""
    bench, tried = ManelaMeasurements(setting), setting.tried
    found = {rule: tried(bench.gaps, "", tried(bench.sentences, "T2", rule)) for rule in ("ours", "authors")}
    yield setting.cell(
        f"T2, |P(male) − P(female)| ≥ {CERTAINTY:g}",
        "share of the sentences",
        ours=tried(_certain, found["ours"]),
        as_published=tried(_certain, found["authors"]),
        note="The paper: “the majority of pronouns are resolved with a high degree of confidence”.",
    )
    for rule, gaps in found.items():
        if isinstance(gaps, Result):
            chosen = "our rule" if rule == "ours" else "the authors' rule"
            yield DrawnFigure(title=f"Figure 3: T2, lines by {chosen}", content=certainty_histogram(gaps))


def _certain(gaps: Result) -> Value:
    certain = [item for item in gaps.items if abs(item.score) >= CERTAINTY]
    return Value(len(certain) / gaps.n, n=gaps.n)


def trade_off(setting: Setting) -> Iterator[Shown]:
    """Figure 4: stereotype and skew of the models as they come."""
    bench, tried = ManelaMeasurements(setting), setting.tried
    corpora = [tried(bench.sentences, "T2", rule) for rule in ("ours", "authors")]
    ours, theirs = (tried(bench.gaps, "", corpus) for corpus in corpora)
    resolution = tried(bench.resolved, "", corpora[0])
    printed = [model for model in models_in(setting, "manela2021.skew") if not treatment_of(model)]
    cells = [
        setting.cell(
            row.label,
            name,
            ours=ANOTHER if row.treatment is None else tried(fold, ours, cutoff=CERTAINTY, resolution=resolution),
            as_published=None if row.treatment is None else tried(fold, theirs),
            published=row.printed and f"manela2021.{name}.{row.printed}",
        )
        for row in rows(setting, printed, ("",))
        for name, fold in FOLDS.items()
    ]
    yield from cells
    if any(cell.measured for cell in cells):
        yield DrawnFigure(
            title="Figure 4: stereotype and skew",
            content=_bars(cells),
            note="The tested model beside the paper's, errata put right.",
        )


FOLDS = {"stereotype": stereotype_of, "skew": skew_of}


def _bars(cells: list[Cell]) -> Bars:
    """One place for each row with both figures: those measured here, else the printed ones."""
    found: dict[str, dict[str, float]] = {}
    for cell in cells:
        if isinstance(cell.ours, Value):
            found.setdefault(f"{cell.row}, measured here", {})[cell.column] = cell.ours.estimate
        elif cell.published is not None:
            found.setdefault(cell.row, {})[cell.column] = cell.published.value
    whole = {row: values for row, values in found.items() if len(values) == len(FOLDS)}
    series = tuple(BarSeries(name, tuple(values[name] for values in whole.values())) for name in FOLDS)
    return Bars(places=tuple(whole), series=series, axis="F1 from 0 to 1")
