"""Whole experiments of a paper: models, conditions and corpora crossed from one declaration."""

from biascheck.studies.beside_paper import beside_paper
from biascheck.studies.grid_overview import correlations_of, overview
from biascheck.studies.grid_rows import GridCell, GridRow, read_grid, write_grid
from biascheck.studies.paper_grid import MODELS, PaperModel, paper_grid, paper_row
from biascheck.studies.research_questions import QUESTIONS, answer, answers
from biascheck.studies.sentiment_grid import SentimentGrid

__all__ = [
    "MODELS",
    "QUESTIONS",
    "GridCell",
    "GridRow",
    "PaperModel",
    "SentimentGrid",
    "answer",
    "answers",
    "beside_paper",
    "correlations_of",
    "overview",
    "paper_grid",
    "paper_row",
    "read_grid",
    "write_grid",
]
