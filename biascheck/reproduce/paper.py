"""A paper as it is reproduced: its tables and figures, and how each is run."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from re import fullmatch

from biascheck.errors import UsageError
from biascheck.reproduce.cells import Shown
from biascheck.reproduce.setting import Setting

__all__ = ["Paper", "PaperTable", "Work", "paper_named", "papers"]

HERE = Path(__file__).parent
IS_PAPER = r"[a-z]+(19|20)\d\d"


@dataclass(frozen=True)
class Work:
    """How much a table takes: sentences read, sentences trained on (times epochs), and tokens in one.

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
        """What is left of it where these trainings are done."""
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
    paper: Paper = import_module(f"biascheck.reproduce.{name}").PAPER
    return paper
