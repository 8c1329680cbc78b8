"""The experiments of the papers on any model, beside the printed figures; whole grids of models and conditions.

To add a paper: a module called by its name and year with a ``PAPER``; see ``docs/reproduce.md``.
"""

from biascheck.papers.grid import (
    MODELS,
    GridCell,
    GridRow,
    PaperModel,
    SentimentGrid,
    paper_grid,
    paper_row,
    read_grid,
    write_grid,
)
from biascheck.papers.grid_results import QUESTIONS, answer, answers, beside_paper, correlations_of, overview
from biascheck.papers.page import FinishedTable, Reproduction
from biascheck.papers.paper import (
    Absent,
    Bars,
    BarSeries,
    Cell,
    DrawnFigure,
    Paper,
    PaperTable,
    Setting,
    Value,
    Work,
    paper_named,
    papers,
)
from biascheck.papers.run import default_place, reproduce

__all__ = [
    "MODELS",
    "QUESTIONS",
    "Absent",
    "BarSeries",
    "Bars",
    "Cell",
    "DrawnFigure",
    "FinishedTable",
    "GridCell",
    "GridRow",
    "Paper",
    "PaperModel",
    "PaperTable",
    "Reproduction",
    "SentimentGrid",
    "Setting",
    "Value",
    "Work",
    "answer",
    "answers",
    "beside_paper",
    "correlations_of",
    "default_place",
    "overview",
    "paper_grid",
    "paper_named",
    "paper_row",
    "papers",
    "read_grid",
    "reproduce",
    "write_grid",
]
