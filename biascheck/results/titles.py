"""Results, gates and comparisons as people call them. Titles are rendered from identities and never parsed."""

from __future__ import annotations

from biascheck.results.key import Slice

__all__ = ["corpus_label", "model_label"]


def model_label(model: str, treatment: tuple[str, ...]) -> str:
    """The model and what was done to it: "bert·mix-all"."""
    return "·".join([model, *treatment])


def corpus_label(corpus: str, slice_: Slice, contrast: tuple[str, str] | None = None) -> str:
    """The corpus, which part of it, and which groups are contrasted where that is not obvious."""
    parts = [f"{label}={value}" for label, value in slice_]
    if contrast is not None:
        first, second = contrast
        parts.append(f"{first}–{second}" if second else f"{first} only")
    return f"{corpus} ({', '.join(parts)})" if parts else corpus
