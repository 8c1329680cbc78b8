"""Debiased checkpoints to compare against: recipes and fine-tuning."""
