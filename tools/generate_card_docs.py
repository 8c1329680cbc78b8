"""Write docs/measurement-cards.md from the cards of the suites."""

from __future__ import annotations

from pathlib import Path

from biascheck.core.files import write_atomically
from biascheck.results.measurement_card import MeasurementCard

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "measurement-cards.md"
OPENING = """# Measurement cards

<!-- Written by tools/generate_card_docs.py from suites/*/card.toml; edit those. -->

A suite is an instrument. Its card says what it claims to measure, for whom, how its items were made, what is known to
be wrong with it, and who should not use it. The report shows the card at the top of the suite's section.
"""


def main() -> None:
    """Write the page."""
    write_atomically(PAGE, page())
    print(f"written: {PAGE}")


def page() -> str:
    """The whole page."""
    return "\n".join([OPENING, *(section(path) for path in sorted(ROOT.glob("suites/*/card.toml")))])


def section(path: Path) -> str:
    """One card."""
    card = MeasurementCard.read(path)
    rows = [f"| {name} | {text} |" for name, text in card.rows]
    return "\n".join(
        [f"## {card.name}", "", f"Suite `suites/{path.parent.name}`.", "", "| | |", "|---|---|", *rows, ""]
    )


if __name__ == "__main__":
    main()
