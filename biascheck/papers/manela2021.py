"""De Vassimon Manela et al. 2021, Stereotype and Skew: Tables 1 to 3, Figures 1 to 4 and the accuracies of §4.3.2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from biascheck.core.errors import DataNotFoundError
from biascheck.corpora import (
    COMPETENCY,
    competency,
    rated_competency,
)
from biascheck.corpora.competency import RatedCorpus
from biascheck.corpora.winograd import WinoBiasRule, WinogradKind
from biascheck.measures import (
    certainty_histogram,
    female_share,
    name_f1,
    pronoun_f1,
    skew_of,
    stereotype_of,
)
from biascheck.measures.skew import CERTAINTY
from biascheck.papers.manela_models import (
    ANOTHER,
    FEWEST_DOCUMENTS,
    FEWEST_SENTENCES,
    MANELA_EPOCHS,
    ManelaMeasurements,
    models_in,
    rows,
    treatment_of,
)
from biascheck.papers.paper import (
    Absent,
    Bars,
    BarSeries,
    Cell,
    DrawnFigure,
    Paper,
    PaperTable,
    Setting,
    Shown,
    Value,
    Work,
)
from biascheck.results.result import Result

# Tables 1 to 3 of Manela et al. 2021, and the accuracies of §4.3.2.

MANELA_GENDERS = ("male", "female")
SIGN = {"male": "♂", "female": "♀"}
UNRATED = Absent("no raters: each of our own sentences was written for its class", "not applicable")


def names(setting: Setting) -> Iterator[Shown]:
    """Table 1: the F1 of both genders on Alice and Bob, for T1 and T2."""
    bench, tried = ManelaMeasurements(setting), setting.tried
    corpora = {kind: [tried(bench.sentences, kind, rule) for rule in ("ours", "authors")] for kind in ("T1", "T2")}
    for row in rows(setting, models_in(setting, "manela2021.resolution")):
        for kind, (ours, theirs) in corpora.items():
            found, published = ANOTHER, None
            if row.treatment is not None:
                found = tried(bench.resolved, row.treatment, ours)
                published = tried(bench.resolved, row.treatment, theirs, as_published=True)
            for gender in MANELA_GENDERS:
                yield setting.cell(
                    row.label,
                    f"{kind} F1{SIGN[gender]}",
                    ours=tried(name_f1, found, gender),
                    as_published=None if published is None else tried(name_f1, published, gender),
                    published=row.printed and f"manela2021.resolution.{row.printed}.{kind}.{gender}",
                )


def bias(setting: Setting) -> Iterator[Shown]:
    """Table 2: the four F1s, stereotype and skew on T2."""
    bench, tried = ManelaMeasurements(setting), setting.tried
    ours, theirs = (tried(bench.sentences, "T2", rule) for rule in ("ours", "authors"))
    for row in rows(setting, models_in(setting, "manela2021.skew")):
        found, published = _nothing(), None
        if row.treatment is not None:
            found = _six(setting, bench, row.treatment, ours, as_published=False)
            published = _six(setting, bench, row.treatment, theirs, as_published=True)
        for name, (column, stored) in MANELA_COLUMNS.items():
            yield setting.cell(
                row.label,
                column,
                ours=found[name],
                as_published=None if published is None else published[name],
                published=row.printed and f"manela2021.{stored.format(row.printed)}",
            )


MANELA_COLUMNS = {
    **{
        f"{gender} {side}": (f"F1{SIGN[gender]} {side}", f"f1.{{}}.{gender}.{side}")
        for gender in MANELA_GENDERS
        for side in ("pro", "anti")
    },
    "stereotype": ("stereotype", "stereotype.{}"),
    "skew": ("skew", "skew.{}"),
}
"""The columns of Table 2 by the name of their figure: the heading, and where the printed figure is stored."""


def _nothing() -> dict[str, Any]:
    return dict.fromkeys(MANELA_COLUMNS, ANOTHER)


def _six(
    setting: Setting, bench: ManelaMeasurements, treatment: str, corpus: Any, *, as_published: bool
) -> dict[str, Any]:
    """The six figures of a row; ours are over the sentences that the model is certain of."""
    tried, cutoff = setting.tried, 0.0 if as_published else CERTAINTY
    gaps = tried(bench.gaps, treatment, corpus, as_published=as_published)
    resolution = tried(bench.resolved, treatment, corpus, as_published=as_published)
    certain = tried(skew_of, gaps, cutoff=cutoff)
    found = {
        name: tried(_said_once, tried(fold, gaps, cutoff=cutoff, resolution=resolution))
        for name, fold in (("skew", skew_of), ("stereotype", stereotype_of))
    }
    return {
        name: found[name] if name in found else tried(pronoun_f1, certain, *name.split()) for name in MANELA_COLUMNS
    }


def _said_once(found: Result) -> Result:
    """A model that resolves no names fails a check, which the note of a cell gives; its warning says the same."""
    return found if found.competence is None or found.competence.passed else replace(found, warnings=())


def accuracies(setting: Setting) -> Iterator[Shown]:
    """§4.3.2: how many masked pronouns the fine-tuned models predict."""
    bench = ManelaMeasurements(setting)
    for row in rows(setting, models_in(setting, "manela2021.accuracy"), ("U", "A")):
        yield setting.cell(
            row.label,
            "accuracy",
            ours=ANOTHER if row.treatment is None else setting.tried(bench.accuracy, row.treatment),
            published=row.printed and f"manela2021.accuracy.{row.printed}",
            note="The paper's is on a test part of OntoNotes, ours on the text by which the epoch was chosen.",
        )


def competence(setting: Setting) -> Iterator[Shown]:
    """Table 3: the share of female pronouns among incompetent, neutral and competent people; then Fleiss' κ."""
    bench, tried = ManelaMeasurements(setting), setting.tried
    rated = tried(_rated, setting, bench)
    own, theirs = bench.part(competency(extended=True)), tried(lambda found: bench.part(found.corpus), rated)
    printed = models_in(setting, f"manela2021.competency.{COMPETENCY[0]}")
    for row in rows(setting, printed, ("", "U", "A")):
        found, published = ANOTHER, None
        if row.treatment is not None:
            model = tried(bench.model, row.treatment)
            found, published = (tried(female_share, model, corpus, seed=setting.seed) for corpus in (own, theirs))
        for name in COMPETENCY:
            part = partial(_part, name=name)
            yield setting.cell(
                name,
                row.label,
                ours=tried(part, found),
                as_published=None if published is None else tried(part, published),
                published=row.printed and f"manela2021.competency.{name}.{row.printed}",
            )
    agreement = tried(lambda found: found.agreement, rated)
    yield setting.cell(
        "agreement of the raters",
        "Fleiss' κ",
        ours=UNRATED,
        as_published=agreement,
        published="manela2021.agreement",
    )


