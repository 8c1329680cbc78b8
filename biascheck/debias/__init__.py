"""Models made less biased: fine-tuned checkpoints, their recipes and data; static vectors debiased by projection."""

from biascheck.debias.classifier_checkpoints import fine_tune_classifier
from biascheck.debias.conditions import ORIGINAL, Condition
from biascheck.debias.language_checkpoints import checkpoint_folder, fine_tune, held_out, treated
from biascheck.debias.projection import hard_debiased
from biascheck.debias.quality import Quality, quality_of
from biascheck.debias.recipes import RECIPES, SMALL, ClassifierRecipe, LanguageRecipe, Recipe, recipe_named

__all__ = [
    "ORIGINAL",
    "RECIPES",
    "SMALL",
    "ClassifierRecipe",
    "Condition",
    "LanguageRecipe",
    "Quality",
    "Recipe",
    "checkpoint_folder",
    "fine_tune",
    "fine_tune_classifier",
    "hard_debiased",
    "held_out",
    "quality_of",
    "recipe_named",
    "treated",
]
