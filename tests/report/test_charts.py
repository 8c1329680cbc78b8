"""Drawings against coordinates worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_markup import Element, parse

from biascheck.report.charts import (
    Bar,
    Point,
    bar_chart,
    interval_chart,
    interval_scale,
    scatter_chart,
    small_bar,
)
from biascheck.report.scales import Scale, coordinate
from biascheck.stats import Interval

finite = st.floats(-1e6, 1e6)


def only(root: Element, tag: str, kind: str) -> dict[str, str]:
    (found,) = root.find(tag, kind)
    return found.attributes


class TestScale:
    @given(st.lists(finite, min_size=1))
    def test_every_value_lies_between_the_ends(self, values):
        scale = Scale.over(values, start=8, end=212)
        assert all(8 - 1e-6 <= scale.at(value) <= 212 + 1e-6 for value in values)

    def test_ends_and_middle(self):
        scale = Scale.over([3, -1], start=10, end=50)
        assert [scale.at(value) for value in (-1, 1, 3)] == [10, 30, 50]

    def test_one_value_stands_in_the_middle(self):
        assert Scale.over([5, 5], start=0, end=10).at(5) == 5

    @pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1.26, "1.3"), (-0.01, "0"), (-2.5, "-2.5")])
    def test_coordinates_are_short(self, value, text):
        assert coordinate(value) == text


class TestIntervalChart:
    def chart(self, interval: Interval | None) -> Element:
        # −1 … 1 onto 8 … 212: at(v) = 110 + 102 v
        scale = interval_scale([-1, 1])
        region = (-0.25, 0.25)
        return parse(interval_chart(scale, estimate=0.5, interval=interval, parity=0, region=region, label='a "label"'))

    def test_coordinates_of_a_known_interval(self):
        root = self.chart(Interval(0.25, 0.75, 0.95, "x"))
        assert only(root, "rect", "band") | {"x": "84.5", "width": "51"} == only(root, "rect", "band")
        interval = only(root, "rect", "interval")
        assert (interval["x"], interval["width"]) == ("135.5", "51")
        assert only(root, "circle", "dot")["cx"] == "161"
        parity = only(root, "line", "parity")
        assert parity["x1"] == parity["x2"] == "110"

    def test_without_an_interval_the_dot_is_hollow(self):
        root = self.chart(None)
        assert root.find("rect", "interval") == []
        assert only(root, "circle", "dot")["class"] == "dot hollow"

    def test_its_label_is_escaped(self):
        assert only(self.chart(None), "svg", "")["aria-label"] == 'a "label"'


class TestBars:
    def test_bars_start_at_zero_and_end_at_their_value(self):
        # −1 … 3 onto 170 … 436: zero at 236.5, one unit is 66.5 wide
        bars = [Bar("up", 3, "one"), Bar("down", -1, "two")]
        root = parse(bar_chart(bars, contrast=("male", "female"), label="bars"))
        up, down = only(root, "rect", "one"), only(root, "rect", "two")
        assert (up["x"], up["width"]) == ("236.5", "199.5")
        assert (down["x"], down["width"]) == ("170", "66.5")
        assert [text.text for text in root.find("text")] == [
            "← towards female",
            "towards male →",
            "up",
            "+3.00",
            "down",
            "−1.00",
        ]

    def test_bars_that_are_all_zero_can_be_drawn(self):
        root = parse(bar_chart([Bar("a", 0.0, "one")], contrast=("x", "y"), label="bars"))
        assert only(root, "rect", "one")["width"] == "0"

    @pytest.mark.parametrize(("value", "x", "width"), [(2.0, "0", "50"), (-1.0, "-25", "25"), (0.0, "0", "0")])
    def test_a_small_bar_grows_from_the_middle(self, value, x, width):
        bar = only(parse(small_bar(value, 2.0, "one")), "rect", "one")
        assert (bar["x"], bar["width"]) == (x, width)

    def test_small_bars_of_nothing(self):
        assert only(parse(small_bar(0.0, 0.0, "one")), "rect", "one")["width"] == "0"


class TestScatter:
    def test_points_lie_where_they_should(self):
        # x: 0 … 100 onto 60 … 460; y: −1 … 1 onto 228 … 28
        points = [Point("a", 0, 1), Point("b", 50, 0), Point("<b>", 100, -1)]
        root = parse(scatter_chart(points, x_label="share", y_label="gap", label="scatter"))
        drawn = [(c.attributes["cx"], c.attributes["cy"], c.find("title")[0].text) for c in root.find("circle")]
        assert drawn == [("60", "28", "a"), ("260", "128", "b"), ("460", "228", "<b>")]
        assert only(root, "line", "parity")["y1"] == "128"
