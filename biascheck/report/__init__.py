"""Reports: results in, HTML out. Nothing here needs a model."""

from biascheck.report.comparison_page import write_comparison_html
from biascheck.report.html import write_html, write_report

__all__ = [
    "write_comparison_html",
    "write_html",
    "write_report",
]
