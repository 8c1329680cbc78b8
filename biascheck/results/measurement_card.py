"""The measurement card of a suite: claim, method, audience and known flaws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from biascheck.core.errors import UsageError
from biascheck.results.attachments import Attachment, Table
from biascheck.results.published import nearest_file, read_tables, typed

StatedText = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]
TITLE = "measurement card"


@dataclass(frozen=True)
class Flaw:
    """A known flaw and its source."""

    what: StatedText
    source: StatedText


@dataclass(frozen=True, kw_only=True)
class MeasurementCard:
    """The card of a suite, from its ``card.toml``.

    ``claim``: what the suite claims to measure. ``for_whom``: whose question it answers. ``items``: how they were made.
    ``flaws``: known flaws, each with its source. ``not_for``: who should not use it. ``licence``: of the
    published data. ``competence``: what a model must be able to do for the estimate to be meaningful.
    """

    name: StatedText
    claim: StatedText
    for_whom: StatedText
    items: StatedText
    competence: StatedText
    not_for: StatedText
    licence: StatedText
    flaws: tuple[Flaw, ...]

    @classmethod
    def read(cls, file: Path) -> MeasurementCard:
        """Read a ``card.toml``."""
        tables = read_tables(file)
        if set(tables) != {"card"}:
            raise UsageError(f"{file} has the tables {sorted(tables)}; a card is one table, [card]")
        example = 'claim = "…", flaws = [{ what = "…", source = "Blodgett 2021" }]'
        card = typed(cls, tables["card"], "card", file, example=example)
        if not card.flaws:
            raise UsageError(f"{file}: a card without any known flaw is not finished; name one with its source")
        return card

    @classmethod
    def nearest(cls, start: Path, *, stop: Path) -> MeasurementCard:
        """Read the card beside ``start`` or in the nearest folder above."""
        return cls.read(nearest_file("card.toml", start, stop=stop))

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The card's rows, as labels and texts."""
        return (
            ("what is claimed", self.claim),
            ("for whom", self.for_whom),
            ("how the items were made", self.items),
            ("what a model must be able to do", self.competence),
            *(("known flaw", f"{flaw.what} ({flaw.source})") for flaw in self.flaws),
            ("who should not use it", self.not_for),
            ("licence of the published data", self.licence),
        )

    def as_table(self) -> Table:
        """The card as an attachment of a result."""
        return Table(columns=(self.name, ""), rows=self.rows, title=TITLE)


def is_card(attached: Attachment) -> bool:
    """Whether an attachment of a result is a measurement card."""
    return isinstance(attached, Table) and attached.title == TITLE
