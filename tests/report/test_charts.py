"""Drawings against coordinates worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biascheck.report import charts, results
from biascheck.report.charts import (
    Bar,
    BeforeAfter,
    PlanePoint,
    Series,
    SideBars,
    bar_chart,
    change_chart,
    column_chart,
    interval_chart,
    interval_scale,
    plane_chart,
    row_chart,
    shape_of,
    trend_chart,
    two_sided_chart,
)
from biascheck.report.svg import Box, Name, Scale, chart, coordinate, place_names as place, tick_text
from biascheck.stats import Interval
from support.report_markup import Element, parse

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

    def test_one_value_is_in_the_middle(self):
        assert Scale.over([5, 5], start=0, end=10).at(5) == 5

    @pytest.mark.parametrize(
        ("low", "high", "ticks"),
        [
            (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (-1, 1, [-1, -0.5, 0, 0.5, 1]),
            (0, 0.37, [0, 0.1, 0.2, 0.3]),
            (3, 97, [20, 40, 60, 80]),
        ],
    )
    def test_ticks_are_round(self, low, high, ticks):
        assert Scale(low, high, 0, 1).ticks() == pytest.approx(ticks)

    @given(finite, st.floats(1e-6, 1e6))
    def test_ticks_lie_on_the_scale(self, low, width):
        scale = Scale(low, low + width, 0, 1)
        if width > 1e-9 * abs(low):
            assert len(scale.ticks()) <= 6
            assert all(-1e-6 <= scale.at(tick) <= 1 + 1e-6 for tick in scale.ticks())

    @pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1.26, "1.3"), (-0.01, "0"), (-2.5, "-2.5")])
    def test_coordinates_are_short(self, value, text):
        assert coordinate(value) == text


def written(root: Element) -> list[Element]:
    """The texts of a chart without those of its scale."""
    return [text for text in root.find("text") if "tick" not in text.attributes["class"].split()]


def ticks(root: Element) -> dict[str, str]:
    """The scale of a chart: what is written at which place."""
    return {text.attributes["x"]: text.text for text in root.find("text", "tick")}


class TestIntervalChart:
    def chart(self, interval: Interval | None) -> Element:
        # −1 … 1 onto 16 … 204: at(v) = 110 + 94 v
        scale = interval_scale([-1, 1])
        region = (-0.25, 0.25)
        return parse(interval_chart(scale, estimate=0.5, interval=interval, parity=0, region=region, label='a "label"'))

    def test_coordinates_of_a_known_interval(self):
        root = self.chart(Interval(0.25, 0.75, 0.95, "x"))
        assert only(root, "rect", "band") | {"x": "86.5", "width": "47"} == only(root, "rect", "band")
        interval = only(root, "rect", "interval")
        assert (interval["x"], interval["width"]) == ("133.5", "47")
        assert only(root, "circle", "dot")["cx"] == "157"
        parity = only(root, "line", "parity")
        assert parity["x1"] == parity["x2"] == "110"
        assert ticks(root) == {"16": "−1.00", "110": "0.00", "204": "1.00"}

    def test_without_an_interval_the_dot_is_hollow(self):
        root = self.chart(None)
        assert root.find("rect", "interval") == []
        assert only(root, "circle", "dot")["class"] == "dot hollow"

    def test_its_label_is_escaped(self):
        assert only(self.chart(None), "svg", "")["aria-label"] == 'a "label"'


class TestBars:
    def test_bars_start_at_zero_and_end_at_their_value(self):
        # −1 … 3 onto 152 … 376: zero at 208, one unit is 56 wide
        bars = [Bar("up", 3, "one"), Bar("down", -1, "two")]
        root = parse(bar_chart(bars, contrast=("male", "female"), label="bars"))
        up, down = only(root, "rect", "one"), only(root, "rect", "two")
        assert (up["x"], up["width"]) == ("208", "168")
        assert (down["x"], down["width"]) == ("152", "56")
        assert ticks(root) == {"152": "−1.00", "208": "0.00", "264": "1.00", "320": "2.00", "376": "3.00"}
        assert [text.text for text in written(root)] == [
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

    def test_a_change_runs_from_before_to_after_and_shows_the_difference(self):
        # −1 … 3 onto 152 … 376
        root = parse(change_chart([BeforeAfter("a", 3, -1)], contrast=("male", "female"), label="changes"))
        assert only(root, "circle", "hollow")["cx"] == "376"
        assert only(root, "circle", "two")["cx"] == "152"
        assert (only(root, "rect", "two")["x"], only(root, "rect", "two")["width"]) == ("152", "224")
        assert root.find("text")[-1].text == "−4.00"


class TestSeries:
    def test_columns_are_side_by_side_and_end_at_their_value(self):
        # 0 … 0.5 onto 214 … 12; two places of 183 units, each with two bars of 73.2
        series = [Series("pairs", "one", (0.5, 0.25)), Series("random", "two", (0.1, 0.0))]
        root = parse(column_chart(["PC1", "PC2"], series, label="shares"))
        drawn = [(r.attributes["x"], r.attributes["y"], r.attributes["height"]) for r in root.find("rect")]
        assert drawn == [
            ("62.3", "12", "202"),
            ("245.3", "113", "101"),
            ("135.5", "173.6", "40.4"),
            ("318.5", "214", "0"),
        ]

    def test_many_places_are_named_as_far_as_there_is_room(self):
        places = [f"PC{n}" for n in range(1, 31)]
        root = parse(column_chart(places, [Series("pairs", "one", (0.1,) * 30)], label="shares"))
        assert [text.text for text in root.find("text", "middle")] == places[::3]

    def test_a_series_may_be_shorter_than_the_axis(self):
        root = parse(column_chart(["PC1", "PC2"], [Series("pairs", "one", (0.5,))], label="shares"))
        assert len(root.find("rect")) == 1

    def test_rows_show_their_values(self):
        series = [Series("male", "one", (1.0, -1.0)), Series("female", "two", (0.5, 0.25))]
        root = parse(row_chart(["a", "b"], series, label="means"))
        # −1 … 1 onto 152 … 376: zero at 264
        assert [(r.attributes["x"], r.attributes["width"]) for r in root.find("rect")] == [
            ("264", "112"),
            ("264", "56"),
            ("152", "112"),
            ("264", "28"),
        ]
        assert [t.text for t in written(root)] == ["a", "1.00", "0.50", "b", "−1.00", "0.25"]
        assert ticks(root) == {"152": "−1.00", "208": "−0.50", "264": "0.00", "320": "0.50", "376": "1.00"}

    def test_two_sides_start_at_zero(self):
        # −0.1 … 0.3 onto 186 … 316: zero at 218.5, 0.1 is 32.5 wide
        root = parse(two_sided_chart([SideBars("all", -0.1, 0.3)], label="sides"))
        assert (only(root, "rect", "two")["x"], only(root, "rect", "two")["width"]) == ("186", "32.5")
        assert (only(root, "rect", "one")["x"], only(root, "rect", "one")["width"]) == ("218.5", "97.5")

    def test_conditions_are_named_by_what_they_do_not_share(self):
        sides = [SideBars("my model·R-all", -1, 1), SideBars("my model·R-pro", -1, 1), SideBars("my model·mix", -1, 1)]
        root = parse(two_sided_chart(sides, label="sides"))
        assert [text.text for text in root.find("text", "name")] == ["R-all", "R-pro", "mix"]


class TestPlane:
    def test_points_lie_where_they_should(self):
        # x: 0 … 100 onto 54 … 400; y: −1 … 1 onto 266 … 34
        points = [PlanePoint("a", 0, 1), PlanePoint("b", 50, 0), PlanePoint("<b>", 100, -1)]
        root = parse(plane_chart(points, x_label="share", y_label="gap", label="plane", zero=True))
        drawn = [(c.attributes["cx"], c.attributes["cy"], c.find("title")[0].text) for c in root.find("circle")]
        assert drawn == [("54", "34", "a"), ("227", "150", "b"), ("400", "266", "<b>")]
        assert only(root, "line", "parity")["y1"] == "150"

    def test_axes_reach_what_they_are_asked_to(self):
        root = parse(
            plane_chart([PlanePoint("a", 1, 1)], x_label="", y_label="", label="plane", x_from=[0], y_from=[0])
        )
        (mark,) = root.find("circle")
        assert (mark.attributes["cx"], mark.attributes["cy"]) == ("400", "34")
        assert [t.text for t in root.find("text", "tick")][:2] == ["0.00", "0.20"]

    def test_every_kind_has_a_shape_of_its_own(self):
        shapes = {shape_of(kind).replace(kind, "") for kind in ("one", "two", "three", "four", "five")}
        assert len(shapes) == 5


class TestNothingToDraw:
    @pytest.mark.parametrize(
        ("drawn", "reason"),
        [
            (plane_chart([], x_label="", y_label="", label=""), "there are no points"),
            (plane_chart([], x_label="", y_label="", label="", y_from=[0.0], zero=True), "there are no points"),
            (column_chart([], [], label=""), "there are no values"),
            (row_chart([], [Series("male", "one", ())], label=""), "there are no values"),
            (two_sided_chart([], label=""), "there are no conditions"),
            (bar_chart([], contrast=("male", "female"), label=""), "there are no bars"),
            (change_chart([], contrast=("male", "female"), label=""), "no attribute is in both"),
            (trend_chart([], parity=0.0, region=None, label=""), "there are no figures"),
        ],
    )
    def test_an_empty_chart_is_a_sentence(self, drawn, reason):
        root = parse(drawn)
        assert root.find("svg") == []
        assert root.find("p", "no-chart")[0].text == f"Nothing to draw: {reason}."

    def test_a_chart_that_fails_is_a_sentence_with_the_reason_and_a_warning(self, caplog):
        @chart
        def pie_chart():
            raise ValueError("<a> slice is missing\nand more")

        assert parse(pie_chart()).find("p", "no-chart")[0].text == (
            "This chart could not be drawn (ValueError: <a> slice is missing)."
        )
        assert caplog.messages == [
            "a figure of the report could not be drawn: pie chart (ValueError: <a> slice is missing)"
        ]

    def test_every_chart_is_called_in_this_way(self):
        found = {
            thing
            for module in (charts, results)
            for name, thing in vars(module).items()
            if name[0] != "_" and name.endswith("_chart")
        }
        assert len(found) == 9
        assert {one.__name__ for one in found if not hasattr(one, "__wrapped__")} == set()


class TestNames:
    FIELD = Box(0, 0, 200, 100)

    def test_a_name_is_to_the_right_of_its_point(self):
        (written,) = place([Name("nurse", 50, 50)], self.FIELD)
        (text,) = parse(written).find("text", "start")
        assert (text.attributes["x"], text.text) == ("57", "nurse")

    def test_near_the_edge_it_is_to_the_left(self):
        (written,) = place([Name("nurse", 195, 50)], self.FIELD)
        assert len(parse(written).find("text", "end")) == 1

    @given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 100)), max_size=40))
    def test_names_never_overlap(self, points):
        written = place([Name("word", x, y) for x, y in points], self.FIELD)
        boxes = []
        for markup in written:
            (text,) = parse(markup).find("text")
            x, width = float(text.attributes["x"]), 4 * 5.7 - 1e-9
            shift = {"start": 0, "end": width, "middle": width / 2}[text.attributes["class"].split()[1]]
            boxes.append(
                Box(x - shift, float(text.attributes["y"]) - 7, x - shift + width, float(text.attributes["y"]))
            )
        assert not any(a.meets(b) for n, a in enumerate(boxes) for b in boxes[:n] if a != b)

    def test_points_on_top_of_each_other_get_four_names_at_most(self):
        assert len(place([Name("word", 100, 50)] * 9, self.FIELD)) == 4


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 7, ["0", "2", "4", "6"]),
        (0, 1, ["0.00", "0.20", "0.40", "0.60", "0.80", "1.00"]),
        (-1, 3, ["−1.00", "0.00"]),
    ],
)
def test_ticks_have_decimals_only_where_they_need_them(low, high, texts):
    scale = Scale(low, high, 0, 100)
    assert [tick_text(value, scale) for value in scale.ticks()][: len(texts)] == texts
