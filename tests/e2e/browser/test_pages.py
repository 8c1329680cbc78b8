"""Every page for every kind of run: first screen, filters, contents, glossary, phone, print; all in one browser."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from biascheck.gates.gate import Gate
from biascheck.papers import Absent, Cell, FinishedTable, Reproduction, Value
from biascheck.papers.page import write_reproduction_page
from biascheck.report import write_comparison_html, write_report
from biascheck.report.trend_page import write_trend_html
from biascheck.results.compare import compare_all
from biascheck.results.result import Result
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.runs.trend import trends_of
from biascheck.stats import Verdict
from support.browser_views import open_all, serious_violations
from support.report_samples import gate, item, result

LONG = "model-with-a-name-that-has-no-place-to-break-" + "x" * 120
EVIL = "<img src=x onerror=alert(1)>&show:state=within"
PASSED, FAILED = (
    TestOutcome("t.py::fine", BiasTestState.JUDGED),
    TestOutcome("t.py::bad", BiasTestState.JUDGED, failed=True),
)


def measured(shift: float = 0.0, **more: object) -> Result:
    return result([item(str(n), 0.1 * n + shift, f"job {n}") for n in range(12)], **more)


def judged(of: Result, verdict: Verdict, **more: object) -> Gate:
    return replace(gate(of, verdict, **more), test=(PASSED if verdict is Verdict.WITHIN else FAILED).test)


def passing() -> Run:
    of = measured()
    return Run((of,), (judged(of, Verdict.WITHIN),), outcome=RunOutcome((PASSED,)))


def failing() -> Run:
    """Two models and two suites, one gate of every state."""
    first, second = measured(corpus="jobs"), measured(corpus="names", model=EVIL)
    third = measured(measure="skew", statistic="skew", corpus="pronouns")
    gates = (
        judged(first, Verdict.EXCEEDS),
        judged(second, Verdict.INCONCLUSIVE),
        replace(gate(third, Verdict.INCONCLUSIVE, inconclusive_passes=True), test=PASSED.test),
        judged(third, Verdict.WITHIN, margin=0.9),
    )
    return Run((first, second, third), gates, outcome=RunOutcome((PASSED, FAILED)))


def crashed() -> Run:
    tests = [
        TestOutcome(f"t.py::worker[{LONG}-{n}]", BiasTestState.CRASHED, reason=f"MemoryError {LONG}") for n in range(8)
    ]
    return Run(outcome=RunOutcome(tuple(tests)))


def skipped() -> Run:
    reason = "needs the published data sets: pass --bias-data DIR or set BIASCHECK_DATA"
    tests = [TestOutcome(f"t.py::gap[{n}]", BiasTestState.SKIPPED, reason=reason) for n in range(30)]
    return Run(outcome=RunOutcome(tuple(tests)))


def inconclusive() -> Run:
    tiny = result([item("1", 2.0, "job")], interval=None)
    return Run((tiny,), (judged(tiny, Verdict.INCONCLUSIVE),), outcome=RunOutcome((FAILED,)))


def many_models() -> Run:
    results = tuple(measured(model=f"{LONG}-{n}") for n in range(7))
    return Run(results, tuple(judged(of, Verdict.EXCEEDS) for of in results), outcome=RunOutcome((FAILED,)))


def huge() -> Run:
    results = tuple(measured(corpus=f"corpus {n}") for n in range(20))
    verdicts = (Verdict.WITHIN, Verdict.WITHIN, Verdict.EXCEEDS, Verdict.INCONCLUSIVE)
    gates = tuple(judged(results[n % 20], verdicts[n % 4], margin=0.01 + n / 1000) for n in range(300))
    return Run(results, gates, outcome=RunOutcome((PASSED, FAILED)))


RUNS = {run.__name__: run for run in (passing, failing, crashed, skipped, inconclusive, many_models, huge)}


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """All pages, written once."""
    folder = tmp_path_factory.mktemp("pages")
    for name, run in RUNS.items():
        write_report(folder / f"{name}.html", run())
    pairs = [(measured(model=LONG), measured(shift, model=f"{LONG}-{shift}")) for shift in (1.0, -0.3)]
    write_comparison_html(folder / "comparison.html", BaselineComparison(compare_all(pairs)))
    runs = {f"step-{LONG}-{n}": Run((measured(0.3 * n, model=LONG),)) for n in range(6)}
    write_trend_html(folder / "trend.html", trends_of(runs, tolerance=0.2))
    write_reproduction_page(folder / "reproduction.html", reproduction())
    return {path.stem: path for path in folder.iterdir()}


def reproduction() -> Reproduction:
    cells = (
        Cell(row=LONG, column="male", ours=Value(0.5)),
        Cell(row="gap", column=LONG, ours=Absent(f"no file {LONG}")),
    )
    table = FinishedTable(name="Table 1", title=LONG, about=LONG, digest="d", scale=1.0, cells=cells)
    return Reproduction(
        paper="kurita2019",
        title=LONG,
        link="https://aclanthology.org/W19-3823",
        model=LONG,
        fingerprint="f" * 64,
        scale=1.0,
        seed=0,
        version="0",
        tables=(table,),
    )


PAGES = [*RUNS, "comparison", "trend", "reproduction"]
ALL = pytest.mark.parametrize("name", PAGES)
QUICK = {("failing", "dark"), ("crashed", "light"), ("trend", "light"), ("reproduction", "dark"), ("skipped", "dark")}
"""What ``make test`` looks at with axe; ``make test-all`` looks at every page in both colour schemes."""


@ALL
def test_on_a_phone_nothing_overflows_fails_or_is_fetched(view, pages, name):
    seen = view(pages[name], viewport={"width": 390, "height": 800}, color_scheme="dark")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    open_all(seen.page)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert seen.complaints == []
    assert seen.requests == [pages[name].as_uri()]


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        pytest.param(*view, marks=() if view in QUICK else pytest.mark.slow)
        for view in product(PAGES, ("light", "dark"))
    ],
)
def test_axe_finds_nothing_serious(view, pages, name, scheme):
    seen = view(pages[name], color_scheme=scheme, bypass_csp=True)
    open_all(seen.page)
    assert serious_violations(seen.page) == []


@pytest.mark.parametrize("name", list(RUNS))
def test_verdict_answer_and_next_step_are_on_the_first_screen(view, pages, name):
    seen = view(pages[name])
    assert seen.texts("h1") == [RUNS[name]().verdict]
    for selector in ("h1", ".answer", ".lead"):
        box = seen.page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] < 900, selector
    if name != "many_models":  # seven failing models take more room
        assert seen.page.locator(".next, .folded, h1").last.bounding_box()["y"] < 900


def test_every_model_has_its_findings_and_those_of_many_fold(view, pages):
    seen = view(pages["many_models"])
    assert seen.page.locator(".hero h3").count() == 7
    assert seen.page.locator(".hero .findings li").count() == 7
    assert sum(one.is_visible() for one in seen.page.locator(".hero .findings li").all()) == 3


class TestFilters:
    def rows(self, seen) -> list[str]:
        return [
            " ".join(text.split())
            for text in seen.page.locator("#gates tr[data-state]:not(.out) td:first-child").all_text_contents()
        ]

    def test_failing_gates_come_first_then_undecided_then_accepted(self, view, pages):
        seen = view(pages["failing"])
        assert self.rows(seen) == ["exceeds", "inconclusive", "inconclusive accepted", "within"]
        assert [text.rpartition(":")[0] for text in seen.texts("#gates h3")] == [
            "Failed",
            "Failed: inconclusive",
            "Accepted, though not within the margin",
            "Within the margin",
        ]

    def test_by_state_suite_and_model_with_the_keyboard(self, view, pages):
        seen = view(pages["failing"])
        state = seen.page.locator("select[data-key=state]")
        state.focus()
        seen.page.keyboard.type("acc")  # a select answers to letters
        seen.page.keyboard.press("Enter")
        state.select_option("accepted")
        assert self.rows(seen) == ["inconclusive accepted"]
        assert seen.texts(".filters [role=status]") == ["1 gate, 1 result"]
        assert [listed.is_visible() for listed in seen.page.locator("#contents li").all()] == [False, True]
        seen.page.get_by_role("button", name="Show all").click()
        assert len(self.rows(seen)) == 4
        seen.page.locator("select[data-key=model]").select_option(EVIL)
        assert self.rows(seen) == ["inconclusive"]
        seen.page.locator("select[data-key=model]").select_option("")
        seen.page.locator("select[data-key=suite]").select_option("de Vassimon Manela et al. 2021")
        assert self.rows(seen) == ["inconclusive accepted", "within"]
        assert seen.page.locator("section.suite:not(.out) details.suite-body[open]").count() == 1
        assert seen.complaints == []

    def test_the_choice_is_in_the_address_and_comes_back(self, view, pages):
        seen = view(pages["failing"])
        seen.page.locator("select[data-key=model]").select_option(EVIL)
        address = seen.page.url
        assert "#show:model=" in address
        again = view(pages["failing"])
        again.page.goto(address)
        again.page.reload()
        assert self.rows(again) == ["inconclusive"]
        for damaged in ("#show:state=%E0%A4%A", "#show:state=nonsense&model", "#show:"):
            again.page.goto(pages["failing"].as_uri() + damaged)
            again.page.reload()
            assert len(self.rows(again)) == 4
        assert again.complaints == []

    def test_print_has_every_gate_whatever_is_filtered(self, view, pages):
        seen = view(pages["failing"])
        before = seen.page.locator(".printed tr").count()
        seen.page.locator("select[data-key=state]").select_option("within")
        seen.page.emulate_media(media="print")
        assert seen.page.locator(".printed tr").count() == before == 3
        assert all(row.is_visible() for row in seen.page.locator(".printed tr").all())
        assert not seen.page.locator(".filters").is_visible()


def test_contents_lead_to_their_suite_and_open_it(view, pages):
    seen = view(pages["failing"])
    links = seen.page.locator("#contents a")
    assert links.count() == 2
    for link in links.all():
        link.click()
        target = seen.page.locator(link.get_attribute("href"))
        assert target.locator("details.suite-body").evaluate("details => details.open")
        assert target.locator("h2").is_visible()


def test_terms_explain_themselves_by_hover_focus_and_touch(view, pages):
    seen = view(pages["failing"])
    term, tip = seen.page.locator("a.term", has_text="Power at margin").first, seen.page.locator("#tip")
    assert not tip.is_visible()
    term.hover()
    assert tip.inner_text().startswith("The probability that a sample like this one detects")
    assert term.get_attribute("aria-describedby") == "tip"
    seen.page.keyboard.press("Escape")
    assert not tip.is_visible()
    seen.page.locator("a.term", has_text="Estimate").first.focus()
    assert tip.inner_text().startswith("The measured figure")
    phone = view(pages["failing"], has_touch=True, viewport={"width": 1000, "height": 800})
    phone.page.locator("a.term", has_text="Published").first.tap()
    assert phone.page.locator("#tip").inner_text().startswith("A figure from a paper")
    assert "#term" not in phone.page.url
    plain = view(pages["failing"], java_script_enabled=False)
    plain.page.locator("a.term", has_text="Estimate").first.click()
    assert plain.page.url.endswith("#term-estimate")


@pytest.mark.parametrize("name", [*RUNS, "comparison"])
def test_a_report_prints_on_two_pages(view, pages, name):
    page = view(pages[name]).page
    assert 1 <= page.pdf(format="A4").count(b"/Type /Page\n") <= (3 if name == "many_models" else 2)


def test_a_huge_run_stays_short_until_it_is_opened(view, pages):
    seen = view(pages["huge"])
    within = seen.page.locator("details.block-within")
    assert not within.locator("tr").last.is_visible()
    assert seen.page.locator("#gates tr[data-state]").count() == 300
    seen.page.locator("select[data-key=state]").select_option("within")
    assert within.evaluate("details => details.open")
    assert sum("within" in text for text in TestFilters().rows(seen)) == 150


def test_the_comparison_names_what_got_worse_in_words(view, pages):
    seen = view(pages["comparison"])
    (worse,) = seen.texts(".hero > .findings li")
    assert worse.startswith("Association was a factor of 1.73 from parity, now a factor of 4.7 (most for job")
    assert seen.page.locator(".next").bounding_box()["y"] < 900


def test_the_trend_marks_the_first_regression_and_carries_its_scale(view, pages):
    seen = view(pages["trend"])
    (worse,) = seen.texts(".hero .findings li")
    assert worse.startswith(f"Since step-{LONG}-1: Further from equal treatment than before: association was ")
    assert seen.page.locator("g.regressed").count() == 1
    assert seen.page.locator("svg.column-chart text.start").first.text_content().startswith("natural log units")
    assert seen.page.locator("svg.column-chart text.tick.end").count() >= 2
