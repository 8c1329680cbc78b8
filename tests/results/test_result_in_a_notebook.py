"""A result in a notebook and as a data frame."""

from dataclasses import replace
from html.parser import HTMLParser

import pandas
import pytest

from biascheck.results.definition import Readability
from biascheck.results.items import Skipped
from support.handmade import items_of, result_of, spread


class Table(HTMLParser):
    """Collects caption and rows of a table, and refuses tags that a notebook could run or load."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.tags = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert tag in {"table", "caption", "tbody", "tr", "th", "td", "b"}
        assert {name for name, _ in attrs} <= {"style"}
        self.tags.append(tag)

    def handle_endtag(self, tag):
        while self.tags and self.tags.pop() != tag:
            raise AssertionError(f"{tag} closes another tag")

    def handle_data(self, data):
        self.cells.append(data)

    @property
    def rows(self):
        title, *rest = self.cells
        return title, dict(zip(rest[::2], rest[1::2], strict=True))


def test_a_notebook_shows_figure_interval_size_and_who_drives_it():
    result = result_of(items_of(spread(0.5, 0.05, 12)))
    title, rows = Table(result._repr_html_()).rows
    assert title == "association on tiny × jobs"
    low, high = result.interval.low, result.interval.high
    assert rows["estimate"] == "0.50"
    assert rows["95\N{NO-BREAK SPACE}% interval"] == f"[{low:.2f}, {high:.2f}]"
    assert rows["size"] == f"{result.n} pairs, 12 clusters, seed 0"
    assert rows["largest"].startswith(str(result.top_contributors(1)[0]))


def test_what_is_doubtful_is_shown_and_escaped():
    unable = Readability("order", "order", 0.4, 0.6, 50, 0, "40% of 50", "cannot read <this> corpus")
    result = replace(
        result_of(items_of(spread(0.5, 0.05, 3)), model="<img src=x onerror=alert(1)>"),
        skipped=(Skipped("x", "not a \x1b[31m word & no <b>"),), warnings=("only <i>nouns</i>",), competence=unable,
    )  # fmt: skip
    title, rows = Table(result._repr_html_()).rows
    assert "<img src=x onerror=alert(1)>" in title
    assert rows["interval"] == "none: too few clusters"
    assert rows["skipped"] == "1, e.g. not a \\x1b[31m word & no <b>"
    assert rows["caution"] == "only <i>nouns</i>"
    assert "cannot read <this> corpus: 40% of 50" in rows["invalid"]


def test_the_frame_has_a_row_for_each_item_and_its_mean_is_the_estimate():
    result = result_of(items_of({"nurse": [0.1, 0.3], "plumber": [0.5, 0.7]}))
    frame = result.to_frame()
    assert list(frame.columns) == ["score", "cluster", "male", "female", "template"]
    assert frame.loc["nurse/1", "score"] == 0.3
    assert frame.groupby("cluster")["score"].mean().to_dict() == pytest.approx({"nurse": 0.2, "plumber": 0.6})
    assert frame["score"].mean() == pytest.approx(result.estimate)
    pandas.testing.assert_series_equal(frame["male"] - frame["female"], frame["score"], check_names=False)


def test_ipython_takes_the_table():
    formatters = pytest.importorskip("IPython.core.formatters", reason="pip install ipython")
    shown, _ = formatters.DisplayFormatter().format(result_of(items_of(spread(0.5, 0.05, 12))))
    assert shown["text/html"].startswith("<table>")
