"""The ``biascheck`` command: start a project, render and compare stored results, list models, manage the cache.

Exit codes: 0 success, 1 what ``--fail-on`` names was found, 2 a usage error or a file that cannot be read.
"""

from biascheck.cli.app import app, main

__all__ = [
    "app",
    "main",
]
