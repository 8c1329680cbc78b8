"""One command per paper: its tables and figures on any model, beside what was printed.

To add a paper: a module called by its name and year with a ``PAPER``; see ``docs/reproduce.md``.
"""

from biascheck.reproduce.cells import Absent, Bars, BarSeries, Cell, DrawnFigure, Value
from biascheck.reproduce.paper import Paper, PaperTable, Work, paper_named, papers
from biascheck.reproduce.reproduction import FinishedTable, Reproduction
from biascheck.reproduce.running import default_place, reproduce
from biascheck.reproduce.setting import Setting

__all__ = [
    "Absent",
    "BarSeries",
    "Bars",
    "Cell",
    "DrawnFigure",
    "FinishedTable",
    "Paper",
    "PaperTable",
    "Reproduction",
    "Setting",
    "Value",
    "Work",
    "default_place",
    "paper_named",
    "papers",
    "reproduce",
]
