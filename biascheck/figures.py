"""Numbers as people read them."""

from __future__ import annotations

__all__ = ["figure", "signed"]


def figure(value: float) -> str:
    """Two decimals, or one significant digit where that would read as zero; a real minus sign."""
    value += 0.0  # minus zero becomes zero
    text = f"{value:.2f}" if value == 0 or abs(value) >= 0.005 else f"{value:.1g}"
    return text.replace("-", "−")


def signed(value: float) -> str:
    """Like :func:`figure`, with the sign always shown."""
    return figure(value) if value < 0 else f"+{figure(value)}"
