"""Names of this room that the package passes on, resolved on first use: they need Hypothesis only when used."""

from . import strategies as strategies
