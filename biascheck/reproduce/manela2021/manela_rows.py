"""The rows of Manela's tables: the model that is tested under each treatment, then the paper's other models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from re import sub

from biascheck.reproduce.cells import Absent
from biascheck.reproduce.setting import Setting

__all__ = ["ANOTHER", "ManelaRow", "models_in", "rows", "treatment_of"]

TREATMENTS = ("", "O", "U", "UO", "A", "AO")
ANOTHER = Absent("another model; run reproduce on it", "not applicable")
FAMILIES = {
    "bert-base-uncased": "BERT",
    "bert-large-uncased": "BERT-large",
    "roberta-base": "RoBERTa",
    "roberta-large": "RoBERTa-large",
    "albert-base": "ALBERT",
    "albert-large": "ALBERT-large",
    "albert-xlarge": "ALBERT-xlarge",
    "albert-xxlarge": "ALBERT-xxlarge",
    "xlm-roberta-base": "XLM-RoBERTa",
    "xlm-roberta-large": "XLM-RoBERTa-large",
    "distilbert-base-uncased": "DistilBERT",
}
"""Which of the paper's models a name on the Hub is, its version (-v2) left out."""


@dataclass(frozen=True)
class ManelaRow:
    """A row: its label, the treatment under which the tested model is measured, and the paper's model in it.

    ``treatment`` is nothing for another model than the one tested, ``printed`` empty where the paper has no such row.
    """

    label: str
    treatment: str | None
    printed: str = ""


def rows(setting: Setting, printed: Iterable[str], treatments: Iterable[str] = TREATMENTS) -> Iterator[ManelaRow]:
    """The tested model under each treatment, beside its row of the paper; then all other rows of the paper."""
    left = list(dict.fromkeys(printed))
    family = _family(setting.model.name)
    for treatment in treatments:
        end = f"-{treatment}" if treatment else ""
        known = f"{family}{end}" if f"{family}{end}" in left else ""
        if known:
            left.remove(known)
        yield ManelaRow(f"{family or setting.model.name}{end}", treatment, known)
    for model in left:
        yield ManelaRow(model, None, model)


def models_in(setting: Setting, prefix: str) -> list[str]:
    """The models that the paper has figures of under a name such as ``manela2021.skew``."""
    return list(dict.fromkeys(figure.name.split(".")[0] for figure in setting.figures.listed(prefix)))


def treatment_of(model: str) -> str:
    """The suffix of a model of the paper: O, U, UO, A, AO or nothing."""
    suffix = model.rpartition("-")[2]
    return suffix if suffix in TREATMENTS else ""


def _family(name: str) -> str:
    return FAMILIES.get(sub(r"-v\d$", "", name.rpartition("/")[2].lower()), "")
