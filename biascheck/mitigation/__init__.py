"""Models made less biased: fine-tuned checkpoints, their recipes and data; static vectors debiased by projection."""

from biascheck.mitigation.classifier import Quality, fine_tune_classifier, quality_of
from biascheck.mitigation.conditions import ORIGINAL, Condition
from biascheck.mitigation.language import checkpoint_folder, fine_tune, held_out, treated
from biascheck.mitigation.projection import hard_debiased
from biascheck.mitigation.recipes import RECIPES, SMALL, ClassifierRecipe, LanguageRecipe, Recipe, recipe_named

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
