"""Debiased checkpoints to compare against: recipes and fine-tuning."""

from biascheck.debias.projection import hard_debiased

__all__ = ["hard_debiased"]
