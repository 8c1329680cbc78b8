"""What a result keeps in its details: each key of the contract drawn, with the same values as a table."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from report_contract import DETAILS, contract_gates, contract_results
from report_markup import Element, parse
from report_samples import DESCRIPTIONS, gate, item, result

from biascheck.report.charts.drawings import Drawing, drawings_of, other_details
from biascheck.report.html import page_of, render_page
from biascheck.report.sections.beside_published import read_published
from biascheck.report.sections.overviews import changes_of, gaps_of, plane_of
from biascheck.report.sections.paper_figures import paper_figures
from biascheck.report.sections.papers import OWN, paper_of
from biascheck.results.description import Description


def drawn(key: str, value: object | None = None) -> Drawing:
    (drawing,) = drawings_of(result(details={key: DETAILS[key] if value is None else value}))
    return drawing


@pytest.mark.parametrize("key", DETAILS)
def test_every_key_of_the_contract_is_drawn(key):
    drawing = drawn(key)
    assert drawing.key == key
    assert drawing.table is not None
    assert drawing.table.rows
    if drawing.chart is not None:
        (svg,) = parse(drawing.chart).find("svg")
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"]


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ("explained_variance", [("PC1", "0.60", "0.20"), ("PC2", "0.10", "0.15"), ("PC3", "0.05", "0.10")]),
        ("draws", [("3", "0.58", "0.61", "0.65")]),
        ("two_sided", [("original", "−0.02", "+0.04", "30", "5", "65")]),
        ("correlations", [("all", "1.00", "0.70"), ("pro", "0.70", "1.00")]),
        ("published", [("BERT", "0.57", "Table 1", "printed 0.75")]),
        ("table", [("original", "0.93"), ("balanced", "")]),
        (
            "profession_table",
            [
                (
                    *("male", "900", "0.16", "−0.83", "0.10", "−0.20"),
                    *("28,950", "−22.28", "< 0.001", "0.53", "female < male"),
                )
            ],
        ),
    ],
)
def test_the_table_has_the_values(key, rows):
    table = drawn(key).table
    assert table is not None
    assert list(table.rows) == rows
    assert len(table.columns) == len(rows[0])


MALFORMED = {
    "explained_variance": [[], {"pairs": []}, {"pairs": ["much"]}, {"pairs": [math.nan]}, 3],
    "map": [[], [{"word": "nurse"}], [{"word": "nurse", "x": math.inf, "y": 0, "group": "male"}], "map", None],
    "scatter": [[], {"x": "a", "y": "b", "points": []}, {"points": [{"name": "n", "x": 1, "y": 1}]}],
    "draws": [[], ["0.5", "0.6"], {}],
    "two_sided": [[], [{"name": "a"}], "x"],
    "correlations": [{"names": ["a"], "matrix": [[1.0], [2.0]]}, {}],
    "published": [[{"name": "a", "value": "much", "source": ""}], [3]],
    "table": [{"columns": ["a"], "rows": [[1, 2]]}, {"columns": [], "rows": [[]]}, []],
    "profession_table": [[], [{"name": "male"}], "x"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in MALFORMED.items() for value in values])
def test_a_detail_that_is_not_in_its_form_loses_no_report(key, value):
    odd = result(details={key: value})
    assert drawings_of(odd) == ()
    assert list(other_details(odd)) == [key]
    html = render_page(page_of([odd], []))
    assert "Where this comes from" in html


def test_a_figure_that_several_results_share_is_drawn_once():
    table = {"table": DETAILS["table"]}
    parts = [result(corpus=f"bec-pro·{part}", details=table) for part in ("female", "male")]
    root = parse(render_page(page_of(parts, [])))
    (figure,) = root.find("figure", "drawing-table")
    assert figure.find("figcaption")[0].all_text.strip() == "Condition: association, bec-pro"


def test_like_tables_of_several_results_become_one():
    results = [
        result(corpus=corpus, details={"draws": [low, low + 0.2]})
        for corpus, low in (("a", 0.1), ("b", 0.3), ("c", 0.3))
    ]
    (drawing,) = paper_figures(results)
    assert (drawing.key, drawing.title) == ("draws", "Independent draws")
    assert drawing.table is not None
    assert drawing.table.columns == ("result", "draws", "minimum", "mean", "maximum")
    assert list(drawing.table.rows) == [
        ("a", "2", "0.10", "0.20", "0.30"),
        ("b and c", "2", "0.30", "0.40", "0.50"),
    ]
    assert drawing.table.numbers == (1, 2, 3, 4)


def test_two_sided_biases_of_several_results_become_one_figure():
    def of(name, corpus):
        sides = {"name": name, "negative": -0.1, "positive": 0.2, "n_negative": 1, "n_zero": 0, "n_positive": 2}
        return result(corpus=corpus, details={"two_sided": [sides]})

    (drawing,) = paper_figures([of("R-all", "a"), of("mix-all", "b"), of("R-all", "c")])
    assert drawing.table is not None
    assert [row[0] for row in drawing.table.rows] == ["R-all", "mix-all"]


class TestTogether:
    def test_parts_of_a_corpus_make_one_chart_of_gaps(self):
        first = result([item("1", 1.0), item("2", 3.0)], corpus="jobs·a")
        second = result([item("2", 3.0), item("3", -1.0, "plumber")], corpus="jobs·b")
        (drawing,) = gaps_of([first, second])
        assert drawing.table is not None
        # nurse: the mean of 1 and 3, the second of which stands in both parts and counts once
        assert list(drawing.table.rows) == [("nurse", "+2.00"), ("plumber", "−1.00")]
        assert gaps_of([first]) == []

    def test_scores_that_are_not_the_gaps_of_their_groups_are_left_alone(self):
        other = [item(str(n), 5.0, groups={"male": 0.5, "female": 0.0}) for n in range(3)]
        assert gaps_of([result(other, corpus="jobs·a"), result(other, corpus="jobs·b")]) == []

    def test_two_models_are_ordered_by_the_change(self):
        before = result([item("1", 1.0), item("2", 1.0, "plumber"), item("3", 1.0, "cook")])
        after = result([item("1", 0.5), item("2", 2.0, "plumber"), item("4", 1.0, "judge")])
        (drawing,) = changes_of([before], [after], ("old", "new"))
        assert drawing.table is not None
        assert drawing.table.columns == ("attribute", "old", "new", "change")
        assert list(drawing.table.rows) == [
            ("plumber", "+1.00", "+2.00", "+1.00"),
            ("nurse", "+1.00", "+0.50", "−0.50"),
        ]

    def test_models_that_share_no_corpus_are_not_compared(self):
        assert changes_of([result(corpus="a")], [result(corpus="b")], ("old", "new")) == []

    def test_the_plane_has_measured_and_published_models(self):
        plane = plane_of(contract_results())
        assert plane is not None
        assert plane.table is not None
        assert list(plane.table.rows) == [
            ("winograd-t2", "0.25", "0.25", "measured", ""),
            ("BERT-U", "0.57", "0.08", "published", "swapped"),
        ]
        assert len(parse(plane.chart).find("circle", "one")) == 1
        assert len(parse(plane.chart).find("polygon", "two")) == 1

    def test_without_a_pair_of_skew_and_stereotype_there_is_no_plane(self):
        assert plane_of([result(measure="skew")]) is None


class TestPapers:
    @pytest.mark.parametrize(
        ("measure", "corpus_paper", "tests", "key"),
        [
            ("association", "bartl2020", [], "bartl2020"),
            ("association", "", [], "kurita2019"),
            ("association", "", ["suites/manela2021/test_x.py::test_y"], "manela2021"),
            ("workforce correlation", "manela2021", [], "manela2021"),
            ("workforce correlation", "", [], "bartl2020"),
            ("absolute delta", "", [], "jentzsch2022"),
            ("neighbour correlation", "", [], "basta2019"),
            ("my measure", "", ["tests/test_bartl2020.py::test_y"], "own"),
            ("my measure", "bartl2020", [], "own"),
            ("association of mine", "kurita2019", [], "own"),
            ("cluster purity", "", [], "own"),
            ("WEATHER bias", "", [], "own"),
        ],
    )
    def test_a_result_belongs_to_a_paper(self, measure, corpus_paper, tests, key):
        description = replace(DESCRIPTIONS.get(measure, Description(measure)), corpus_paper=corpus_paper)
        judged = result(measure=measure, description=description)
        assert paper_of(judged, tests).key == key
        assert paper_of(gate(judged), tests).key == key

    def test_sections_come_in_the_order_of_the_papers_and_own_measures_last(self):
        measures = ("mine", "skew", "association")
        root = parse(render_page(page_of([result(measure=measure, corpus="jobs") for measure in measures], [])))
        named = [p.text for p in root.find("p", "overline")]
        assert named == ["Kurita et al. 2019", "de Vassimon Manela et al. 2021", OWN.name]

    def test_a_published_figure_stands_beside_the_measured_one_with_its_erratum(self):
        results = contract_results()
        root = parse(render_page(page_of(results, contract_gates(results))))
        (row, *_) = root.find("table", "beside")[0].find("tbody")[0].children
        cells = [" ".join(cell.all_text.split()) for cell in row.children]
        assert cells[1] == "0.25 [0.10, 0.40]"
        assert cells[3:] == ["−0.40", "A paper, Table 2 Erratum: printed 0.4"]
        assert len(row.find("polygon", "paper")) == 1

    @pytest.mark.parametrize(
        ("words", "values", "source", "erratum"),
        [
            ("−1.18 (Bartl 2020, Table 4: male −0.68)", (-1.18,), "Bartl 2020, Table 4: male −0.68", ""),
            ("0.24 (Table 2; erratum: printed (0.4))", (0.24,), "Table 2", "printed (0.4)"),
            ("ELMo 0.86, word2vec 0.98 (Basta 2019; erratum: swapped)", (0.86, 0.98), "Basta 2019", "swapped"),
            ("ELMo 0.86, word2vec low (Basta 2019)", (), "Basta 2019", ""),
            ("about a half", (), "", ""),
            ("", (), "", ""),
        ],
    )
    def test_a_published_figure_is_taken_apart(self, words, values, source, erratum):
        found = read_published(words)
        assert (found.values, found.source, found.erratum) == (values, source, erratum)

    def test_what_the_plugin_writes_can_be_taken_apart(self):
        from biascheck.results.published_figures import PublishedFigure

        for written in (PublishedFigure(-0.5, "Table 1", erratum="swapped"), PublishedFigure(12, "Table 2")):
            found = read_published(str(written))
            assert (found.values, found.source, found.erratum) == ((written.value,), written.source, written.erratum)


def test_the_whole_contract_makes_a_sound_page():
    results = contract_results()
    root = parse(render_page(page_of(results, contract_gates(results))))
    ids = [element.attributes["id"] for element in root.walk() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert all(_named(svg) for svg in root.find("svg", "-chart"))


def _named(svg: Element) -> bool:
    return svg.attributes.get("role") == "img" and bool(svg.attributes.get("aria-label"))
