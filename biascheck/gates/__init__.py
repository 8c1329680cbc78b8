"""Verdicts on results: margins, assertions, and the outcome of a run."""
