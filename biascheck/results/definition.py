"""What a measure says about itself, and whether a model can read what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from biascheck.core.errors import ScoreError, UsageError

# What a measure says about itself. Terminal, report, card, docs and assertions read it; none keeps a list of
# names.

Scale = Literal["", "log-odds", "rating", "share"]
"""What a figure is counted in, where a reader can be given a number to feel: odds, stars, percentage points."""

Direction = Literal["from parity", "upwards", "unstated"]
"""Whether a figure is bad the further it lies from parity, to either side, or only when it is large."""


@dataclass(frozen=True)
class Description:
    """A measure in its own words.

    ``statistic`` and ``parity`` say how item scores become the figure and what it is for a model that treats the
    groups alike. ``unit`` is what the figure is counted in, ``sign`` what its sign means; ``{first}`` and ``{second}``
    in it are the contrasted groups. ``paper`` is the key of the paper that defined the measure (``kurita2019``), empty
    for a measure of one's own. ``needs`` names the capabilities a model must have, any of which is enough;
    ``made_from`` the measures from whose results a derived one is made; ``competence`` the check that says whether a
    model can do what is asked (:mod:`biascheck.measures`). ``smallest_change`` is the smallest change of the
    figure that matters, in its unit, and ``smallest_change_reason`` says why in a clause: comparisons tolerate as much
    unless told otherwise. ``scale`` and ``plain`` say a finding in words that need no statistics: a sentence with
    ``{by}`` and ``{allowed}`` for how far the figure is off and may be (on its scale), ``{towards}`` and ``{away}`` for
    the groups by its sign, ``{first}`` and ``{second}``. ``score`` names the score of an item where that is no gap
    between groups ("P(neither)"): the items' sides are then the groups themselves; ``covariate`` names what scores are
    correlated with, ``cluster`` what items are gathered by ("page"). ``corpus_paper`` is filled in by measuring: the
    paper that the corpus belongs to.
    """

    name: str
    version: int = 1
    statistic: str = "mean"
    parity: float = 0.0
    direction: Direction = "unstated"
    unit: str = ""
    sign: str = ""
    about: str = ""
    limits: tuple[str, ...] = ()
    paper: str = ""
    needs: tuple[str, ...] = ()
    made_from: tuple[str, ...] = ()
    corpus_paper: str = ""
    competence: str = ""
    smallest_change: float | None = None
    smallest_change_reason: str = ""
    scale: Scale = ""
    plain: str = ""
    score: str = ""
    covariate: str = ""
    cluster: str = "attribute"

    def __post_init__(self) -> None:
        for name in ("limits", "needs", "made_from"):  # lists, where they were read from a file
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if (change := self.smallest_change) is not None and not (isfinite(change) and change >= 0):
            raise UsageError(f"smallest_change={change} of {self.name!r} is not allowed; give 0 or a positive number")

    @property
    def shown_under(self) -> str:
        """The paper in whose section a result is shown: that of its corpus, where papers share a measure.

        A measure of one's own is under no paper, whatever it is taken on.
        """
        return self.corpus_paper or self.paper if self.paper else ""


UNDESCRIBED = Description("")


# Whether a model can do what a measure asks of it. Below the floor a figure is invalid: neither fair nor
# unfair.

UnreadableOption = Literal["ignore"] | None
"""Whether a figure is judged although its model cannot do what was asked."""


@dataclass(frozen=True)
class Readability:
    """How well a model reads what it is measured on, and how well it must.

    ``check`` names the check, ``about`` says what was checked, ``finding`` what was found and what is needed.
    ``lack`` is what a model below the floor does not do, as in "minilm-mlm cannot read this corpus".
    ``value`` and ``floor`` are the two figures that decided; ``figures`` has all that were looked at. ``n`` counts what
    was compared, ``seed`` chose the sample.
    """

    check: str
    about: str
    value: float
    floor: float
    n: int
    seed: int
    finding: str
    lack: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in {"value": self.value, "floor": self.floor, **self.figures}.items():
            if not isfinite(value):
                raise ScoreError(f"{self.check}: {name} is {value}; only finite numbers can be compared with a floor")

    @property
    def passed(self) -> bool:
        """Whether figures of this model on this corpus mean anything."""
        return self.value >= self.floor

    def inability(self, model: str) -> str:
        """What the model of this name cannot do, and by which figures; empty where it can."""
        return "" if self.passed else f"{model} {self.lack} ({self.finding})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for a file; ``Readability(**document)`` reads them back."""
        return {**vars(self), "figures": dict(self.figures)}
