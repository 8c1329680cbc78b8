"""The HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biascheck.files import write_atomically
from biascheck.gates import Gate
from biascheck.results import Result

__all__ = ["write_html"]


def write_html(path: Path, results: Sequence[Result], gates: Sequence[Gate]) -> None:
    """Write one self-contained file."""
    write_atomically(path, f"{len(results)} {len(gates)}")
