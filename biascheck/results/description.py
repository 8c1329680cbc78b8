"""What a measure says about itself. Terminal, report, card, docs and assertions read it; none keeps a list of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["UNDESCRIBED", "Description", "Direction"]

Direction = Literal["from parity", "upwards"]
"""Whether a figure is bad the further it lies from parity, to either side, or only when it is large."""


@dataclass(frozen=True)
class Description:
    """A measure in its own words.

    ``statistic`` and ``parity`` say how item scores become the figure and what it is for a model that treats the
    groups alike. ``unit`` is what the figure is counted in, ``sign`` what its sign means; ``{first}`` and ``{second}``
    in it are the contrasted groups. ``paper`` is the key of the paper that defined the measure (``kurita2019``), empty
    for a measure of one's own. ``needs`` names the capabilities a model must have, any of which is enough.
    """

    name: str
    version: int = 1
    statistic: str = "mean"
    parity: float = 0.0
    direction: Direction = "from parity"
    unit: str = ""
    sign: str = ""
    about: str = ""
    limits: tuple[str, ...] = ()
    paper: str = ""
    needs: tuple[str, ...] = ()


UNDESCRIBED = Description("")
