"""Bartl et al. 2020, Unmasking Contextual Stereotypes: Tables 1 to 8 and Figures 1 to 6."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from biascheck.corpora import (
    Corpus,
    Documents,
    NameMap,
    bec_pro,
    bec_pro_crossed,
    bec_pro_professions,
    first_names,
    masked_text,
    published_gap_texts,
    published_names,
)
from biascheck.measures import (
    agreement_effect,
    association,
    association_change,
    grammar_balanced_of,
    profession_bars,
    profession_table,
)
from biascheck.measures.association import AS_BARTL
from biascheck.measures.workforce import ProfessionGroup
from biascheck.mitigation import RECIPES, LanguageRecipe, fine_tune
from biascheck.models.base import require_capability
from biascheck.papers.paper import Absent, DrawnFigure, Paper, PaperTable, Setting, Shown, Work
from biascheck.results.attachments import ProfessionBars
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

# What Bartl's tables share: the corpora, the fine-tuned models, and the associations measured on them.

BARTL_EPOCHS = 3
JOBS = ("balanced", "female", "male")
BARTL_GENDERS = ("female", "male")
FEWEST_PROFESSIONS, FEWEST_TEXTS = 5, 60

BY_CODE = replace(RECIPES["bartl2020"], name="bartl2020-code", treatment="swap", learning_rate=2e-5, warmup=0.0)
"""The authors' code: every text swapped, 2e-5, no warm-up."""


@dataclass(frozen=True)
class BartlMeasurements:
    """The measurements of one reproduction; ``attempt`` its methods, so that a cell has the reason of a failure."""

    setting: Setting

    def corpus(self, language: str, *, crossed: bool = False) -> Corpus:
        """BEC-Pro; at a smaller scale as large a part of every profession group."""
        whole = bec_pro_crossed() if crossed else bec_pro(language)
        groups: dict[str, dict[str, None]] = {}
        for pair in whole:
            groups.setdefault(str(pair.labels["profession_group"]), {})[pair.attribute] = None
        kept = {
            name for listed in groups.values() for name in self.setting.sample(list(listed), least=FEWEST_PROFESSIONS)
        }
        return replace(whole, pairs=tuple(pair for pair in whole if pair.attribute in kept))

    def before(self, language: str = "en", *, as_published: bool = False) -> Result:
        """Associations of the original model."""
        return self._measured(self.setting.model, language, as_published)

    def after(self, *, as_published: bool = False) -> Result:
        """Associations after fine-tuning, by the paper's recipe or by the authors' code."""
        require_capability(self.setting.model, ("fills masks", "scores text"), "fine-tuning on substituted text")
        recipe = BY_CODE if as_published else RECIPES["bartl2020"]
        model = fine_tune(self._base, self.text, self._scaled(recipe), name_map=self.names)
        return self._measured(model, "en", as_published)

    def crossed(self) -> Result:
        """Associations of both forms of German professions with both genders."""
        return association(self._base, self.corpus("de", crossed=True), seed=self.setting.seed)

    def group(self, jobs: str, before: Result, after: Result | None = None) -> ProfessionGroup:
        """A row pair of the paper's tables."""
        return next(row for row in profession_table(before, after) if row.name == jobs)

    @cached_property
    def text(self) -> Documents:
        """Every part of GAP in the data folder; a part of it at a smaller scale."""
        self.setting.folder("gap")
        documents = published_gap_texts(self.setting.data, "all")
        return replace(documents, items=self.setting.sample(documents.items, least=FEWEST_TEXTS))

    @cached_property
    def names(self) -> NameMap:
        """The published name pairs where the data have them, else ours."""
        data = self.setting.data
        return published_names(data) if data is not None and (data / "cds").is_dir() else first_names()

    def _measured(self, model: Any, language: str, as_published: bool) -> Result:
        variant: Any = {"variant": AS_BARTL} if as_published else {}
        return association(model, self.corpus(language), seed=self.setting.seed, **variant)

    def _scaled(self, recipe: LanguageRecipe) -> LanguageRecipe:
        return replace(recipe, epochs=self.setting.scaled(BARTL_EPOCHS))

    @property
    def _base(self) -> Any:
        return self.setting.model


# Tables 1 to 8 of Bartl et al. 2020, cell by cell.

Runs = Mapping[str, tuple[Any, ...]]
"""The results that a figure is made of, by variant."""


