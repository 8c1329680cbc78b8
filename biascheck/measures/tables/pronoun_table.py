"""Tables 1 and 2 of Manela et al. (2021) for one model before and after fine-tuning, beside the published rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.corpora.datasets.winograd import WinogradKind, winograd
from biascheck.measures.pronouns.name_f1 import name_f1
from biascheck.measures.pronouns.name_resolution import name_resolution
from biascheck.measures.pronouns.pronoun_f1 import pronoun_f1
from biascheck.measures.pronouns.pronoun_gap import pronoun_gap
from biascheck.measures.pronouns.skew import skew_of
from biascheck.measures.pronouns.stereotype import stereotype_of
from biascheck.models.capabilities import LanguageModel
from biascheck.results.published_figures import PublishedFigure, PublishedFigures
from biascheck.results.result import Result
from biascheck.wording import as_printed, format_number

__all__ = ["PronounRow", "pronoun_table", "text_of_pronouns"]

KIND: WinogradKind = "T2"
UNTRAINED = "BERT"


@dataclass(frozen=True)
class PronounRow:
    """One figure before and after, and the paper's for BERT and for BERT fine-tuned in the same way."""

    name: str
    before: Result
    after: Result
    published: tuple[PublishedFigure, PublishedFigure]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of either figure must know, such as that the model does not resolve names."""
        return (*self.before.warnings, *self.after.warnings)


def pronoun_table(
    before: LanguageModel, after: LanguageModel, figures: PublishedFigures, trained_like: str, *, seed: int = 0
) -> tuple[PronounRow, ...]:
    """F1 of both genders on names, the four F1s, stereotype and skew of two models on our own sentences of kind T2.

    ``trained_like`` is the row of the paper to compare with after the training: BERT-U or BERT-A. The two columns that
    are swapped in print are put right in ``figures``, and their errata say so.
    """
    found = [_figures(model, seed) for model in (before, after)]
    return tuple(
        PronounRow(name, found[0][name], found[1][name], _published(figures, key, trained_like))
        for name, key in _NAMES.items()
    )


_NAMES = {
    "F1 of male names": "resolution.{}.T2.male",
    "F1 of female names": "resolution.{}.T2.female",
    "F1 male, pro": "f1.{}.male.pro",
    "F1 male, anti": "f1.{}.male.anti",
    "F1 female, pro": "f1.{}.female.pro",
    "F1 female, anti": "f1.{}.female.anti",
    "stereotype": "stereotype.{}",
    "skew": "skew.{}",
}
"""The rows of the table, and under which name the paper's figure of a model is stored."""


def _figures(model: LanguageModel, seed: int) -> dict[str, Result]:
    corpus = winograd(KIND)
    gaps, names = pronoun_gap(model, corpus, seed=seed), name_resolution(model, corpus, seed=seed)
    return {
        "F1 of male names": name_f1(names, "male"),
        "F1 of female names": name_f1(names, "female"),
        "F1 male, pro": pronoun_f1(gaps, "male", "pro"),
        "F1 male, anti": pronoun_f1(gaps, "male", "anti"),
        "F1 female, pro": pronoun_f1(gaps, "female", "pro"),
        "F1 female, anti": pronoun_f1(gaps, "female", "anti"),
        "stereotype": stereotype_of(gaps, resolution=names),
        "skew": skew_of(gaps, resolution=names),
    }


def _published(figures: PublishedFigures, key: str, trained_like: str) -> tuple[PublishedFigure, PublishedFigure]:
    first, second = (figures.entries[f"manela2021.{key.format(model)}"] for model in (UNTRAINED, trained_like))
    return first, second


def text_of_pronouns(rows: Sequence[PronounRow]) -> str:
    """The rows as lines of text, the published figures in brackets after ours; then their errata."""
    models = " → ".join(one.model for one in rows[0].published)
    lines = [f"pronouns on {rows[0].before.corpus_label.split('·')[0]} [in brackets: Manela et al. 2021, {models}]"]
    for row in rows:
        ours, theirs = (
            f"{format_number(row.before.estimate)} → {format_number(row.after.estimate)}",
            map(_printed, row.published),
        )
        lines.append(f"  {row.name:20}{ours} [{' → '.join(theirs)}]")
    errata = dict.fromkeys(one.erratum for row in rows for one in row.published if one.erratum)
    return "\n".join([*lines, *(f"  erratum: {erratum}" for erratum in errata)])


def _printed(one: PublishedFigure) -> str:
    return as_printed(one.value)
