"""Whole experiments of a paper: models, conditions and corpora crossed from one declaration."""

from biascheck.studies.sentiment_grid import Cell, GridRow, SentimentGrid, correlations_of, overview

__all__ = ["Cell", "GridRow", "SentimentGrid", "correlations_of", "overview"]
