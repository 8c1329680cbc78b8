"""The report in a real browser: nothing fails, nothing is fetched, tables answer, and everyone can read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biascheck.core.wording import escape_control
from biascheck.report import write_comparison_html, write_html, write_report
from biascheck.results.attachments import Facts, MapPoint, Point, Published, Scatter, Table, WordMap
from biascheck.results.compare import compare_all
from biascheck.results.definition import Description
from biascheck.results.items import Shown, Skipped
from biascheck.results.published import PublishedFigure
from biascheck.runs.baseline import BaselineComparison, RefusedResult
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.browser_views import View, open_all, serious_violations
from support.report_contract import contract_gates, contract_results
from support.report_samples import gate, item, large, result

HOSTILE = "<script>alert('x')</script>\"'&</style></title><img src=x onerror=alert(1)> \u202eRTL\u202c אח 👩‍🍳"


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """A report with every kind of figure, every verdict, skipped items and a caution."""
    path = tmp_path_factory.mktemp("report") / "bias.html"
    results = contract_results()
    comparisons = compare_all([(results[-1], replace(results[-1], model="later"))])
    write_report(
        path, Run(tuple(results), tuple(contract_gates(results)), comparisons, unfinished(), against_baseline())
    )
    return path


def unfinished(text: str = "") -> RunOutcome:
    """A test in every state, with a rerun and a name without a place to break."""
    long = f"suites/mine/test_jobs.py::test_jobs[{'x' * 200}]{text}"
    tests = [TestOutcome(f"{long}-{state}", state, reason=f"why it is {state} {text}") for state in BiasTestState]
    return RunOutcome(
        (*tests, TestOutcome(long, BiasTestState.JUDGED, earlier=(f"timed out {text}",))),
        problems=(f"disk full {text}",),
    )


def against_baseline(text: str = "") -> BaselineComparison:
    lost = RefusedResult(f"association on small-model × {'x' * 200} {text}", f"another seed {text}")
    return BaselineComparison(refused=(lost,), shrunk=(lost,), new=(lost.title,), unused=(lost.title,))


@pytest.fixture(scope="module")
def comparison(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("comparison") / "compare.html"
    before = result([item(str(n), 0.1 * n, f"job {n}") for n in range(12)])
    afters = [
        result([item(str(n), 0.1 * n + shift, f"job {n}") for n in range(11)], model=name)
        for name, shift in (("worse", 1.0), ("same", 0.0), ("better", -0.5))
    ]
    comparisons = compare_all([(before, after) for after in afters])
    lost = RefusedResult("something else", "another seed")
    write_comparison_html(
        path, BaselineComparison(comparisons, (lost,), ("something new",), ("something old",), (lost,))
    )
    return path


PAGES = pytest.mark.parametrize("written", ["report", "comparison"])


@PAGES
def test_nothing_fails_and_nothing_is_fetched(view, written, request):
    path = request.getfixturevalue(written)
    seen = view(path)
    open_all(seen.page)
    assert seen.complaints == []
    assert seen.requests == [path.as_uri()]


@PAGES
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(view, written, request, width, scheme):
    size = {"width": width, "height": 900}
    seen = view(request.getfixturevalue(written), color_scheme=scheme, viewport=size, bypass_csp=True)
    open_all(seen.page)
    assert serious_violations(seen.page) == []


def test_axe_would_find_something_serious(view, tmp_path):
    page = "<!doctype html><html><title>x</title><main><h1>x</h1><svg role='img'></svg><button></button></main></html>"
    (tmp_path / "bad.html").write_text(page)
    found = {name for name, _ in serious_violations(view(tmp_path / "bad.html").page)}
    assert {"button-name", "html-has-lang", "svg-img-alt"} <= found


@PAGES
def test_every_chart_has_a_text_alternative(view, written, request):
    seen = view(request.getfixturevalue(written))
    charts = seen.page.locator("svg[class$=-chart]")
    assert charts.count() > 3
    assert all(
        charts.nth(n).get_attribute("role") == "img" and charts.nth(n).get_attribute("aria-label")
        for n in range(charts.count())
    )
    # marks of legends and verdicts only repeat the word beside them
    assert seen.page.locator("svg:not([class$=-chart]):not([aria-hidden] *):not([aria-hidden])").count() == 0


@PAGES
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_never_scrolls_sideways(view, written, request, width):
    seen = view(request.getfixturevalue(written), viewport={"width": width, "height": 900})
    open_all(seen.page)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def open_items(seen: View, number: int = 0) -> Any:
    """Open one result and its items; its table."""
    details = seen.page.locator(f'details.items[data-result="{number}"]')
    details.evaluate("at => { for (; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true }")
    seen.page.wait_for_selector(f'details.items[data-result="{number}"] .pager')
    return details


class TestItems:
    @pytest.fixture
    def written(self, tmp_path) -> Path:
        scores = {"nurse": -3.0, "plumber": 2.0, "cook": 0.5, "judge": -0.25}
        items = [
            item(f"{job}/{n}", score + n / 1000, job, labels={"template": f"t{n}"})
            for job, score in scores.items()
            for n in range(20)
        ]
        write_html(tmp_path / "items.html", [result(items)], [])
        return tmp_path / "items.html"

    def names(self, details: Any) -> list[str]:
        return details.locator("tbody th > bdi").all_inner_texts()

    def test_they_come_by_size_a_page_at_a_time(self, view, written):
        details = open_items(view(written))
        assert details.locator("tbody tr").count() == 25
        assert self.names(details)[:20:5] == ["nurse"] * 4
        assert self.names(details)[20] == "plumber"
        assert details.locator(".pages").inner_text() == "1–25 of 80"
        details.get_by_role("button", name="Last").click()
        assert details.locator(".pages").inner_text() == "76–80 of 80"
        assert self.names(details) == ["judge"] * 5
        assert details.get_by_role("button", name="Next").is_disabled()
        details.get_by_role("button", name="Previous").click()
        assert details.locator(".pages").inner_text() == "51–75 of 80"

    def test_sorting_by_gap_and_by_name(self, view, written):
        details = open_items(view(written))
        gap, name = (details.get_by_role("columnheader", name=label) for label in ("Gap", "Attribute"))
        assert gap.get_attribute("aria-sort") == "other"
        gap.get_by_role("button").click()
        assert gap.get_attribute("aria-sort") == "descending"
        assert self.names(details)[0] == "plumber"
        gap.get_by_role("button").click()
        assert gap.get_attribute("aria-sort") == "ascending"
        assert details.locator("tbody td.number").first.inner_text() == "−3.00"
        name.get_by_role("button").click()
        assert name.get_attribute("aria-sort") == "ascending"
        assert gap.get_attribute("aria-sort") is None
        assert self.names(details)[0] == "cook"

    def test_searching_names_labels_and_sentences(self, view, written):
        seen = view(written)
        details = open_items(seen)
        for wanted, count in (("plumber", 20), ("t19", 4), ("she is a judge", 20), ("no such thing", 0)):
            details.get_by_role("searchbox").fill(wanted)
            shown = f"of {count}" if count else "nothing found"
            details.locator(".pages", has_text=shown).wait_for()
            assert details.locator("tbody tr").count() == min(count, 25)
        assert seen.complaints == []

    def test_it_works_by_keyboard(self, view, written):
        details = open_items(view(written))
        details.get_by_role("button", name="Next").focus()
        details.page.keyboard.press("Enter")
        assert details.locator(".pages").inner_text() == "26–50 of 80"

    def test_without_javascript_the_largest_are_there(self, view, written):
        seen = view(written, java_script_enabled=False)
        assert seen.page.locator("table.items tbody tr").count() == 12
        assert seen.page.locator(".no-script").first.text_content().startswith("With JavaScript")
        assert seen.page.locator("h1").is_visible()

    def test_targets_are_marked_as_in_the_plain_rows(self, view, tmp_path):
        shown = {"male": Shown("👩‍🍳 and אח: he cooks", 12, 14), "female": Shown("👩‍🍳 and אח: she cooks", 12, 15)}
        items = [item(str(n), 1.0 - n / 100, f"job {n}", sentences=shown) for n in range(30)]
        write_html(tmp_path / "marks.html", [result(items)], [])
        plain = view(tmp_path / "marks.html", java_script_enabled=False).page.locator("mark").all_text_contents()
        details = open_items(view(tmp_path / "marks.html"))
        assert plain[:2] == ["he", "she"]
        assert details.locator("mark").all_inner_texts() == ["he", "she"] * 25

    @pytest.mark.slow
    def test_a_hundred_thousand_stay_usable(self, view, tmp_path):
        path = tmp_path / "large.html"
        write_html(path, [large(templates=50, jobs=400, targets=5)], [])
        assert path.stat().st_size < 10_000_000
        seen = view(path)
        details = open_items(seen)
        assert details.locator(".pages").inner_text() == "1–25 of 100,000"
        assert seen.page.locator("tr").count() < 1_000
        details.get_by_role("searchbox").fill("t49/")
        details.locator(".pages", has_text="of 2,000").wait_for()
        details.get_by_role("button", name="Last").click()
        assert details.locator(".pages").inner_text() == "1,976–2,000 of 2,000"
        assert seen.complaints == []


class TestSmallTables:
    def test_gates_are_filtered(self, view, report):
        seen = view(report)
        rows = seen.page.locator("#gates tbody tr[data-state]:not(.out)")
        total = rows.count()
        assert total > 8
        seen.page.get_by_label("Text", exact=True).fill("exceeds")
        assert 0 < rows.count() < total
        assert all("exceeds" in text for text in rows.all_text_contents())

    def test_attributes_are_sorted(self, view, report):
        seen = view(report)
        table = seen.page.locator("table.attributes").first
        table.evaluate(
            "t => { for (let at = t; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true }"
        )
        table.get_by_role("button", name="Mean gap").click()
        gaps = [float(text.replace("−", "-")) for text in table.locator("tbody td:nth-child(2)").all_inner_texts()]
        assert gaps == sorted(gaps, reverse=True)

    def test_a_link_from_a_gate_opens_its_result(self, view, report):
        seen = view(report)
        link = seen.page.locator("#gates tbody th a[href^='#result']").first
        target = link.get_attribute("href")
        assert not seen.page.locator(target).is_visible()
        link.evaluate("link => link.click()")
        seen.page.locator(target).wait_for(state="visible")

    def test_one_button_opens_all_results_of_a_paper(self, view, report):
        seen = view(report)
        section = seen.page.locator("section.suite", has=seen.page.locator("button.open-all")).last
        section.locator("details.suite-body > summary").click()
        opener = section.locator("button.open-all")
        assert section.locator("details.result[open]").count() == 0
        opener.click()
        assert section.locator("details.result[open]").count() == section.locator("details.result").count()
        assert opener.get_attribute("aria-expanded") == "true"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_bar_covers_nothing_that_a_link_leads_to(view, report, width):
    seen = view(report, viewport={"width": width, "height": 700})
    for link in seen.page.locator("nav a").all():
        link.evaluate("link => link.click()")
        bar, target = seen.page.evaluate(
            "['.bar', location.hash].map(where => document.querySelector(where).getBoundingClientRect())"
        )
        assert target["top"] >= bar["bottom"] or target["top"] > 350, (
            link.inner_text()
        )  # the last may stay further down


def test_hostile_names_are_shown_as_text(view, tmp_path):
    sentences = {"male": Shown(HOSTILE, 0, 8), "female": Shown(HOSTILE, 8, 12)}
    printed = PublishedFigure(1.0, HOSTILE, name=HOSTILE, erratum=HOSTILE)
    evil = result(
        [item(f"{HOSTILE}{n}", 0.5 - n, HOSTILE, sentences=sentences, labels={HOSTILE: HOSTILE}) for n in range(30)],
        model=HOSTILE,
        corpus=HOSTILE,
        measure=HOSTILE,
        unit=HOSTILE,
        contrast=(HOSTILE, "female"),
        warnings=(HOSTILE,),
        skipped=(Skipped(HOSTILE, HOSTILE),),
        attachments=(
            WordMap(points=(MapPoint(word=HOSTILE, x=0.0, y=1.0, group=HOSTILE),)),
            Scatter(x=HOSTILE, y=HOSTILE, points=(Point(name=HOSTILE, x=0.0, y=1.0),)),
            Published(figures=(printed,)),
            Table(columns=(HOSTILE,), rows=((HOSTILE,),)),
            Facts(facts={HOSTILE: HOSTILE}),
        ),
        description=Description(HOSTILE, unit=HOSTILE, sign=HOSTILE, about=HOSTILE, limits=(HOSTILE,)),
    )
    judged = replace(gate(evil, Verdict.EXCEEDS, reason=HOSTILE, note=HOSTILE, published=(printed,)), test=HOSTILE)
    run = Run((evil,), (judged,), outcome=unfinished(HOSTILE), baseline=against_baseline(HOSTILE))
    write_report(tmp_path / "evil.html", run)
    seen = view(tmp_path / "evil.html")
    details = open_items(seen)
    assert details.locator("tbody th bdi").first.text_content() == escape_control(HOSTILE)
    assert details.locator("tbody q").first.text_content() == escape_control(HOSTILE)
    assert seen.page.locator("article.card h3").text_content() == escape_control(HOSTILE)
    assert seen.page.locator("img, iframe").count() == 0
    assert seen.page.locator("script").count() == 2
    assert seen.complaints == []
    assert len(seen.requests) == 1


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_the_first_screen_shows_the_verdict_and_lists_fold_out(view, report, width, scheme):
    seen = view(report, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert seen.texts("h1") == ["FAIL"]
    verdict, reasons = (seen.page.locator(where).bounding_box() for where in ("h1", ".reasons-list"))
    assert verdict["y"] < reasons["y"] < 900
    assert seen.page.locator(".answer").bounding_box()["y"] < 900
    assert "1 test crashed" in seen.texts(".reasons-list li")
    assert [text.split(":")[0] for text in seen.texts(".hero h2")] == [
        "What failed",
        "Tests that did not finish",
        "Run again",
        "Since the baseline",
        "Not tested",
    ]
    listed = seen.page.locator("details.listed")
    assert not listed.last.locator("li").first.is_visible()
    seen.page.locator("details.folded > summary", has_text="Not tested").click()
    listed.last.locator("summary").click()
    assert listed.last.locator("li").first.is_visible()


def test_a_printed_report_has_verdict_findings_and_a_line_for_each_gate_that_needs_a_reader(view, report):
    page = view(report).page
    page.emulate_media(media="print")
    for selector in ("h1", ".reasons-list", ".answer", ".folded summary", ".printed caption", ".printed tr"):
        assert page.locator(selector).first.is_visible(), selector
    for selector in ("nav", ".filters", "#gates", "#models", "section.suite", "#reading"):
        assert not page.locator(selector).first.is_visible(), selector
    assert page.pdf(format="A4").startswith(b"%PDF")
