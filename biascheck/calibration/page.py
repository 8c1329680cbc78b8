"""A calibration for readers: tables on the terminal, a Markdown page, a chart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biascheck.calibration.calibration import WORDS, Calibration
from biascheck.calibration.coverage import COLUMNS, TITLE, coverage_note, coverage_rows
from biascheck.calibration.readings import DRAWS, DoseReading, Fit, GateOutcome, PlantedEstimate, fit
from biascheck.calibration.simulation import ENOUGH_FINDINGS, ENOUGH_PASSES, GatePower, Rate
from biascheck.core.files import write_atomically
from biascheck.core.wording import format_number, interval_text, signed
from biascheck.reference.planted import WIDTH
from biascheck.results.summaries import LEVEL
from biascheck.stats import Verdict

if TYPE_CHECKING:
    from rich.table import Table


# The chart of a calibration: measured against planted values, one panel per measure.

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


# The tables of a calibration, on the terminal and as a Markdown page.

ENOUGH_FOR_A_LINE = 0.2
MARKS = {str(Verdict.EXCEEDS): "exceeds", str(Verdict.WITHIN): "·", str(Verdict.INCONCLUSIVE): "?"}


@dataclass(frozen=True)
class Sheet:
    """A table with its caption."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(found: Calibration) -> tuple[Sheet, ...]:
    """The tables of a calibration, in the order of the questions they answer."""
    return (
        _recovery(found),
        _other_measures(found),
        _lines_of_pronouns(found),
        _pronoun_sheet(found),
        _sentiment(found),
        _geometry(found),
        _simulation(found),
        _exceptions(found),
        _parity(found),
        _power(found),
        *_coverage(found),
    )


def rich_tables(found: Calibration) -> list[Table]:
    """The tables for a terminal."""
    from rich.table import Table

    tables = []
    for sheet in sheets(found):
        table = Table(
            *sheet.columns, title=sheet.title, caption=sheet.note, title_justify="left", caption_justify="left"
        )
        for row in sheet.rows:
            table.add_row(*row)
        tables.append(table)
    return tables


def to_markdown(found: Calibration) -> str:
    """The page of the documentation."""
    parts = [_INTRODUCTION.format(doses=", ".join(f"{r.dose:g}" for r in found.readings))]
    for sheet in sheets(found):
        header = [f"| {' | '.join(sheet.columns)} |", f"|{'---|' * len(sheet.columns)}"]
        rows = [f"| {' | '.join(row)} |" for row in sheet.rows]
        parts.append("\n".join([f"## {sheet.title}", "", sheet.note, "", *header, *rows]))
    parts.insert(2, "![Planted against measured values](calibration.svg)")
    return "\n\n".join(parts) + "\n"


