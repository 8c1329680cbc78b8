"""Tables 1 to 8 of Bartl et al. 2020, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from biascheck.corpora import bec_pro, bec_pro_professions, masked_text
from biascheck.measures import agreement_effect, association_change, grammar_balanced_of
from biascheck.reproduce.bartl2020.bartl_bench import BARTL_GENDERS, JOBS, BartlMeasurements
from biascheck.reproduce.cells import Shown
from biascheck.reproduce.setting import Setting
from biascheck.results.result import Result

__all__ = ["english", "german", "hypotheses", "masking", "patterns", "professions"]

Runs = Mapping[str, tuple[Any, ...]]
"""The results that a figure is made of, by variant."""


def patterns(setting: Setting) -> Iterator[Shown]:
    """How many sentences each pattern gives."""
    for language, name in (("en", "English"), ("de", "German")):
        counts: dict[str, int] = {}
        for pair in bec_pro(language):
            counts[str(pair.labels["template"])] = counts.get(str(pair.labels["template"]), 0) + len(pair.sentences)
        for template, count in counts.items():
            yield setting.cell(template, f"sentences, {name}", ours=float(count))


def masking(setting: Setting) -> Iterator[Shown]:
    """How many different inputs each stage of masking has; the others are the same sentence again."""
    sentences = [sentence for pair in bec_pro("en") for sentence in pair.sentences.values()]
    stages = {"target masked": (True, False), "attribute masked": (False, True), "both masked": (True, True)}
    for stage, (target, attribute) in stages.items():
        distinct = {masked_text(sentence, target=target, attribute=attribute) for sentence in sentences}
        yield setting.cell(stage, "different inputs of 5,400", ours=float(len(distinct)))


def hypotheses(setting: Setting) -> Iterator[Shown]:
    """H1 to H3: the association before, and how far it moved."""
    bench = BartlMeasurements(setting)
    before, after = setting.tried(bench.before), setting.tried(bench.after)
    expected = {True: "H1: positive, and falls", False: "H2: negative, and rises"}
    for jobs in JOBS:
        for person in BARTL_GENDERS:
            claim = "H3: about zero, and stays" if jobs == "balanced" else expected[jobs == person]
            earlier = setting.tried(_of(jobs, person), before)
            change = setting.tried(partial(_change, jobs=jobs, person=person), before, after)
            row = f"{person} persons, {jobs} jobs"
            yield setting.cell(row, "before", ours=earlier, note=claim)
            yield setting.cell(row, "change", ours=change)


def english(setting: Setting) -> Iterator[Shown]:
    """Means before and after, their difference, and the rank test of the changes."""
    bench = BartlMeasurements(setting)
    runs = _both(lambda how: (setting.tried(bench.before, **how), setting.tried(bench.after, **how)))
    before = {how: (earlier,) for how, (earlier, _) in runs.items()}
    after = {how: (later,) for how, (_, later) in runs.items()}
    for jobs in JOBS:
        for person in BARTL_GENDERS:
            cell = partial(_cell, setting, f"{jobs} jobs, {person} persons", f"table4.{jobs}.{person}")
            yield cell("pre", _of(jobs, person), before)
            yield cell("post", _of(jobs, person), after)
            yield cell("diff", partial(_change, jobs=jobs, person=person), runs)
        for column in ("V", "r"):
            yield _cell(setting, f"{jobs} jobs", f"test4.{jobs}", column, partial(_tested, bench, jobs, column), runs)
        yield _gap(setting, jobs, "english", before)


def german(setting: Setting) -> Iterator[Shown]:
    """Means, deviations and the rank test; and what is left of the gap where the grammar is taken out."""
    bench = BartlMeasurements(setting)
    runs = _both(lambda how: (setting.tried(bench.before, "de", **how),))
    for jobs in JOBS:
        for person in BARTL_GENDERS:
            cell = partial(_cell, setting, f"{jobs} jobs, {person} persons", f"table5.{jobs}.{person}")
            yield cell("mean", _of(jobs, person), runs)
            yield cell("sd", partial(_deviation, bench, jobs, person), runs)
        for column in ("V", "r"):
            yield _cell(setting, f"{jobs} jobs", f"test5.{jobs}", column, partial(_tested, bench, jobs, column), runs)
        yield _gap(setting, jobs, "german", runs)
    crossed = setting.tried(bench.crossed)
    balanced = setting.tried(grammar_balanced_of, crossed)
    for jobs in JOBS:
        gap = setting.tried(_among(jobs), balanced)
        yield setting.cell(f"{jobs} jobs", "male − female without the grammar", ours=gap, note="Ours, not the paper's.")
    effect = setting.tried(agreement_effect, crossed)
    yield setting.cell("all jobs", "agreement effect", ours=effect, note="Ours, not the paper's.")


def professions(group: str) -> Callable[[Setting], Iterator[Shown]]:
    """Tables 6 to 8: the professions of a group, and how many German forms differ."""

    def rows(setting: Setting) -> Iterator[Shown]:
        listed = [profession for profession in bec_pro_professions() if profession.group == group]
        two = sum(one.german_masculine != one.german_feminine for one in listed)
        women = sum(one.share_of_women for one in listed) / len(listed)
        yield setting.cell(f"{group} professions", "count", ours=float(len(listed)))
        yield setting.cell(f"{group} professions", "with two German forms", ours=float(two))
        yield setting.cell(f"{group} professions", "mean share of women, per cent", ours=women)

    return rows


def _both(run: Callable[[dict[str, bool]], tuple[Any, ...]]) -> Runs:
    """The results of our variant and of the published one."""
    return {"ours": run({}), "as_published": run({"as_published": True})}


def _cell(
    setting: Setting, row: str, published: str, column: str, figure: Callable[..., Any], runs: Runs, *, name: str = ""
) -> Shown:
    """A figure of both runs beside the published one."""
    found = {how: setting.tried(figure, *results) for how, results in runs.items()}
    return setting.cell(row, name or column, published=f"bartl2020.{published}.{column}", **found)


def _gap(setting: Setting, jobs: str, language: str, before: Runs) -> Shown:
    return _cell(setting, f"{jobs} jobs", language, jobs, _among(jobs), before, name="male − female, before")


def _among(jobs: str) -> Callable[[Result], Result]:
    return lambda result: result.where(profession_group=jobs)


def _of(jobs: str, person: str) -> Callable[[Result], Result]:
    return lambda result: result.where(profession_group=jobs).of_group(person)


def _change(before: Result, after: Result, *, jobs: str, person: str) -> Result:
    earlier, later = (result.where(profession_group=jobs) for result in (before, after))
    return association_change(earlier, later, person=person)


def _tested(bench: BartlMeasurements, jobs: str, column: str, before: Result, after: Result | None = None) -> float:
    test = bench.group(jobs, before, after).test
    return float(test.v if column == "V" else test.r)


def _deviation(bench: BartlMeasurements, jobs: str, person: str, result: Result) -> float:
    return float(getattr(bench.group(jobs, result), f"{person}_sd"))
