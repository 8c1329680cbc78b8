"""Worst cases: strategies that draw examples, the search for the worst of them, and the memory of what was found."""
