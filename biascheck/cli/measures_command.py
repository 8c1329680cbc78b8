"""List the measures: what they compute, what they need of a model, and which paper defined them."""

from __future__ import annotations

import typer

__all__ = ["measures"]


def measures() -> None:
    """List the measures: statistic, smallest change that matters, what a model must be able to do, and the paper."""
    from biascheck.measures.catalogue import catalogue

    rows = [("measure", "figure", "smallest change", "needs a model that", "paper")]
    for entry in catalogue():
        what = entry.description
        needs = " or ".join(what.needs) or f"(made from {' or '.join(what.made_from) or 'another result'})"
        change = "-" if what.smallest_change is None else f"{what.smallest_change:g}"
        rows.append((what.name, what.statistic.replace("_", " "), change, needs, what.paper or "-"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
