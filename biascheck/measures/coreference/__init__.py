"""Measures on whom a pronoun means (Kurita et al. 2019, section 4)."""