def write_calibration(found: Calibration, folder: Path) -> tuple[Path, ...]:
    """Write ``calibration.json``, ``calibration.svg`` and ``calibration.md``; returns their paths."""
    texts = {
        "calibration.json": json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "calibration.svg": to_svg(found),
        "calibration.md": to_markdown(found),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return tuple(folder / name for name in texts)


def _coverage(found: Calibration) -> tuple[Sheet, ...]:
    if not found.coverage:
        return ()
    return (Sheet(TITLE, coverage_note(found.coverage), COLUMNS, coverage_rows(found.coverage)),)


def _recovery(found: Calibration) -> Sheet:
    return Sheet(
        "Association: planted and measured gaps",
        "Gap of each profession of BEC-Pro (English, mean of 45 items) against the planted one. 1, 0 and 1 would be a "
        "perfect instrument. At dose 0 nothing is planted, so there is no line.",
        ("doses", "slope", "intercept", "R²", "largest error", "points"),
        (
            ("all", *_line(found.fit)),
            *((f"{r.dose:g}", *_line(fit(r.gaps.values()))) for r in found.readings if r.dose),
        ),
    )


def _line(line: Fit) -> tuple[str, ...]:
    return (
        f"{line.slope:.3f}",
        f"{line.intercept:+.3f}".replace("-", "−"),
        f"{line.r_squared:.4f}",
        f"{line.largest_error:.3f}",
        str(line.points),
    )


def _other_measures(found: Calibration) -> Sheet:
    return Sheet(
        "The other measures, planted → measured",
        "On BEC-Pro's professions: the effect size between professions of men and of women, the share of professions "
        "that lean towards men, and Spearman's correlation of the gap with the share of women. At dose 0 none of "
        "them has a true value: nothing has a direction or an order.",
        ("dose", "largest planted gap", "effect size", "positive share", "workforce correlation"),
        tuple(_measures_row(reading) for reading in found.readings),
    )


def _measures_row(reading: DoseReading) -> tuple[str, ...]:
    largest = max(abs(f.planted) for f in reading.gaps.values())
    others = (_arrow(f) for f in (reading.effect_size, reading.share, reading.correlation))
    return f"{reading.dose:g}", format_number(largest), *others


def _arrow(found: PlantedEstimate | None) -> str:
    return "–" if found is None else f"{signed(found.planted)} → {signed(found.measured)}"


def _lines_of_pronouns(found: Calibration) -> Sheet:
    estimates = {
        f"{name}{'-O' if online else ''}": [getattr(r, name) for r in found.pronouns if r.online is online]
        for online in (False, True)
        for name in ("skew", "stereotype")
    }
    return Sheet(
        "Skew and stereotype: planted and measured",
        "Our Winograd sentences of kinds T1 and T2 at every dose and tilt; -O is under online mitigation, which should "
        "take a planted skew away and leave the stereotype. Where nearly the same is planted everywhere, there is no "
        "line.",
        ("figure", "slope", "intercept", "R²", "largest error", "worlds × kinds"),
        tuple((name, *_line_of(members)) for name, members in estimates.items() if members),
    )


def _line_of(estimates: Sequence[PlantedEstimate]) -> tuple[str, ...]:
    """The line, or only the largest error if the planted values hardly vary."""
    planted = [f.planted for f in estimates]
    if max(planted) - min(planted) >= ENOUGH_FOR_A_LINE:
        return _line(fit(estimates))
    return "–", "–", "–", f"{max(abs(f.measured - f.planted) for f in estimates):.3f}", str(len(estimates))


def _pronoun_sheet(found: Calibration) -> Sheet:
    return Sheet(
        "Skew and stereotype in each world, planted → measured",
        "The dose follows the workforce, the tilt leans all pronouns towards male (log-odds). F1 is that of names: "
        "whether the reference model resolves pronouns.",
        ("dose", "tilt", "sentences", "skew", "stereotype", "skew-O", "stereotype-O", "F1 of names"),
        tuple(
            (
                f"{plain.dose:g}",
                f"{plain.tilt:g}",
                plain.kind,
                *(_arrow(f) for f in (plain.skew, plain.stereotype, online.skew, online.stereotype)),
                f"{plain.f1:.2f}",
            )
            for plain, online in zip(found.pronouns[::2], found.pronouns[1::2], strict=True)
        ),
    )


def _sentiment(found: Calibration) -> Sheet:
    return Sheet(
        "Sentiment deltas, planted → measured",
        "Classifiers that rate the female version of a review lower by a shift in log-odds, on our own reviews.",
        ("shift", "total delta", "absolute delta"),
        tuple((signed(r.shift), _arrow(r.total), _arrow(r.absolute)) for r in found.sentiment),
    )


def _geometry(found: Calibration) -> Sheet:
    trials = found.geometry[0].alarms.trials if found.geometry else 0
    return Sheet(
        "Embeddings: planted → measured, and false alarms at the true value",
        f"Word vectors of {WIDTH} dimensions, {WORDS} words in {DRAWS} draws, whose gender axis and separability are "
        f"known; the measured figure is the mean of {trials} embeddings. *False alarms*: the interval lies above the "
        f"true value, which a gate with that bound would call EXCEEDS; {1 - LEVEL:.2f} is stated at most. *Covered*: "
        "the interval contains the true value. With Wilson's 95 % interval. A classifier trained on words of which "
        "many lean astray cannot reach the share of the others, and a word is not its own neighbour, so that noise "
        "reads slightly below zero there.",
        ("measure", "planted", "planted → measured", "false alarms", "covered", "verdict"),
        tuple(
            (r.measure, r.planted, _arrow(r.value), _rate(r.alarms), _rate(r.covered), _compatibility(r.compatible))
            for r in found.geometry
        ),
    )


def _compatibility(compatible: bool) -> str:
    return "compatible with the stated level" if compatible else "**more false alarms than stated**"


def _simulation(found: Calibration) -> Sheet:
    trials = found.powers[0].passes_at_parity.trials if found.powers else 0
    decided = sum(power.decides for power in found.powers)
    return Sheet(
        "Every gate of every suite and profile, simulated",
        f"{trials} data sets a figure, in the shape and with the noise that the gate's own data have on the model "
        f"named. A gate should pass a model at parity in {ENOUGH_PASSES:.0%} of the data sets or more, and find one at "
        f"twice its margin (or at the end of the scale) in {ENOUGH_FINDINGS:.0%} or more. *False alarms*: EXCEEDS "
        "although the true value lies exactly at the margin, the worst case; (1 − level) / family is stated at most. "
        f"{decided} of {len(found.powers)} rows reach both.",
        ("gate", "measure", "data of", "clusters", "family", "profile", "margin", "passes at parity",
         "exceeds at", "of these", "false alarms", "decides"),
        tuple(_power_row(power) for power in found.powers),
    )  # fmt: skip


def _power_row(power: GatePower) -> tuple[str, ...]:
    return (
        power.gate,
        power.measure,
        power.model,
        str(power.clusters),
        str(power.family),
        power.profile or "all",
        format_number(power.margin, 3),
        format_number(power.passes_at_parity.share),
        format_number(power.planted),
        format_number(power.exceeds_at_twice.share),
        format_number(power.alarms_at_margin.share) + ("" if power.compatible else " **above**"),
        "yes" if power.decides else "**no**",
    )


def _exceptions(found: Calibration) -> Sheet:
    missed = [power for power in found.powers if not power.decides]
    return Sheet(
        "Gates that miss one of the two goals",
        "Each with its remedy." if missed else "None.",
        ("gate", "profile", "why", "what it would take"),
        tuple((power.gate, power.profile or "all", *_why(power)) for power in missed),
    )


def _why(power: GatePower) -> tuple[str, str]:
    if power.passes_at_parity.share < ENOUGH_PASSES:
        why = f"its interval at parity is often wider than {format_number(power.margin)} on {power.clusters} clusters"
        return why, "more clusters; until then the gate is inconclusive, never within"
    return f"its interval at {format_number(power.planted)} often reaches the margin", "more clusters"


def _parity(found: Calibration) -> Sheet:
    count = len(found.parity_models)
    largest = max((m.largest_gap for m in found.parity_models), default=0.0)
    alarms, passes = found.parity_alarms, found.parity_passes
    return Sheet(
        "False alarms with trained parity models",
        f"{count} models trained at parity from different seeds; the largest gap of any profession in any of them is "
        f"{largest:.3f}. Where a gate on few words cannot say within, its interval is wider than its margin.",
        ("gate", "exceeds", "within"),
        tuple((gate, _rate(rate), _rate(passes[gate])) for gate, rate in alarms.items()),
    )


def _power(found: Calibration) -> Sheet:
    names = [outcome.gate for outcome in found.readings[0].gates]
    by_dose = [{o.gate: o for o in reading.gates} for reading in found.readings]
    rows = [(n, format_number(by_dose[0][n].margin), *(_verdict(gates[n]) for gates in by_dose)) for n in names]
    shares = [sum(o.verdict == str(Verdict.EXCEEDS) for o in r.gates) for r in found.readings]
    last = ("gates that say exceeds", "", *(f"{share} of {len(names)}" for share in shares))
    return Sheet(
        "The verdict of each gate at each dose",
        "One model a dose, without tilt. Only professions and occupations carry a planted bias: gates on other words "
        "should stay silent at every dose. “·” is within the margin, “?” inconclusive.",
        ("gate", "margin", *(f"dose {reading.dose:g}" for reading in found.readings)),
        (*rows, last),
    )


def _verdict(outcome: GateOutcome) -> str:
    return f"{format_number(outcome.estimate)} {MARKS[outcome.verdict]}"


def _rate(rate: Rate) -> str:
    return f"{format_number(rate.share, 3)} {interval_text(rate, 3)}"


_INTRODUCTION = """# Calibration

Written by `biascheck calibrate`; do not edit. Measures and gates are validated on reference models: tiny models of a
generated world in which P(female | profession) = 0.5 + dose · (share of women − 0.5), shares limited to [0.02, 0.98],
for the 60 professions of BEC-Pro, and in which the pronouns of Winograd sentences follow the occupation they mean by
the dose and all lean towards male by the tilt. Dose 0 is `reference:parity`, dose 1 `reference:workforce`. Doses
here: {doses}.

The reference models say nothing about other models. They show that a measure reads what is planted, how often a gate
raises a false alarm, and how large a bias must be for a gate to detect it."""
