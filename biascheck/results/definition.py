"""The description that a measure gives of itself, and the readability of a corpus for a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from biascheck.core.errors import ScoreError, UsageError

# The self-description of a measure. Terminal, report, card, docs and assertions read it; none has its own list of
# names.

Scale = Literal["", "log-odds", "rating", "share"]
"""The unit of an estimate that can be expressed in everyday terms: odds, stars, percentage points."""

Direction = Literal["from parity", "upwards", "unstated"]
"""Whether an estimate is bad the further it lies from parity, to either side, or only when it is large."""


@dataclass(frozen=True)
class Description:
    """The description of a measure.

    ``statistic`` and ``parity`` say how item scores become the estimate and its value for a model that treats the
    groups alike. ``unit`` is the unit of the estimate, ``sign`` what its sign means; ``{first}`` and ``{second}``
    in it are the contrasted groups. ``paper`` is the key of the paper that defined the measure (``kurita2019``), empty
    for a user's own measure. ``needs`` names the capabilities a model must have, any of which is enough;
    ``made_from`` the measures from whose results a derived one is made; ``competence`` the check that says whether a
    model can do the task (:mod:`biascheck.measures`). ``smallest_change`` is the smallest change of the
    estimate that matters, in its unit, and ``smallest_change_reason`` says why in a clause: comparisons tolerate as
    much by default. ``scale`` and ``plain`` say a finding in words that need no statistics: a sentence with
    ``{by}`` and ``{allowed}`` for the distance from parity and its limit (on its scale), ``{towards}`` and ``{away}``
    for the groups by its sign, ``{first}`` and ``{second}``. ``score`` names the score of an item where that is no gap
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
        """The paper under which a result is shown: that of its corpus, if papers share a measure.

        A user's own measure is under no paper, whatever its corpus.
        """
        return self.corpus_paper or self.paper if self.paper else ""


UNDESCRIBED = Description("")


# Whether a model can do the task of a measure. Below the floor an estimate is invalid: neither fair nor unfair.

UnreadableOption = Literal["ignore"] | None
"""Whether an estimate is accepted although its model cannot do the task."""


@dataclass(frozen=True)
class Readability:
    """How well a model reads its corpus, and the floor it must reach.

    ``check`` names the check, ``about`` says what was checked, ``finding`` what was found and what is needed.
    ``lack`` is what a model below the floor does not do, as in "minilm-mlm cannot read this corpus".
    ``value`` and ``floor`` are the two numbers that decided; ``figures`` has all that were computed. ``n`` counts what
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
        """Whether estimates of this model on this corpus are meaningful."""
        return self.value >= self.floor

    def inability(self, model: str) -> str:
        """What the model of this name cannot do, with the numbers; empty if it can."""
        return "" if self.passed else f"{model} {self.lack} ({self.finding})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for a file; ``Readability(**document)`` reads them back."""
        return {**vars(self), "figures": dict(self.figures)}
