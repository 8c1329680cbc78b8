"""Reports: results in, HTML out. Nothing here needs a model."""

from biascheck.report.html import write_html, write_report
from biascheck.report.sections.comparison_page import write_comparison_html

__all__ = ["write_comparison_html", "write_html", "write_report"]
