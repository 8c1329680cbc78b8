"""What one run leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.results.comparison import Comparison
from biascheck.results.result import Result

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """What one run leaves behind: results, the gates they were judged by, comparisons with a baseline.

    ``complete`` is false if the run was interrupted; ``not_run`` counts the tests that it did not come to.
    """

    results: tuple[Result, ...] = ()
    gates: tuple[Gate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    complete: bool = True
    not_run: int = 0
