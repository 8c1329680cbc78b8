"""The attachments of a result: each kind drawn, with the same values as a table."""

from __future__ import annotations

import pytest

from biascheck.core.errors import UsageError
from biascheck.report.drawings import Drawing, drawings_of
from biascheck.report.html import page_of, render_page
from biascheck.report.overviews import changes_of, gaps_of, plane_of
from biascheck.report.papers import OWN, Citation, cited, paper_figures
from biascheck.results.attachments import (
    Correlations,
    Draws,
    ExplainedVariance,
    Facts,
    Groups,
    Point,
    Published,
    Scatter,
    SideBias,
    Table,
    TwoSided,
    WordMap,
)
from biascheck.results.published import PublishedFigure, PublishedFigures
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.stats import Interval
from support.report_contract import ATTACHMENTS, contract_gates, contract_results
from support.report_markup import Element, parse
from support.report_samples import gate, item, result


def drawn(key: str) -> Drawing:
    (drawing,) = drawings_of(result(attachments=(ATTACHMENTS[key],)))
    return drawing


@pytest.mark.parametrize("key", ATTACHMENTS)
def test_every_kind_of_attachment_is_drawn(key):
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
        ("histogram", [("0 to 0.5", "3"), ("0.5 to 1", "17")]),
        ("two_sided", [("original", "−0.02", "+0.04", "30", "5", "65")]),
        ("correlations", [("all", "1.00", "0.70"), ("pro", "0.70", "1.00")]),
        ("published", [("BERT", "0.572", "Table 1", "printed 0.75")]),
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


EMPTY = {
    "explained_variance": ExplainedVariance(pairs=()),
    "map": WordMap(points=()),
    "scatter": Scatter(x="a", y="b", points=()),
    "draws": Draws(values=()),
    "two_sided": TwoSided(sides=()),
    "profession_table": Groups(groups=()),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_an_attachment_with_nothing_in_it_is_left_out(kind):
    odd = result(attachments=(EMPTY[kind],))
    assert drawings_of(odd) == ()
    assert "Provenance" in render_page(page_of(Run((odd,))))


@pytest.mark.parametrize(
    "attached",
    [
        Table(columns=(), rows=()),
        Table(columns=("",), rows=(("x",),)),
        Correlations(names=(), matrix=()),
        Published(figures=()),
        ExplainedVariance(pairs=(0.5,), random=(0.1, 0.2, 0.3)),
        Scatter(x="", y="", points=(Point(name="", x=0.0, y=0.0),)),
        Facts(facts={"nested": {"a": [1, None]}, "": ""}),
    ],
    ids=lambda attached: type(attached).__name__,
)
def test_an_odd_attachment_loses_no_report(attached):
    parse(render_page(page_of(Run((result(attachments=(attached,)),)))))


def test_a_matrix_that_is_not_square_is_refused_where_it_is_made():
    with pytest.raises(UsageError, match="2 names need as many rows and columns"):
        Correlations(names=("a", "b"), matrix=((1.0, 0.5),))


def test_facts_are_shown_as_text_where_the_result_comes_from():
    noted = result(attachments=(Facts(facts={"seed_of_words": 7, "drawn": ["a", "b"]}), Facts(facts={"more": "yes"})))
    (listed,) = [
        dl for dl in parse(render_page(page_of(Run((noted,))))).find("dl", "plain") if "seed of words" in dl.all_text
    ]
    facts = {d.find("dt")[0].all_text.strip(): d.find("dd")[0].all_text.strip() for d in listed.children}
    assert [facts[name] for name in ("seed of words", "drawn", "more")] == ["7", "a, b", "yes"]


def test_two_attachments_of_one_kind_are_both_drawn():
    first, second = (Table(columns=("job", "gap"), rows=((job, 0.5),), title=job) for job in ("nurse", "cook"))
    assert [one.title for one in drawings_of(result(attachments=(first, second)))] == ["nurse", "cook"]
    assert Table(columns=("BERT layers",), rows=()).title == ""
    (untitled,) = drawings_of(result(attachments=(Table(columns=("BERT layers",), rows=()),)))
    assert untitled.title == "BERT layers"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5e-05, "5e-05"),
        (0.572, "0.572"),
        (-0.89, "−0.89"),
        (12.0, "12"),
        (0.1234567, "0.1234567"),
        (1234567.0, "1234567"),
    ],
)
def test_a_published_figure_keeps_its_digits_from_the_file_to_the_chart(tmp_path, value, text):
    file = tmp_path / "published.toml"
    file.write_text(f'["jobs.BERT"]\nvalue = {value!r}\nsource = "A paper"\n')
    (figure,) = PublishedFigures.read(file).listed("jobs")
    judged = result(interval=Interval(0.0, 1.0, 0.95, ""), attachments=(Published(figures=(figure,)),))
    write_run(tmp_path / "run.json", Run((judged,), (gate(judged, published=(figure,)),)))
    run = read_run(tmp_path / "run.json")
    assert run.gates[0].published[0].value == value
    root = parse(render_page(page_of(run)))
    (row,) = root.find("table", "beside")[0].find("tbody")[0].children
    assert " ".join(row.children[3].all_text.split()) == f"BERT {text}"
    (table,) = root.find("figure", "drawing-published")
    assert [cell.all_text.strip() for cell in table.find("tbody")[0].children[0].children][1] == text
    assert f"BERT {text} " in root.find("table", "gates")[0].all_text
    # the chart: a linear scale over the interval, parity, the estimate and the published figure, from 16 to 204
    low, high = min(0.0, value), max(1.0, value)
    (diamond,) = row.find("polygon", "paper")
    top = diamond.attributes["points"].split()[0].split(",")[0]
    assert float(top) == pytest.approx(16 + (value - low) / (high - low) * 188, abs=0.051)


