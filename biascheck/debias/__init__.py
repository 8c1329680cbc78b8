"""Fine-tuned checkpoints: recipes, the conditions of their data, the training loop and what it leaves behind."""

from biascheck.debias.classifiers import fine_tune_classifier
from biascheck.debias.conditions import ORIGINAL, Condition
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
    "quality_of",
]
