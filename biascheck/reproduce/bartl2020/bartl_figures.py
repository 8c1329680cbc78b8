"""Figures 1 to 6 of Bartl et al. 2020."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from biascheck.measures import profession_bars
from biascheck.reproduce.bartl2020.bartl_bench import BARTL_GENDERS, JOBS, BartlMeasurements
from biascheck.reproduce.cells import Absent, DrawnFigure, Shown
from biascheck.reproduce.setting import Setting
from biascheck.results.attachments import ProfessionBars
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["bars_of_german", "bars_of_jobs", "steps", "texts"]


def texts(setting: Setting) -> Iterator[Shown]:
    """Figure 1 shows one text of GAP; here is how many there are."""
    bench = BartlMeasurements(setting)
    count = setting.tried(lambda: float(len(bench.text)))
    yield setting.cell("GAP", "texts", ours=count, note="The paper has 4,454, in three parts.")


def steps(setting: Setting) -> Iterator[Shown]:
    """Figure 2: the score of one sentence of each gender."""
    found = setting.tried(BartlMeasurements(setting).before)
    for group in BARTL_GENDERS:
        yield setting.cell("first sentence of the corpus", group, ours=setting.tried(_first(group), found))


def bars_of_jobs(jobs: str, figure: str) -> Callable[[Setting], Iterator[Shown]]:
    """Figures 3 to 5: both genders before and after, profession by profession."""

    def drawn(setting: Setting) -> Iterator[Shown]:
        bench = BartlMeasurements(setting)
        before, after = setting.tried(bench.before), setting.tried(bench.after)
        yield from _drawn(setting, jobs, figure, before, after)

    return drawn


def bars_of_german(setting: Setting) -> Iterator[Shown]:
    """Figure 6: German professions, as the model comes."""
    before = setting.tried(BartlMeasurements(setting).before, "de")
    for jobs in JOBS:
        yield from _drawn(setting, jobs, "Figure 6", before)


def _drawn(
    setting: Setting, jobs: str, figure: str, before: Result | Absent, after: Result | Absent | None = None
) -> Iterator[Shown]:
    bars = setting.tried(_bars, jobs, before) if after is None else setting.tried(_bars, jobs, before, after)
    if isinstance(bars, Absent):
        yield setting.cell(f"{jobs} professions", "bars", ours=bars)
        return
    yield DrawnFigure(title=f"{figure}: associations with {jobs} professions", content=bars)


def _bars(jobs: str, before: Result, after: Result | None = None) -> ProfessionBars:
    return next(bars for bars in profession_bars(before, after) if bars.group == jobs)


def _first(group: str) -> Callable[[Result], float]:
    def score(result: Result) -> float:
        first: ItemScore = result.items[0]
        return first.groups[group]

    return score