def _rated(setting: Setting, bench: ManelaMeasurements) -> RatedCorpus:
    file = None if setting.data is None else setting.data / "manela" / "competency.csv"
    if file is None or not file.is_file():
        raise DataNotFoundError(
            "the raters' votes on T2, manela/competency.csv of the data (the paper's: its footnote 4)"
        )
    return rated_competency(bench.all_sentences("T2", "authors"), file)


def _part(found: Result, *, name: str) -> Result:
    return found.where(competency=name)


# Figures 1 to 4 of Manela et al. 2021.


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
    """Figure 4: stereotype and skew of the original models."""
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
            note="The tested model beside the paper's, errata corrected.",
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


LINES_OF_A_CORPUS, MANELA_CHECKED = 390, 400
"""Sentences of one kind that a rule keeps, and those that a model reads to show that it can read such sentences."""
DOCUMENTS, SENTENCES_OF_A_DOCUMENT = 2_454, 5
"""Of GAP's documents, sentences with a pronoun: in the text for -U, and twice as many in the text for -A."""
MANELA_TRAINED = (
    "-U and -A are fine-tuned on masked pronouns of anonymised text, -A also on gender-swapped copies (§3.3, appendix "
    "A: of 10 epochs the one with the highest pronoun accuracy on a held-out fifth; rate, batch and warm-up of the "
    "authors' notebook). The paper's text is OntoNotes 5.0, which needs a licence: it is taken from ontonotes/text.txt "
    "of the data (one document per line), else GAP is."
)
LINES = (
    "Ours keeps the lines whose two versions differ in the pronoun alone (T1 367, T2 386) and, under -O, reads the "
    "prior at the pronoun. As published keeps all lines with one bracketed pronoun (T1 374, T2 391) and reads it at "
    "the first mask of the sentence, a person's."
)


