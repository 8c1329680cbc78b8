"""Measures on the vectors of words."""
