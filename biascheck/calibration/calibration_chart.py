"""The chart of a calibration: measured against planted values, one panel a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.calibration.calibration import Calibration
from biascheck.calibration.readings import PlantedEstimate

__all__ = ["to_svg"]

SIZE, EDGE = 320, 44


@dataclass(frozen=True)
class _Panel:
    """One measure: its dots, and the values that both axes reach from and to."""

    title: str
    estimates: Sequence[PlantedEstimate]
    low: float
    high: float
    ticks: Sequence[float]

    def at(self, value: float) -> float:
        return EDGE + (value - self.low) / (self.high - self.low) * (SIZE - 2 * EDGE)


def to_svg(found: Calibration) -> str:
    """Measured against planted values; a perfect instrument follows the dashed line."""
    panels = [_gaps(found), _pronouns(found, "skew"), _pronouns(found, "stereotype")]
    panels = [panel for panel in panels if panel.estimates]
    width = SIZE * len(panels)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {SIZE}" width="{width}" height="{SIZE}"'
            ' font-family="sans-serif" font-size="11" role="img">',
            "<title>Planted against measured association gaps, skews and stereotypes</title>",
            f'<rect width="{width}" height="{SIZE}" fill="white"/>',
            *(line for number, panel in enumerate(panels) for line in _drawn(panel, number * SIZE)),
            "</svg>\n",
        ]
    )


def _gaps(found: Calibration) -> _Panel:
    estimates = [estimate for reading in found.readings for estimate in reading.gaps.values()]
    reach = 1.1 * max(max(abs(f.planted), abs(f.measured)) for f in estimates)
    ticks = [tick for tick in range(-int(reach), int(reach) + 1) if tick % 2 == 0]
    return _Panel("association gap (ln)", estimates, -reach, reach, ticks)


def _pronouns(found: Calibration, name: str) -> _Panel:
    estimates = [getattr(reading, name) for reading in found.pronouns]
    return _Panel(f"{name}, T1 and T2, with and without -O", estimates, -0.05, 1.05, (0, 0.25, 0.5, 0.75, 1))


def _drawn(panel: _Panel, left: int) -> list[str]:
    low, high = panel.at(panel.low), panel.at(panel.high)
    side = high - low
    return [
        f'<g transform="translate({left} 0)">',
        f'<text x="{SIZE / 2}" y="24" text-anchor="middle" font-weight="bold">{panel.title}</text>',
        f'<rect x="{low}" y="{SIZE - high}" width="{side}" height="{side}" fill="none" stroke="#888"/>',
        f'<line x1="{low}" y1="{SIZE - low}" x2="{high}" y2="{SIZE - high}" stroke="#888" stroke-dasharray="4 3"/>',
        '<g fill="#1f5fa8" fill-opacity="0.55">',
        *(
            f'<circle cx="{panel.at(f.planted):.1f}" cy="{SIZE - panel.at(f.measured):.1f}" r="2.4"/>'
            for f in panel.estimates
        ),
        "</g>",
        *(
            f'<text x="{panel.at(t):.1f}" y="{SIZE - EDGE + 16}" text-anchor="middle">{t:g}</text>'
            f'<text x="{EDGE - 6}" y="{SIZE - panel.at(t) + 4:.1f}" text-anchor="end">{t:g}</text>'
            for t in panel.ticks
        ),
        f'<text x="{SIZE / 2}" y="{SIZE - 8}" text-anchor="middle">planted</text>',
        f'<text transform="translate(14 {SIZE / 2}) rotate(-90)" text-anchor="middle">measured</text>',
        "</g>",
    ]
