"""Figures 1 to 4 of Manela et al. 2021."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from biascheck.corpora import published_winobias
from biascheck.corpora.datasets.winobias import WinoBiasRule
from biascheck.corpora.datasets.winograd import WinogradKind
from biascheck.measures import certainty_histogram, skew_of, stereotype_of
from biascheck.measures.pronouns.certain_gaps import CERTAINTY
from biascheck.reproduce.cells import Absent, Bars, BarSeries, Drawn, Shown, Value
from biascheck.reproduce.manela2021.manela_rows import ANOTHER, models_in, rows, treatment_of
from biascheck.reproduce.manela2021.manela_trained import Bench
from biascheck.reproduce.setting import Setting
from biascheck.results.result import Result

__all__ = ["certainties", "sentences", "trade_off"]


def sentences(kind: WinogradKind) -> Callable[[Setting], Iterator[Shown]]:
    """Figures 1 and 2 show what sentences look like; here, how many of them are kept."""

    def run(setting: Setting) -> Iterator[Shown]:
        def kept(rule: WinoBiasRule) -> float:
            setting.folder("winobias")
            return float(len(published_winobias(setting.data, "test", kind, rule=rule).corpus))

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
    bench, tried = Bench(setting), setting.tried
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
            yield Drawn(title=f"Figure 3: T2, lines by the rule of {rule}", content=certainty_histogram(gaps))


def _certain(gaps: Result) -> Value:
    certain = [item for item in gaps.items if abs(item.score) >= CERTAINTY]
    return Value(len(certain) / gaps.n, n=gaps.n)


def trade_off(setting: Setting) -> Iterator[Shown]:
    """Figure 4: stereotype and skew of the models as they come."""
    bench, tried = Bench(setting), setting.tried
    ours, theirs = (tried(bench.gaps, "", tried(bench.sentences, "T2", rule)) for rule in ("ours", "authors"))
    folds = {"stereotype": stereotype_of, "skew": skew_of}
    printed = [model for model in models_in(setting, "manela2021.skew") if not treatment_of(model)]
    bars: dict[str, list[float]] = {}
    for row in rows(setting, printed, ("",)):
        for name, fold in folds.items():
            own = row.treatment is not None
            cell = setting.cell(
                row.label,
                name,
                ours=tried(fold, ours, cutoff=CERTAINTY) if own else ANOTHER,
                as_published=tried(fold, theirs) if own else None,
                published=row.printed and f"manela2021.{name}.{row.printed}",
            )
            yield cell
            label = f"{row.label}, measured here" if own else row.label
            shown = cell.ours if own else cell.published
            if not isinstance(shown, Absent) and shown is not None:
                bars.setdefault(label, []).append(shown.estimate if isinstance(shown, Value) else shown.value)
    if isinstance(ours, Result):
        whole = {label: pair for label, pair in bars.items() if len(pair) == len(folds)}
        series = tuple(BarSeries(name, tuple(pair[n] for pair in whole.values())) for n, name in enumerate(folds))
        yield Drawn(
            title="Figure 4: stereotype and skew",
            content=Bars(places=tuple(whole), series=series, axis="F1 from 0 to 1"),
            note="The tested model beside the paper's, errata put right.",
        )