def test_a_figure_that_several_results_share_is_drawn_once():
    parts = [result(slice=(("group", part),), attachments=(ATTACHMENTS["table"],)) for part in ("female", "male")]
    root = parse(render_page(page_of(Run(tuple(parts)))))
    (figure,) = root.find("figure", "drawing-table")
    assert figure.find("figcaption")[0].all_text.strip() == "Condition: association, bec-pro"


def test_like_tables_of_several_results_become_one():
    results = [
        result(corpus=corpus, attachments=(Draws(values=(low, low + 0.2)),))
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
        side = SideBias(name=name, negative=-0.1, positive=0.2, n_negative=1, n_zero=0, n_positive=2)
        return result(corpus=corpus, attachments=(TwoSided(sides=(side,)),))

    (drawing,) = paper_figures([of("R-all", "a"), of("mix-all", "b"), of("R-all", "c")])
    assert drawing.table is not None
    assert [row[0] for row in drawing.table.rows] == ["R-all", "mix-all"]


class TestTogether:
    def test_parts_of_a_corpus_make_one_chart_of_gaps(self):
        first = result([item("1", 1.0), item("2", 3.0)], slice=(("group", "a"),))
        second = result([item("2", 3.0), item("3", -1.0, "plumber")], slice=(("group", "b"),))
        (drawing,) = gaps_of([first, second])
        assert drawing.table is not None
        # nurse: the mean of 1 and 3, the second of which is in both parts and counts once
        assert list(drawing.table.rows) == [("nurse", "+2.00"), ("plumber", "−1.00")]
        assert gaps_of([first]) == []

    def test_scores_that_are_not_the_gaps_of_their_groups_are_left_alone(self):
        other = [item(str(n), 5.0, groups={"male": 0.5, "female": 0.0}) for n in range(3)]
        assert gaps_of([result(other, slice=(("group", part),)) for part in "ab"]) == []

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
            ("BERT-U", "0.572", "0.079", "published", "swapped"),
        ]
        assert len(parse(plane.chart).find("circle", "one")) == 1
        assert len(parse(plane.chart).find("polygon", "two")) == 1

    def test_without_a_pair_of_skew_and_stereotype_there_is_no_plane(self):
        assert plane_of([result(measure="skew")]) is None


class TestPapers:
    def test_sections_come_in_the_order_of_the_papers_and_own_measures_last(self):
        measures = ("mine", "skew", "association")
        root = parse(render_page(page_of(Run(tuple(result(measure=measure, corpus="jobs") for measure in measures)))))
        named = [name.text for section in root.find("section", "suite") for name in section.find("span", "overline")]
        assert named == ["Kurita et al. 2019", "de Vassimon Manela et al. 2021", OWN.name]

    def test_a_published_figure_is_shown_beside_the_measured_one_with_its_erratum(self):
        results = contract_results()
        root = parse(render_page(page_of(Run(tuple(results), tuple(contract_gates(results))))))
        (row, *_) = root.find("table", "beside")[0].find("tbody")[0].children
        cells = [" ".join(cell.all_text.split()) for cell in row.children]
        assert cells[1] == "0.25 [0.10, 0.40]"
        assert cells[3:] == ["−0.4", "A paper, Table 2 Erratum: printed 0.4"]
        assert len(row.find("polygon", "paper")) == 1

    def test_several_published_figures_are_named_and_their_sources_given_once(self):
        figures = [
            PublishedFigure(v, "Basta 2019", name=n, erratum="swapped") for n, v in (("ELMo", 0.86), ("w2v", 0.98))
        ]
        assert cited(figures) == Citation("ELMo 0.86, w2v 0.98", single=False, source="Basta 2019", erratum="swapped")
        alone = PublishedFigure(-1.18, "Bartl 2020", table="Table 4", model="BERT", note="male −0.68")
        assert cited([alone]) == Citation(
            "−1.18", single=True, source="Bartl 2020, Table 4, BERT: male −0.68", erratum=""
        )


def test_the_whole_contract_makes_a_sound_page():
    results = contract_results()
    root = parse(render_page(page_of(Run(tuple(results), tuple(contract_gates(results))))))
    ids = [element.attributes["id"] for element in root.walk() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert all(_named(svg) for svg in root.find("svg", "-chart"))


def _named(svg: Element) -> bool:
    return svg.attributes.get("role") == "img" and bool(svg.attributes.get("aria-label"))
