"""The page as a whole: what it says, that it is sound HTML, and how it is written."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from biascheck.gates.gate import Gate
from biascheck.report import drawings, write_html
from biascheck.report.html import page_of, render_page
from biascheck.report.results import attributes_of, covariate_chart, points_of
from biascheck.report.svg import Scale
from biascheck.results.attachments import Facts, Point, Scatter, TwoSided
from biascheck.results.items import Shown, Skipped
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict
from support.report_contract import contract_gates, contract_results
from support.report_markup import Element, parse
from support.report_samples import gate, item, result

EVIL = "<script>alert('x')</script>\"&</style></title>"


def html_of(results: Sequence[Result], gates: Sequence[Gate] = ()) -> str:
    return render_page(page_of(Run(tuple(results), tuple(gates))))


def page(results: Sequence[Result], gates: Sequence[Gate] = ()) -> Element:
    return parse(html_of(results, gates))


def synthetic(clusters: int, each: int) -> Result:
    items = [
        item(f"{c}/{i}", 0.01 * c - 0.3 + 0.001 * i, f"profession number {c}")
        for c in range(clusters)
        for i in range(each)
    ]
    return result(items)


class TestSoundness:
    @pytest.mark.parametrize(
        ("results", "gates"),
        [
            ([], []),
            ([result()], []),
            ([], [gate()]),
            ([result()], [gate()]),
            ([result(interval=None)], [gate(result(interval=None))]),
            ([result(), result(model="other")], [gate(), gate(result(model="other"))]),
        ],
        ids=["nothing", "results only", "gates only", "both", "no interval", "two models"],
    )
    def test_every_tag_is_closed_and_every_id_is_unique(self, results, gates):
        root = page(results, gates)
        ids = [element.attributes["id"] for element in root.walk() if "id" in element.attributes]
        assert len(ids) == len(set(ids))
        for link in root.find("a"):
            assert link.attributes["href"].startswith("#")
            assert link.attributes["href"][1:] in ids

    def test_the_page_loads_nothing(self):
        html = html_of([result(model="https://example.org/model")], [gate()])
        root = parse(html)
        for element in root.walk():
            assert not {"src", "srcset", "data", "action", "poster", "background"} & element.attributes.keys()
            assert element.tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not re.search(r"url\(|@import|https?:", root.find("style")[0].text + root.find("script")[-1].text)
        assert "https://example.org/model" in root.find("h3", "name")[0].all_text

    def test_only_its_own_script_may_run(self):
        root = page([result()])
        data, script = root.find("script")
        assert data.attributes["type"] == "text/plain"
        (policy,) = [m.attributes["content"] for m in root.find("meta") if "http-equiv" in m.attributes]
        digest = b64encode(sha256(script.text.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy

    def test_landmarks_and_tables_are_named(self):
        root = page([result()], [gate()])
        assert [len(root.find(tag)) for tag in ("header", "main", "footer", "h1")] == [1] * 4
        assert [nav.attributes.get("aria-label") for nav in root.find("nav")] == ["Contents", None]
        assert root.find("nav")[1].attributes["aria-labelledby"] == "contents-title"
        assert all(len(table.find("caption")) == 1 for table in root.find("table"))
        assert all("scope" in head.attributes for head in root.find("th"))
        drawings = root.find("svg", "-chart")
        assert len(drawings) == 2  # the gate and the attributes
        assert all(svg.attributes["role"] == "img" and svg.attributes["aria-label"] for svg in drawings)


class TestEscaping:
    def evil(self) -> Result:
        sentences = {"male": Shown(EVIL, 0, 8), "female": Shown(EVIL, 8, 12)}
        return result(
            [item("1", 0.5, EVIL, sentences=sentences, covariate=1.0, labels={EVIL: 1.0}, side="A")],
            model=EVIL,
            corpus=EVIL,
            measure=EVIL,
            unit=EVIL,
            contrast=(EVIL, "female"),
            warnings=(EVIL,),
            skipped=(Skipped("x", EVIL),),
            attachments=(Facts(facts={EVIL: EVIL}),),
            provenance=replace(
                result().provenance,
                variant=EVIL,
                model_fingerprint=EVIL,
                options={EVIL: EVIL},
                versions={EVIL: EVIL},
                created=EVIL,
            ),
        )

    @pytest.mark.parametrize("statistic", ["mean", "spearman", EVIL])
    def test_nothing_measured_becomes_markup(self, statistic):
        evil = replace(self.evil(), statistic=statistic)
        judged = replace(
            gate(evil, reason=EVIL, note=EVIL, published=(PublishedFigure(1.0, EVIL, name=EVIL, erratum=EVIL),)),
            test=EVIL,
            offenders=(EVIL,),
        )
        html = html_of([evil], [judged])
        root = parse(html)
        assert [len(root.find(tag)) for tag in ("script", "style", "head", "body")] == [2, 1, 1, 1]
        assert len(root.find("head")[0].find("title")) == 1
        assert all("alert" not in script.text for script in root.find("script"))
        assert html.count("&lt;script&gt;") > 20

    def test_marked_targets_are_those_of_the_sentence(self):
        root = page([result([item("1", 0.5)])])
        assert [mark.text for mark in root.find("mark")] == ["he", "she"]
        assert [quote.text for quote in root.find("q")] == [" is a nurse"] * 2

    def test_text_that_utf8_cannot_hold_does_not_lose_the_report(self, tmp_path: Path):
        write_html(tmp_path / "r.html", [result(model="half \ud800 pair")], [])
        assert r"half \ud800 pair" in (tmp_path / "r.html").read_text(encoding="utf-8")

    def test_right_to_left_and_german_text_survive(self):
        sentences = {"male": Shown("הוא אח", 4, 6), "female": Shown("Die Ärztin ißt", 4, 10)}
        root = page([result([item("1", 0.5, "אח", sentences=sentences)])])
        assert [mark.text for mark in root.find("mark")] == ["אח", "Ärztin"]
        assert all(quote.attributes["dir"] == "auto" for quote in root.find("q"))


class TestVerdicts:
    def test_the_headline_counts(self):
        gates = [gate(verdict=Verdict.EXCEEDS), gate(verdict=Verdict.WITHIN), gate(verdict=Verdict.EXCEEDS)]
        hero = page([], gates).find("div", "hero")[0]
        assert hero.find("h1")[0].all_text.strip() == "FAIL"
        assert [one.all_text.strip() for one in hero.find("ul", "reasons-list")[0].children] == [
            "2 of 3 judgements failed"
        ]
        assert hero.find("p", "lead")[0].all_text.strip().startswith("3 gates: 2 exceed, 1 within")

    def test_every_verdict_is_a_word_and_a_shape(self):
        root = page([], [gate(verdict=verdict) for verdict in Verdict])
        shown = [span for table in root.find("table", "gates") for span in table.find("span", "verdict")]
        assert [span.text.strip() for span in shown] == ["exceeds", "invalid", "inconclusive", "within"]
        outlines = {repr([c.attributes.get("d") for c in span.find("svg")[0].children]) for span in shown}
        assert len(outlines) == len(Verdict)

    def test_an_accepted_doubt_says_so(self):
        (row,) = page([], [gate(inconclusive_passes=True)]).find("table", "gates")[0].find("tr", "inconclusive")
        assert " ".join(row.children[0].all_text.split()) == "inconclusive accepted"
        (row,) = page([], [gate()]).find("table", "gates")[0].find("tr", "inconclusive")
        assert " ".join(row.children[0].all_text.split()) == "inconclusive"

    def test_power_at_the_margin_is_a_figure_and_below_four_fifths_it_is_marked(self):
        # se = (0.4 − 0.1) / (2 · 1.96) = 0.0765; Φ(0.2 / se − 1.96) = 0.743, Φ(0.22 / se − 1.96) = 0.820
        wide, enough = (page([], [gate(margin=m)]).find("table", "gates")[0].all_text for m in (0.2, 0.22))
        assert "0.74" in wide
        assert "low power" in wide
        assert "detects 0.21" in wide
        assert "0.82" in enough
        assert "low power" not in enough

    def test_low_power_is_counted_at_the_top(self):
        hero = page([], [gate(margin=0.2), gate(margin=0.22)]).find("div", "hero")[0]
        assert "1 gate has low power" in hero.all_text
        assert "power" not in hero.find("p", "lead")[0].all_text  # the headline is that of every other output
        assert "power" not in page([], [gate(margin=0.22)]).find("div", "hero")[0].all_text
        found = page([], [gate(verdict=Verdict.EXCEEDS, margin=0.2)]).find("div", "hero")[0]
        assert "power" not in found.all_text  # nothing went undetected

    def test_what_exceeds_is_at_the_top_the_worst_first(self):
        mild, bad = (gate(result(corpus=c), Verdict.EXCEEDS, margin=m) for c, m in (("mild", 0.1), ("bad", 0.01)))
        (findings,) = page([], [gate(inconclusive_passes=True), mild, bad]).find("ul", "findings")[:1]
        assert [entry.find("a")[0].all_text.strip() for entry in findings.children] == [
            "association on small-model × bad",
            "association on small-model × mild",
        ]

    def test_without_an_interval_the_row_says_why(self):
        few = result(interval=None)
        text = page([few], [gate(few)]).find("table", "gates")[0].all_text
        assert "no interval: only 2 clusters" in text
        assert "unknown" in text

    def test_a_gate_shows_margin_reason_published_figure_and_test(self):
        judged = replace(
            gate(reason="one in five", published=(PublishedFigure(1.13, "a paper"),), note="3 times as likely"),
            test="test_x.py::test_y",
        )
        text = page([], [judged]).find("table", "gates")[0].all_text
        for words in (
            "± 0.20",
            "one in five",
            "1.13",
            "a paper",
            "3 times as likely",
            "test_x.py::test_y",
            "[0.10, 0.40] at 95\xa0%",
        ):
            assert words in text

    def test_gates_of_one_title_lead_to_their_own_results(self):
        first = result(contrast=("a", "b"))
        second = result(contrast=("a", "c"), estimate=0.3)
        root = page([first, second], [gate(second), gate(first)])
        (table,) = root.find("table", "gates")
        links = [link for link in table.find("a") if "term" not in link.attributes.get("class", "")]
        leads = [(link.attributes["href"], link.parent.find("small")[0].find("bdi")[0].text) for link in links]
        assert leads == [("#result-1", "a − b"), ("#result-2", "a − c")]

    def test_a_caution_is_written_once_and_pointed_to_by_every_gate(self):
        judged = gate(result(warnings=("beware of grammar",)))
        root = page([], [judged, judged])
        assert root.all_text.count("beware of grammar") == 1
        assert len([a for a in root.find("a") if a.attributes["href"] == "#caution-1"]) == 2


class TestResults:
    def test_the_model_card_says_where_the_figures_come_from(self):
        text = page([result()]).find("article", "card")[0].all_text
        for words in ("small-model", "0123456789ab", "2025-03-04 05:06 UTC", "torch 2.5.0", "7"):
            assert words in text
        assert "0123456789abc" not in text

    def test_two_models_under_one_name_are_noticed(self):
        other = result(corpus="x", provenance=replace(result(corpus="x").provenance, model_fingerprint="ffff"))
        assert "2 different models were measured under this name" in html_of([result(), other])

    def test_figures_of_a_result(self):
        root = page([result(effect_size=0.8)])
        facts = {
            d.find("dt")[0].all_text.strip(): d.find("dd")[0].all_text.strip()
            for d in root.find("dl", "figures-list")[0].children
        }
        assert facts == {
            "mean gap": "0.25",
            "95\xa0% interval": "[0.10, 0.40]",
            "p": "0.030",
            "effect size": "0.80",
            "pairs": "2",
            "clusters": "2",
            "skipped": "0",
        }

    def test_attributes_are_listed_with_their_means(self):
        items = [item("1", 1.0), item("2", 2.0), item("3", -3.0, "plumber")]
        (table,) = page([result(items)]).find("table", "attributes")
        rows = [[cell.all_text.strip() for cell in row.children] for row in table.find("tbody")[0].children]
        assert rows == [["plumber", "−3.00", "1"], ["nurse", "+1.50", "2"]]

    def test_a_covariate_is_named_by_its_label(self):
        items = [
            item(str(i), i - 1.5, f"job {i}", covariate=10.0 * i, labels={"share_of_women": 10.0 * i}) for i in range(4)
        ]
        root = page([result(items, statistic="spearman")])
        assert "share of women" in root.find("table", "attributes")[0].find("thead")[0].all_text
        # once among the figures of the paper, once in the result
        assert len(root.find("circle", "point")) == 8

    def test_a_covariate_that_varies_within_an_attribute_is_drawn_by_its_values(self):
        """Ages of the people whom a decision is about: each decision has several."""
        items = [
            item(f"{job}/{age}", age / 10, job, covariate=float(age))
            for job in ("visa", "loan")
            for age in (20, 60, 100)
        ]
        root = page([result(items, statistic="slope")])
        assert len(root.find("circle", "point")) == 2 * 3  # among the figures of the paper, and in the result
        rows = [[cell.all_text.strip() for cell in row.children] for row in root.find("tbody")[0].children]
        assert [(row[0], row[-1]) for row in rows] == [("20.00", "+2.00"), ("60.00", "+6.00"), ("100.00", "+10.00")]

    def test_covariates_that_print_alike_are_one_point_at_their_mean(self):
        """A factorisation gives 1.0830340127890965 on one machine, and …963 on another or in another item."""
        values = (1.0830340127890965, 1.0830340127890963, 7.0, 7.0)
        items = [
            item(f"{job}/{n}", gap, job, covariate=value)
            for job in ("visa", "loan")
            for n, (value, gap) in enumerate(zip(values, (0.1, 0.3, 0.5, 0.7), strict=True))
        ]
        measured = result(items, statistic="pearson")
        points = points_of(measured, attributes_of(measured))
        assert [(point.name, point.covariate, point.gap) for point in points] == [
            ("1.08", pytest.approx(1.0830340127890964), pytest.approx(0.2)),
            ("7.00", 7.0, pytest.approx(0.6)),
        ]
        assert len(page([measured]).find("circle", "point")) == 2 * 2  # in the figures of the paper, and in the result

    def test_one_value_in_two_spellings_of_arithmetic_is_a_page(self):
        values = (1.0830340127890965, 1.0830340127890963)
        items = [item(f"visa/{n}", n / 10, "visa", covariate=value) for n, value in enumerate(values)]
        (attribute,) = attributes_of(result(items))
        assert attribute.covariate == pytest.approx(1.0830340127890964)
        assert len(page([result(items, statistic="pearson")]).find("circle", "point")) == 2

    def test_values_that_print_differently_leave_an_attribute_without_one(self):
        items = [item(f"visa/{value}", 0.1, "visa", covariate=value) for value in (1.08, 1.09)]
        assert attributes_of(result(items))[0].covariate is None
        assert attributes_of(result([*items[:1], item("visa/none", 0.1, "visa")]))[0].covariate is None

    def test_a_covariate_that_no_one_has_is_a_sentence(self):
        measured = result([item("1", 0.5), item("2", 0.7)], statistic="pearson")
        (words,) = parse(covariate_chart(measured, attributes_of(measured))).find("p", "no-chart")
        assert words.text == "Nothing to draw: no attribute has a real-world figure."

    def test_skipped_items_are_counted_by_reason(self):
        skipped = [Skipped(str(i), "too long" if i % 3 else "no such word") for i in range(3_000)]
        text = page([result(skipped=tuple(skipped))]).all_text
        assert "3,000 skipped, with reasons" in text
        assert "2,000" in text
        assert "1,000" in text

    def test_thousands_of_reasons_stay_bounded(self):
        skipped = tuple(Skipped(str(i), f"reason {i}") for i in range(3_000))
        text = page([result(skipped=skipped)]).all_text
        assert len(re.findall(r"reason \d+", text)) == 15
        assert "2,985 further reasons are in the results file" in text

    def test_variants_other_than_ours_are_shown_beside_the_title(self):
        published = result(provenance=replace(result().provenance, variant="as published (a paper)"))
        assert "as published (a paper)" in page([published]).find("h4")[-1].all_text
        assert "ours" not in page([result()]).find("h4")[-1].all_text

    def test_a_measure_that_is_not_known_gets_the_general_limits(self):
        text = page([result(measure="my own")]).find("div", "limits")[0].all_text
        assert "about this corpus and this model" in text
        assert text != page([result()]).find("div", "limits")[0].all_text


class TestChartsThatFail:
    """A chart that cannot be drawn costs itself and not the page: there it says why."""

    def test_a_point_that_lies_nowhere_costs_its_figure(self, caplog):
        attached = Scatter(x="bias", y="share", points=(Point("nurse", 1.0, 2.0), Point("judge", float("inf"), 1.0)))
        root = page([result(attachments=(attached,))], [gate()])
        (words,) = root.find("p", "no-chart")
        assert words.text.startswith("This chart could not be drawn (OverflowError: ")
        assert len(root.find("svg", "interval-chart")) == 1
        assert "judge" in root.find("figure", "drawing-scatter")[0].find("tbody")[0].all_text
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "plane chart" in caplog.text

    def test_an_attachment_that_cannot_be_drawn_costs_itself(self, monkeypatch, caplog):
        def failing(_attached, _about):
            raise KeyError("no such side")

        monkeypatch.setattr(drawings, "DRAWERS", {**drawings.DRAWERS, TwoSided: failing})
        (figure,) = page(contract_results()).find("figure", "drawing-two_sided")
        assert "Two-sided" in figure.all_text
        assert figure.find("p", "no-chart")[0].text == "This chart could not be drawn (KeyError: 'no such side')."
        assert "two-sided" in caplog.text

    def test_where_none_can_be_drawn_the_page_has_everything_else(self, monkeypatch):
        results = contract_results()
        gates = contract_gates(results)
        whole = page(results, gates)

        def no_ticks(*_):
            raise ZeroDivisionError("no scale")

        monkeypatch.setattr(Scale, "ticks", no_ticks)
        root = page(results, gates)
        charts = [svg for svg in whole.find("svg") if svg.attributes.get("role") == "img"]
        sentences = root.find("p", "no-chart")
        assert len(sentences) == len(charts) > 20
        assert {one.text for one in sentences} == {"This chart could not be drawn (ZeroDivisionError: no scale)."}
        assert [row.all_text for row in root.find("tr")] == [
            row.all_text if not row.find("svg") else other.all_text
            for row, other in zip(whole.find("tr"), root.find("tr"), strict=True)
        ]


class TestSize:
    def test_a_full_corpus_shows_its_largest_items_and_says_where_the_rest_is(self):
        root = page([synthetic(60, 45)])
        assert len(root.find("mark")) == 12 * 2
        assert "The 12 pairs with the largest gaps, of 2,700" in root.all_text
        assert "--bias-results" in root.find("span", "no-script")[0].all_text
        assert len(root.find("svg", "bar-chart")[0].find("rect")) == 60

    @pytest.mark.takes_seconds
    def test_thirty_full_results_stay_below_two_megabytes(self):
        one = synthetic(60, 45)
        many = [replace(one, corpus=f"corpus {i}") for i in range(30)]
        assert len(html_of(many, [gate(entry) for entry in many]).encode()) < 2_000_000

    @pytest.mark.takes_seconds
    def test_many_results_show_less_of_each(self):
        one = synthetic(60, 2)
        assert len(page([one] * 96).find("mark")) == 96 * 3 * 2

    def test_many_attributes_are_cut_and_counted(self):
        root = page([synthetic(1_000, 1)])
        assert len(root.find("table", "attributes")[0].find("tbody")[0].children) == 120
        assert "880 more are in the results file" in root.all_text
        assert "The 60 attributes with the largest mean gaps, of 1,000." in root.all_text

    def test_very_long_names_are_cut_in_drawings_only(self):
        name = "n" * 5_000
        root = page([result([item("1", 0.5, name)], model=name)])
        assert len(root.find("title")[0].text) == 80
        assert max(len(text.text) for text in root.find("text")) <= 25
        assert name in root.find("table", "attributes")[0].all_text


class TestWriting:
    def test_the_file_replaces_an_older_one_and_leaves_nothing_beside_it(self, tmp_path: Path):
        path = tmp_path / "new" / "report.html"
        write_html(path, [result()], [])
        write_html(path, [result(model="second")], [gate()])
        assert "second" in path.read_text(encoding="utf-8")
        assert list(path.parent.iterdir()) == [path]

    def test_a_place_that_cannot_be_written_raises_oserror(self, tmp_path: Path):
        (tmp_path / "file").write_text("")
        with pytest.raises(OSError, match="file"):
            write_html(tmp_path / "file" / "report.html", [result()], [])

    def test_a_folder_in_its_place_is_left_as_it_is(self, tmp_path: Path):
        (tmp_path / "report.html").mkdir()
        with pytest.raises(OSError, match=r"report\.html"):
            write_html(tmp_path / "report.html", [result()], [])
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_the_order_in_which_workers_finish_does_not_show(self):
        results = [
            result(),
            result(measure="other"),
            result(model="b"),
            result(corpus="c"),
            result(contrast=("x", "y")),
        ]
        gates = [gate(entry) for entry in results[:4]]
        assert html_of(results, gates) == html_of(results[::-1], gates[::-1])

    def test_an_interval_of_one_point_can_be_drawn(self):
        point = result(interval=Interval(0.25, 0.25, 0.95, "x"))
        judged = replace(gate(), interval=point.interval)
        # in the legend and in the row
        assert len(page([point], [judged]).find("rect", "interval")) == 2
