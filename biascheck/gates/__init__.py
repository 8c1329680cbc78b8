"""Verdicts on results: limits, assertions, and searches for worst cases."""
