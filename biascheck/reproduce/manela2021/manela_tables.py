"""Tables 1 to 3 of Manela et al. 2021, and the accuracies of §4.3.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from biascheck.corpora import COMPETENCY, competency, rated_competency
from biascheck.corpora.datasets.competency import RatedCorpus
from biascheck.errors import DataNotFoundError
from biascheck.measures import female_share, name_f1, pronoun_f1, skew_of, stereotype_of
from biascheck.measures.pronouns.certain_gaps import CERTAINTY
from biascheck.reproduce.cells import Absent, Shown
from biascheck.reproduce.manela2021.manela_rows import ANOTHER, models_in, rows
from biascheck.reproduce.manela2021.manela_trained import ManelaMeasurements
from biascheck.reproduce.setting import Setting
from biascheck.results.result import Result

__all__ = ["accuracies", "bias", "competence", "names"]

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
