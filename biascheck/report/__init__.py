"""Reports: results in, HTML out. Nothing here needs a model."""

from biascheck.report.html import write_html

__all__ = ["write_html"]
