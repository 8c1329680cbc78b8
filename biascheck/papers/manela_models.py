"""The models of Manela et al. 2021, trained without and with gender-swapped copies, and the rows of its tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from re import sub
from typing import Any

from biascheck.corpora import (
    Corpus,
    Documents,
    NameMap,
    first_names,
    published_gap_texts,
    published_names,
    published_winobias,
    read_documents,
)
from biascheck.corpora.winograd import WinoBiasRule, WinogradKind
from biascheck.measures import (
    name_resolution,
    pronoun_gap,
)
from biascheck.measures.pronouns import AS_IN_MANELA_2021
from biascheck.mitigation import RECIPES, LanguageRecipe, checkpoint_folder, fine_tune
from biascheck.mitigation.language import RECORD
from biascheck.models.base import require_capability
from biascheck.papers.paper import (
    Absent,
    Setting,
)
from biascheck.results.result import Result

MANELA_EPOCHS = 10
FEWEST_SENTENCES, FEWEST_DOCUMENTS = 60, 60


@dataclass(frozen=True)
class ManelaMeasurements:
    """The sentences, trained models and measurements that the tables share; ``attempt`` its methods."""

    setting: Setting

    def sentences(self, kind: WinogradKind, rule: WinoBiasRule = "ours") -> Corpus:
        """The test split by our rule or the authors'; a part of it at a smaller scale."""
        return self.part(self.all_sentences(kind, rule))

    def all_sentences(self, kind: WinogradKind, rule: WinoBiasRule) -> Corpus:
        """The whole test split."""
        self.setting.folder("winobias")
        return published_winobias(self.setting.data, "test", kind, rule=rule).corpus

    def model(self, treatment: str) -> Any:
        """The model under test, fine-tuned if the treatment says so; online mitigation changes only the measurement."""
        if not treatment.strip("O"):
            return self.setting.model
        require_capability(self.setting.model, ("fills masks",), "training on masked pronouns")
        return fine_tune(self._base, self.text, self.recipe(treatment), name_map=self.names)

    def gaps(self, treatment: str, corpus: Corpus, *, as_published: bool = False) -> Result:
        """The pronoun gaps under a treatment."""
        return pronoun_gap(self.model(treatment), corpus, seed=self.setting.seed, **_how(treatment, as_published))

    def resolved(self, treatment: str, corpus: Corpus, *, as_published: bool = False) -> Result:
        """The resolution of names under a treatment."""
        return name_resolution(self.model(treatment), corpus, seed=self.setting.seed, **_how(treatment, as_published))

    def accuracy(self, treatment: str) -> float:
        """The share of held-out pronouns that the fine-tuned model finds most probable."""
        require_capability(self.setting.model, ("fills masks",), "training on masked pronouns")
        folder = checkpoint_folder(self._base, self.text, self.recipe(treatment), self.names)
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return 1 - float(record["errors"][record["kept_epoch"] - 1])

    def recipe(self, treatment: str) -> LanguageRecipe:
        """The recipe of a treatment, with as many epochs as the scale asks for."""
        recipe = RECIPES["manela2021-augmented" if "A" in treatment else "manela2021-unaugmented"]
        return replace(recipe, epochs=self.setting.scaled(MANELA_EPOCHS))

    @cached_property
    def text(self) -> Documents:
        """OntoNotes where the data have it, else GAP; a part of it at a smaller scale."""
        data = self.setting.data
        if data is not None and (data / "ontonotes" / "text.txt").is_file():
            documents = read_documents(data / "ontonotes" / "text.txt")
        else:
            self.setting.folder("gap")
            documents = published_gap_texts(data)
        return replace(documents, items=self.setting.sample(documents.items, least=FEWEST_DOCUMENTS))

    @cached_property
    def names(self) -> NameMap:
        """The published name pairs where the data have them, else ours."""
        data = self.setting.data
        return published_names(data) if data is not None and (data / "cds").is_dir() else first_names()

    def part(self, corpus: Corpus) -> Corpus:
        """As many sentences as the scale asks for."""
        return replace(corpus, pairs=self.setting.sample(corpus.pairs, least=FEWEST_SENTENCES))

    @property
    def _base(self) -> Any:
        return self.setting.model


def _how(treatment: str, as_published: bool) -> dict[str, Any]:
    """The options of a measure: under -O, online mitigation, as published with the prior read at the first mask."""
    if "O" not in treatment:
        return {}
    return {"online": True, **({"variant": AS_IN_MANELA_2021} if as_published else {})}


# The rows of Manela's tables: the model that is tested under each treatment, then the paper's other models.

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