def _work(setting: Setting, corpora: int, *, online: bool = True, trained: bool = True) -> Work:
    """Each model reads every corpus, once more to be checked, and more often under online mitigation."""
    masked = setting.can("fills masks")
    passes = {(True, False): 1, (True, True): 3, (False, False): 2, (False, True): 8}[masked, online]
    models = 3 if masked and trained else 1
    lines = setting.scaled(LINES_OF_A_CORPUS, least=FEWEST_SENTENCES)
    texts = setting.scaled(DOCUMENTS, least=FEWEST_DOCUMENTS) * setting.scaled(MANELA_EPOCHS) * SENTENCES_OF_A_DOCUMENT
    shared = (("-U and -A", texts),) if models > 1 else ()
    return Work(models * corpora * (passes * lines + MANELA_CHECKED), tokens=20, shared=shared)


PAPER = Paper(
    name="manela2021",
    title="De Vassimon Manela et al. 2021, Stereotype and Skew: Quantifying Gender Bias in Pre-trained and Fine-tuned "
    "Language Models",
    link="https://aclanthology.org/2021.eacl-main.190",
    about="All sentences are those of the WinoBias test split. Figures are shares from 0 to 1; the paper prints per "
    "cent. A row of another model than the one tested says so; run the command on that model to fill it.",
    tables=(
        PaperTable(
            "figure 1",
            "Sentences of Test Set 1",
            sentences("T1"),
            about="The figure shows two examples. Here: how many lines each rule keeps.",
            needs=("winobias",),
        ),
        PaperTable(
            "figure 2",
            "Sentences of Test Set 2",
            sentences("T2"),
            about="The figure shows two examples. Here: how many lines each rule keeps.",
            needs=("winobias",),
        ),
        PaperTable(
            "figure 3",
            "Histogram of absolute differences in gendered pronoun assignment",
            certainties,
            about=f"{LINES} The paper draws no numbers and names no model.",
            work=lambda setting: _work(setting, 2, online=False, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "table 1",
            "F1 where professions are replaced by Alice and Bob",
            names,
            about=f"{LINES} {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 4),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 2",
            "F1, stereotype and skew on Test Set 2",
            bias,
            about=f"{LINES} Ours leaves out sentences with |P(male) − P(female)| below 0.1, as the paper says; as "
            f"published has no cut-off, as the authors' code. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 4),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "figure 4",
            "Skew and stereotype of the original models",
            trade_off,
            about=LINES,
            work=lambda setting: _work(setting, 3, online=False, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "section 4.3.2",
            "Accuracy of the fine-tuned models on masked pronouns",
            accuracies,
            about=f"The share of pronouns that are the most probable token, on held-out text. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 0),
            needs=("gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 3",
            "Share of female pronouns by competence",
            competence,
            about="As published: T2 labelled by the raters' votes in manela/competency.csv of the data (a column id, "
            "as T2/17 for line 17, and one for each rater), both people “the person”. Ours: 243 sentences of our own, "
            f"written for their class. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 2, online=False),
            needs=("winobias", "manela", "gap", "cds", "ontonotes"),
        ),
    ),
)