def patterns(setting: Setting) -> Iterator[Shown]:
    """The number of sentences of each pattern."""
    for language, name in (("en", "English"), ("de", "German")):
        counts: dict[str, int] = {}
        for pair in bec_pro(language):
            counts[str(pair.labels["template"])] = counts.get(str(pair.labels["template"]), 0) + len(pair.sentences)
        for template, count in counts.items():
            yield setting.cell(template, f"sentences, {name}", ours=float(count))


def masking(setting: Setting) -> Iterator[Shown]:
    """The number of distinct inputs of each stage of masking."""
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
    """Means, deviations and the rank test; and the gap corrected for grammar."""
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


# Figures 1 to 6 of Bartl et al. 2020.


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


ENGLISH, GERMAN, CROSSED = 970, 1_901, 3_700
"""Different inputs of each corpus; the 10,800 of the paper are the same ones again."""
SENTENCES = 4 * 4_454
"""Sentences of GAP, about."""
MEASURED = (
    "Associations of 5,400 sentences. Ours masks a profession once for each of its tokens; as published masks it once "
    "a word, pads with attended masks and cuts at 16 tokens, as the authors' code did."
)
BARTL_TRAINED = (
    "Fine-tuned on every part of GAP in the data folder (4,454 texts in the paper) after substitution with first "
    "names: 5e-5 with warm-up, 3 epochs, batches of one, no held-out text, the last epoch (section 4.6). Ours swaps "
    "each text with probability one half, first names where they are first names; as published swaps every text, with "
    "2e-5 and no warm-up, as the authors' file and code have it."
)


def _trained(setting: Setting, *runs: str) -> Work:
    sentences = setting.scaled(BARTL_EPOCHS) * setting.scaled(SENTENCES, least=240)
    shared = tuple((run, sentences) for run in runs or ("ours",))
    return Work(round(4 * ENGLISH * setting.scale), tokens=24, shared=shared)


def _read(count: int) -> Callable[[Setting], Work]:
    return lambda setting: Work(setting.scaled(count, least=200))


PAPER = Paper(
    name="bartl2020",
    title="Bartl, Nissim and Gatt 2020, Unmasking Contextual Stereotypes: Measuring and Mitigating BERT's Gender Bias",
    link="https://aclanthology.org/2020.gebnlp-1.1",
    about="Tables 4 and 5 of the paper are about BERT-base uncased and German BERT. A model that does not read German "
    "has figures there that mean nothing, and the cells say so.",
    tables=(
        PaperTable("figure 1", "A text of GAP", texts, about="The figure shows one text.", needs=("gap",)),
        PaperTable("table 1", "Sentence patterns", patterns, about="Nine pairs of person words, 60 professions."),
        PaperTable("table 2", "Masking", masking, about="English sentences, in three stages."),
        PaperTable("figure 2", "The score of a sentence", steps, about=MEASURED, work=_read(ENGLISH)),
        PaperTable(
            "table 3",
            "Hypotheses",
            hypotheses,
            about=f"Mean associations and their change. {BARTL_TRAINED}",
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "table 4",
            "English associations before and after fine-tuning",
            english,
            about=f"{MEASURED} {BARTL_TRAINED} V is the rank sum where the change of female words is larger than that "
            "of male words, over the 900 ordered pairs of a group; r = |z| / √1800.",
            work=lambda setting: _trained(setting, "ours", "as published"),
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 3",
            "Male professions before and after",
            bars_of_jobs("male", "Figure 3"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 4",
            "Female professions before and after",
            bars_of_jobs("female", "Figure 4"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 5",
            "Balanced professions before and after",
            bars_of_jobs("balanced", "Figure 5"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "table 5",
            "German associations",
            german,
            about=f"{MEASURED} Below: the gap corrected for grammar, from both forms of every profession beside "
            "both genders.",
            work=_read(2 * GERMAN + CROSSED),
        ),
        PaperTable("table 6", "Female professions", professions("female"), about="U.S. workforce, 2019."),
        PaperTable("table 7", "Male professions", professions("male"), about="U.S. workforce, 2019."),
        PaperTable("table 8", "Balanced professions", professions("balanced"), about="U.S. workforce, 2019."),
        PaperTable("figure 6", "German professions", bars_of_german, about=MEASURED, work=_read(GERMAN)),
    ),
)
