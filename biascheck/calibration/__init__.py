"""Measures and gates validated on models whose bias is known."""
