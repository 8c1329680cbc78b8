"""Models made less biased: fine-tuned checkpoints, their recipes and data; static vectors debiased by projection."""

from biascheck.debias.classifiers import fine_tune_classifier
from biascheck.debias.conditions import ORIGINAL, Condition
from biascheck.debias.projection import hard_debiased
from biascheck.debias.quality import Quality, quality_of
from biascheck.debias.recipes import SMALL, ClassifierRecipe, Recipe

__all__ = [
    "ORIGINAL",
    "SMALL",
    "ClassifierRecipe",
    "Condition",
    "Quality",
    "Recipe",
    "fine_tune_classifier",
    "hard_debiased",
    "quality_of",
]
