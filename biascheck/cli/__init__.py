"""The ``biascheck`` command: start a project, judge and draw stored results again, look after models and cache.

Exit codes: 0 all is well, 1 what ``--fail-on`` names has happened, 2 wrong use or a file that cannot be read.
"""

from biascheck.cli.app import app, main

__all__ = ["app", "main"]
