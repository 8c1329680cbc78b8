"""Numbers as people read them."""

from __future__ import annotations

__all__ = ["figure", "signed"]

ROUNDING_NOISE = 1e-12


def figure(value: float) -> str:
    """Two decimals, or one significant digit where that would read as zero; a real minus sign."""
    if abs(value) < ROUNDING_NOISE:
        return "0.00"
    text = f"{value:.2f}" if abs(value) >= 0.005 else f"{value:.1g}"
    return text.replace("-", "−")


def signed(value: float) -> str:
    """Like :func:`figure`, with the sign always shown."""
    return figure(value) if value <= -ROUNDING_NOISE else f"+{figure(value)}"
