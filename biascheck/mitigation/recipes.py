"""Recipes: every setting besides data and base model that determines a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from biascheck.core.errors import UsageError
from biascheck.corpora.rewriting.counterfactual import Contradictions, Method, Names
from biascheck.corpora.rewriting.terms import TermName
from biascheck.models.local.classifier import Keep, Window

ChosenEpoch = Literal["lowest loss", "highest accuracy", "last"]
Objective = Literal["language", "pronouns"]
Unit = Literal["sentences", "windows"]
CHOICES = MappingProxyType(
    {"objective": Objective, "treatment": Method, "names": Names, "contradictions": Contradictions, "unit": Unit}
)


@dataclass(frozen=True)
class Recipe:
    """Settings to fine-tune any model: AdamW with a linear schedule, stopped when validation stops improving.

    ``warmup`` is a share of all steps; ``patience`` is how many epochs may pass without a better validation score.
    ``chosen_epoch`` says whose weights are used: of the epoch with the lowest loss on the held-out part, of that with
    the highest accuracy there (the share of hidden tokens, or of classes, that are the most probable ones; the earlier
    of two epochs that tie), or of the last one, which ends no run early. ``freeze_embeddings`` and ``frozen_layers``
    freeze the lowest parts of the base, which saves time.
    """

    epochs: int = 3
    batch: int = 16
    learning_rate: float = 5e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    patience: int = 1
    chosen_epoch: ChosenEpoch = "lowest loss"
    freeze_embeddings: bool = True
    frozen_layers: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is at least 1, not {getattr(self, name)}")
        if self.learning_rate <= 0:
            raise UsageError(f"a learning rate of {self.learning_rate:g} learns nothing; give a positive one")
        if self.chosen_epoch not in get_args(ChosenEpoch):
            raise UsageError(f"chosen_epoch is one of {', '.join(get_args(ChosenEpoch))}, not {self.chosen_epoch!r}")


@dataclass(frozen=True)
class ClassifierRecipe(Recipe):
    """How a sentiment classifier is fine-tuned on reviews.

    ``dropout`` is that of the classification head (the paper's 0.5); ``pieces`` and ``keep`` say which part of a long
    review is read; ``validation`` is the share of the reviews held out to decide when to stop. ``parts`` is how many
    epochs a pass over the reviews takes: with 2, every epoch trains on one half of them, drawn anew for each pass. So a
    mix, which has every review twice, takes exactly as many steps as the original, with as many validations.
    """

    dropout: float = 0.1
    pieces: int = 128
    keep: Keep = "head"
    validation: float = 0.1
    parts: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.window
        if self.parts < 1:
            raise UsageError(f"parts is how many epochs a pass over the reviews takes, at least 1, not {self.parts}")
        if not 0 <= self.dropout < 1:
            raise UsageError(f"dropout is a share from 0 to below 1, not {self.dropout:g}")
        if not 0 < self.validation < 1:
            raise UsageError(f"validation is a share between 0 and 1, not {self.validation:g}")

    @property
    def window(self) -> Window:
        """The part of a review that is read."""
        return Window(self.pieces, self.keep)


SMALL = ClassifierRecipe(epochs=1, batch=8, learning_rate=5e-4, frozen_layers=4, pieces=64)
"""For the 1,206 built-in short training reviews and a small encoder: half a minute on two cores."""


@dataclass(frozen=True)
class LanguageRecipe(Recipe):
    """How a language model is trained further, on text that has been treated.

    ``objective`` is ``language``: a masked model restores ``masked`` of the tokens, of which 80 % become a mask, 10 % a
    random token and 10 % stay (Devlin et al. 2019), a causal one predicts the next token; or ``pronouns``: a masked
    model restores the gendered pronouns only. ``treatment``, ``names``, ``terms`` and ``contradictions`` are those of
    :func:`biascheck.corpora.counterfactual`; ``unit`` and ``pieces`` say what one input is. With a ``rank``, a
    low-rank adapter (LoRA) is trained instead of the weights and merged into them at the end. ``validation`` is the
    share of the documents that is held out, on which the epochs are compared; 0 holds out nothing and requires the
    last epoch.
    """

    name: str = "own"
    objective: Objective = "language"
    treatment: Method = "cds"
    names: Names = "swapped"
    terms: TermName = "all"
    contradictions: Contradictions = "unswapped"
    masked: float = 0.15
    unit: Unit = "sentences"
    pieces: int = 128
    validation: float = 0.1
    rank: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, kind in CHOICES.items():
            if getattr(self, field) not in get_args(kind):
                raise UsageError(f"{field} is one of {', '.join(get_args(kind))}, not {getattr(self, field)!r}")
        nothing_aside = self.validation == 0 and self.chosen_epoch == "last"
        for field in ("masked",) if nothing_aside else ("masked", "validation"):
            if not 0 < getattr(self, field) < 1:
                raise UsageError(f"{field} is a share between 0 and 1, not {getattr(self, field):g}")
        if self.rank < 0:
            raise UsageError(f"rank is that of an adapter, or 0 for none, not {self.rank}")
        _ = Window(self.pieces)


_MANELA = {"objective": "pronouns", "names": "anonymised", "epochs": 10, "patience": 10, "freeze_embeddings": False}
_MANELA |= {"validation": 0.2, "chosen_epoch": "highest accuracy", "learning_rate": 2e-5, "warmup": 0.0}

_BARTL = {"validation": 0.0, "chosen_epoch": "last", "contradictions": "keep"}

RECIPES: Mapping[str, LanguageRecipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            LanguageRecipe(name="bartl2020", batch=1, freeze_embeddings=False, seed=42, **_BARTL),  # type: ignore[arg-type]
            LanguageRecipe(name="manela2021-augmented", treatment="cda", **_MANELA),  # type: ignore[arg-type]
            LanguageRecipe(name="manela2021-unaugmented", treatment="original", **_MANELA),  # type: ignore[arg-type]
            LanguageRecipe(name="lora", rank=16, batch=16, learning_rate=1e-3, epochs=1, frozen_layers=2),
        )
    }
)
"""``bartl2020``: section 4.6 (masked tokens, 5e-5 with warm-up, 3 epochs, batch of one, seed 42; nothing held out,
the last epoch, every document swapped that the random draw selects). ``manela2021-…``:
section 3.3 and appendix A (pronouns of anonymised text, with and without gender-swapped copies, the most accurate of 10
epochs on a held-out fifth; rate, batch and warm-up are those of the authors' notebook). ``lora``: ours, for
machines without a graphics card: an adapter above the two lowest layers."""


def recipe_named(name: str | LanguageRecipe) -> LanguageRecipe:
    """A built-in recipe by its name; a recipe of your own is returned unchanged."""
    if isinstance(name, LanguageRecipe):
        return name
    if name not in RECIPES:
        raise UsageError(f"no recipe {name!r}; there are: {', '.join(RECIPES)}, or make one with LanguageRecipe(…)")
    return RECIPES[name]
