"""What Bartl's tables share: the corpora, the fine-tuned models, and the associations measured on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from biascheck.corpora import (
    Corpus,
    Documents,
    NameMap,
    bec_pro,
    bec_pro_crossed,
    first_names,
    published_gap_texts,
    published_names,
)
from biascheck.debias import RECIPES, LanguageRecipe, fine_tune
from biascheck.measures import association, profession_table
from biascheck.measures.association import AS_BARTL
from biascheck.measures.tables.profession_table import ProfessionGroup
from biascheck.models.capabilities import require_capability
from biascheck.reproduce.setting import Setting
from biascheck.results.result import Result

__all__ = ["BARTL_EPOCHS", "BARTL_GENDERS", "JOBS", "BartlMeasurements"]

BARTL_EPOCHS = 3
JOBS = ("balanced", "female", "male")
BARTL_GENDERS = ("female", "male")
FEWEST_PROFESSIONS, FEWEST_TEXTS = 5, 60

BY_CODE = replace(RECIPES["bartl2020"], name="bartl2020-code", treatment="swap", learning_rate=2e-5, warmup=0.0)
"""The authors' code: every text swapped, 2e-5, no warm-up."""


@dataclass(frozen=True)
class BartlMeasurements:
    """The measurements of one reproduction; attempt its methods, so that a cell says why one is not possible."""

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
        """Associations of the model as it comes."""
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
        """Every part of GAP that is there; a part of it at a smaller scale."""
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
