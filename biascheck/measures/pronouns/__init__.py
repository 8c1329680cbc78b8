"""Measures on the pronoun that a model prefers (Manela et al. 2021)."""
