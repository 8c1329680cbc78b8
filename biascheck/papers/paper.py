"""A paper to reproduce: the setting, the cells beside the printed figures, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from re import fullmatch
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from biascheck.core.errors import BiascheckError, CapabilityError, DataNotFoundError, UsageError
from biascheck.core.release import suites_home
from biascheck.corpora import Corpus
from biascheck.models.base import Capability, Model, capabilities_of
from biascheck.results.attachments import AnyAttachment
from biascheck.results.key import model_label
from biascheck.results.published import PublishedFigure, PublishedFigures
from biascheck.results.result import Result
from biascheck.stats import Interval

# Cells of a reproduced table: the printed figure, the figure of the paper's procedure here, and ours.
#
# A cell without a figure says why. There are two kinds of reason: the table does not apply to this model, or
# something that could be there is missing (data, a loader, a package).

Why = Literal["not applicable", "missing"]


class Value(msgspec.Struct, frozen=True, tag="value"):
    """A figure that was measured here, with its interval, p-value and number of items where it has them.

    ``whole`` is a count.
    """

    estimate: float
    interval: Interval | None = None
    p: float | None = None
    n: int | None = None
    whole: bool = False


class Absent(msgspec.Struct, frozen=True, tag="absent"):
    """Why there is no figure."""

    reason: str
    why: Why = "missing"

    def __post_init__(self) -> None:
        if not self.reason:
            raise UsageError("a cell without a figure says why")


Measured = Value | Absent


class Cell(msgspec.Struct, frozen=True, kw_only=True, tag="cell"):
    """One cell of a table, or one bar or point of a figure.

    ``as_published`` is the paper's own procedure, bugs included, on this model; ``None`` where it is the same as ours.
    ``published`` is left out where no printed figure is comparable with what is measured in this cell.
    """

    row: str
    column: str = ""
    published: PublishedFigure | None = None
    as_published: Measured | None = None
    ours: Measured
    note: str = ""

    @property
    def measured(self) -> bool:
        """Whether the cell has a figure of this model."""
        return isinstance(self.ours, Value) or isinstance(self.as_published, Value)


class BarSeries(msgspec.Struct, frozen=True):
    """A name and one value for each place."""

    name: str
    values: tuple[float, ...]


class Bars(msgspec.Struct, frozen=True, kw_only=True, tag="bars", tag_field="kind"):
    """Bars side by side: upright ones for an ordered axis (a histogram, components), lying ones for names."""

    places: tuple[str, ...]
    series: tuple[BarSeries, ...]
    upright: bool = False
    axis: str = ""

    def __post_init__(self) -> None:
        if any(len(one.values) != len(self.places) for one in self.series):
            raise UsageError("every series of bars needs one value for each place")


class DrawnFigure(msgspec.Struct, frozen=True, kw_only=True, tag="drawn"):
    """A figure of the paper, drawn from values measured here."""

    title: str
    content: AnyAttachment | Bars
    contrast: tuple[str, str] = ("male", "female")
    note: str = ""


Shown = Cell | DrawnFigure


def value_of(result: Result) -> Value:
    """The figure of a result."""
    return Value(result.estimate, result.interval, result.p, result.n)


def drawn_value(found: Result | float | Measured) -> Measured:
    """A result or a number as the figure of a cell, an integer as a count; a reason stays what it is."""
    if isinstance(found, Result):
        return value_of(found)
    return found if isinstance(found, Value | Absent) else Value(float(found), whole=isinstance(found, int))


def caveats(found: object) -> tuple[str, ...]:
    """The cautions of this figure: a failed readability check, and the warnings of the result."""
    if not isinstance(found, Result):
        return ()
    check = found.competence
    failed = () if check is None or check.passed else (f"Readability check failed: {check.finding}",)
    return tuple(f"{text[:1].upper()}{text[1:].rstrip('.')}." for text in (*failed, *found.warnings))


def attempted(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """The value of a function, or the reason why it fails: a reason among the arguments is passed on.

    A table has all its cells whatever the model can do, so that the printed figures are always shown.
    """
    for given in (*args, *options.values()):
        if isinstance(given, Absent):
            return given
    try:
        return function(*args, **options)
    except CapabilityError as error:
        return Absent(str(error), "not applicable")
    except DataNotFoundError as error:
        # the command's flag has no prefix, as that of pytest has
        return Absent(f"needs data: {str(error).replace('--bias-data', '--data')}")
    except BiascheckError as error:
        return Absent(str(error))


# The setting of a reproduction: the model, the data, the scale and the seed.

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Setting:
    """The model, the data folder, the scale and the seed of a reproduction, and the figures of the papers."""

    model: Model
    data: Path | None = None
    scale: float = 1.0
    seed: int = 0
    read: set[str] = field(default_factory=set, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.scale <= 1:
            raise UsageError(f"a scale of {self.scale} is not possible; give one above 0 and up to 1, e.g. 0.02")

    @property
    def model_label(self) -> str:
        """The model and what was done to it, for people."""
        return model_label(self.model.name, getattr(self.model, "treatment", ()))

    @cached_property
    def figures(self) -> PublishedFigures:
        """All figures of the papers."""
        return PublishedFigures.read(suites_home() / "published.toml")

    def published(self, name: str) -> PublishedFigure:
        """The figure of that name in ``suites/published.toml``; a name that is not there is a mistake."""
        found = self.figures.get(name)
        if found is None:
            raise UsageError(f"{self.figures.file} has no figure {name!r}; correct the name or add the figure")
        self.read.add(name)
        return found

    def can(self, *capabilities: Capability) -> bool:
        """Whether the model has one of these capabilities."""
        return bool(capabilities_of(self.model) & set(capabilities))

    def folder(self, name: str) -> Path:
        """A folder of the published data sets; call it with ``attempt``, so that a cell says what is missing."""
        if self.data is None:
            raise DataNotFoundError(f"{name}/ of the published data sets; pass --data DIR")
        if not (self.data / name).exists():
            raise DataNotFoundError(f"{self.data / name} is not there; docs/reproduce.md says where to find it")
        return self.data / name

    def scaled(self, count: int, *, least: int = 1) -> int:
        """So many of ``count`` items, epochs or draws as the scale asks for."""
        return count if self.scale == 1 else max(min(least, count), round(count * self.scale))

    def sample(self, things: Sequence[Thing], *, least: int = 1) -> tuple[Thing, ...]:
        """As many of these as the scale asks for, drawn with the seed, in their order; all of them at scale 1."""
        count = self.scaled(len(things), least=least)
        if count == len(things):
            return tuple(things)
        chosen = np.random.default_rng(self.seed).choice(len(things), size=count, replace=False)
        return tuple(things[place] for place in sorted(chosen.tolist()))

    def part_of(self, corpus: Corpus, *, least: int = 8) -> Corpus:
        """The corpus with as many attributes as the scale asks for, all pairs of each; ``least`` of either side."""
        if self.scale == 1:
            return corpus
        sides: dict[str, dict[str, None]] = {}
        for pair in corpus:
            sides.setdefault(str(pair.labels.get("side", "")), {})[pair.attribute] = None
        kept = {attribute for listed in sides.values() for attribute in self.sample(list(listed), least=least)}
        return replace(corpus, pairs=tuple(pair for pair in corpus if pair.attribute in kept))

    def tried(self, function: Any, /, *args: Any, **options: Any) -> Any:
        """The value of a function, or the reason why it fails; see :func:`biascheck.papers.paper.attempted`."""
        return attempted(function, *args, **options)

    def cell(
        self,
        row: str,
        column: str = "",
        *,
        ours: Result | float | Measured,
        as_published: Result | float | Measured | None = None,
        published: str = "",
        note: str = "",
    ) -> Cell:
        """A cell; ``published`` is the name of the printed figure where one is comparable."""
        return Cell(
            row=row,
            column=column,
            published=self.published(published) if published else None,
            as_published=None if as_published is None else drawn_value(as_published),
            ours=drawn_value(ours),
            note=" ".join(filter(None, (note, *caveats(ours)))),
        )


# A paper to reproduce: its tables and figures.

HERE = Path(__file__).parent
IS_PAPER = r"[a-z]+(19|20)\d\d"


@dataclass(frozen=True)
class Work:
    """The work of a table: sentences read, sentences trained on (times epochs), and tokens in one.

    A sentence that is trained on costs about three that are read. ``shared`` are further sentences trained on, by the
    name of the training: the tables that name the same one share its model.
    """

    read: int = 0
    trained: int = 0
    tokens: int = 16
    shared: tuple[tuple[str, int], ...] = ()

    @property
    def sentences(self) -> int:
        """Sentences read or trained on, once each."""
        return self.read + self._trained

    @property
    def passes(self) -> float:
        """The work as so many sentences of 16 tokens read."""
        return (self.read + 3 * self._trained) * self.tokens / 16

    def text(self) -> str:
        """The work in words."""
        parts = [f"{self.read:,} sentences to read"] if self.read else []
        parts += [f"{self._trained:,} to train on"] if self._trained else []
        parts += ["trained for an earlier one"] if self.shared and not self._trained else []
        return ", ".join(parts) or "no sentences to read"

    def after(self, trainings: Container[str]) -> Work:
        """The remaining work if these trainings are done."""
        return replace(self, shared=tuple((name, 0 if name in trainings else count) for name, count in self.shared))

    @property
    def _trained(self) -> int:
        return self.trained + sum(count for _, count in self.shared)


@dataclass(frozen=True)
class PaperTable:
    """A table or a figure of a paper, or a section that states figures in its text.

    ``name`` is "table 3", "figure 1" or "section 4"; ``run`` yields its cells and drawings, every published cell
    whatever the model can do. ``about`` says what was run: corpus, sizes, settings, what "as published" means here.
    ``needs`` are the folders of the published data sets that it reads.
    """

    name: str
    title: str
    run: Callable[[Setting], Iterable[Shown]]
    about: str = ""
    work: Callable[[Setting], Work] = lambda _: Work()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper, and its tables and figures in the order of the paper."""

    name: str
    title: str
    link: str
    tables: tuple[PaperTable, ...]
    about: str = ""

    def table(self, asked: str) -> PaperTable:
        """The table of that name; a number alone is a table."""
        wanted = asked.strip().lower()
        for table in self.tables:
            if wanted in (table.name, table.name.removeprefix("table ")):
                return table
        raise UsageError(f"{self.name} has no {asked!r}; it has {', '.join(table.name for table in self.tables)}")


@cache
def papers() -> tuple[str, ...]:
    """The papers that can be reproduced: every module or folder here that is called by a name and a year."""
    names = {path.stem for path in HERE.iterdir() if path.suffix in (".py", "")}
    return tuple(sorted(name for name in names if fullmatch(IS_PAPER, name)))


def paper_named(name: str) -> Paper:
    """The paper of that name."""
    if name not in papers():
        raise UsageError(f"there is no paper {name!r} to reproduce; there are: {', '.join(papers())}")
    paper: Paper = import_module(f"biascheck.papers.{name}").PAPER
    return paper
