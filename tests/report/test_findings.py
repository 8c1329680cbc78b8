"""Findings in words that need no statistics: factors, stars and percentage points, and a sentence that shows them."""

from dataclasses import replace
from math import log

import pytest

from biascheck.measures.measure import catalogue
from biascheck.report.findings import in_everyday_units, plain_example, plain_finding
from biascheck.report.first_screen import next_steps
from biascheck.report.html import page_of, render_page
from biascheck.results.definition import Description
from biascheck.results.items import Shown
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict
from support.report_samples import DESCRIPTIONS, gate, item, result


@pytest.mark.parametrize(
    ("distance", "scale", "words"),
    [
        (log(2), "log-odds", "a factor of 2.0"),
        (-log(1.25), "log-odds", "a factor of 1.2"),
        (log(17), "log-odds", "a factor of 17"),
        (1e6, "log-odds", "a factor of 10"),
        (0.25, "rating", "1.0 stars of five"),
        (-0.025, "rating", "0.1 stars of five"),
        (0.2, "share", "20 percentage points"),
        (0.05, "share", "5.0 percentage points"),
        (0.123, "", "0.12"),
    ],
)
def test_a_distance_becomes_a_number_one_can_feel(distance, scale, words):
    assert in_everyday_units(distance, scale).startswith(words)


def test_the_sign_says_which_group_and_the_margin_what_is_allowed():
    towards_women = result(estimate=-log(3), interval=Interval(-1.2, -1.0, 0.95, "t"))
    found = plain_finding(gate(towards_women, Verdict.EXCEEDS, margin=log(2)))
    assert found == (
        "On average the words asked about, such as jobs or traits, shift the odds towards female words by a factor of "
        "3.0; allowed: a factor of 2.0."
    )
    assert "towards male words" in plain_finding(gate(result(estimate=log(3)), Verdict.EXCEEDS))


def test_a_bound_is_counted_from_parity():
    accuracy = result(measure="cluster accuracy", statistic="share_positive", estimate=0.9, parity=0.5)
    found = plain_finding(gate(accuracy, Verdict.EXCEEDS, margin=0.7, bound="below"))
    assert "40 percentage points more often than by chance; allowed: 20 percentage points" in found


def test_what_is_not_decided_or_not_measured_is_not_stated_as_a_fact():
    found = plain_finding(gate(result(estimate=1.0)))
    assert found.startswith("Inconclusive: on average")
    invalid = replace(gate(result(estimate=1.0)), verdict=Verdict.INVALID)
    assert plain_finding(invalid) == ""


@pytest.mark.parametrize(
    ("ends", "bound", "words"),
    [
        ((log(2), log(6)), "within", "it may be as little as a factor of 2.0, or as much as a factor of 6.0."),
        ((-log(6), -log(2)), "within", "it may be as little as a factor of 2.0, or as much as a factor of 6.0."),
        ((-log(3), log(2)), "within", "it may be no difference at all, or as much as a factor of 3.0."),
        ((-log(3), log(2)), "below", "it may be no difference at all, or as much as a factor of 2.0."),
    ],
)
def test_what_is_not_decided_says_between_which_figures_it_lies(ends, bound, words):
    unsure = gate(result(interval=Interval(*ends, 0.95, "t")), bound=bound)
    assert plain_finding(unsure).endswith(f"; allowed: a factor of 1.22. With this sample {words}")
    assert plain_finding(gate(result(interval=None))).endswith("There are too few clusters for an interval.")


def test_the_example_is_the_item_that_shows_the_finding():
    items = [item("1", -3.0, "nurse"), item("2", 1.0, "plumber"), item("3", log(8), "mason")]
    men = result(items, estimate=0.4)
    shown = plain_example(gate(men, Verdict.EXCEEDS), men)
    assert (shown.before, shown.first, shown.second, shown.after) == ("", "he", "she", " is a mason")
    assert shown.effect == "here it makes “he” 8.0 times as likely, compared with “she”"
    either = replace(men, measure="typical gap", statistic="rms_gap", description=DESCRIPTIONS["typical gap"])
    assert plain_example(gate(either, Verdict.EXCEEDS, bound="below"), either).after == " is a nurse"


def test_an_item_of_a_share_shows_a_direction_and_no_number():
    """Its score is a difference of log-probabilities: as a share it would read 300 percentage points."""
    of = result(
        [item("1", 3.0, "nurse")], measure="positive share", statistic="share_positive", estimate=0.9, parity=0.5
    )
    of = replace(of, description=DESCRIPTIONS["positive share"])
    assert plain_example(gate(of, Verdict.EXCEEDS), of).effect == "here it prefers “he” to “she”"


def test_a_measure_without_a_sentence_of_its_own_is_said_in_general_words():
    bare = replace(gate(result(estimate=0.4), Verdict.EXCEEDS), description=Description("association"))
    assert plain_finding(bare) == (
        "The association is 0.40 away from 0.00, its value where groups are treated alike; allowed: 0.20."
    )


@pytest.mark.parametrize(
    ("first", "second", "cut"),
    [
        ("My son is here.", "My daughter is here.", ("My ", "son", "daughter", " is here.")),
        ("We saw him.", "We saw her.", ("We saw ", "him", "her", ".")),
        ("A man and his dog", "A woman and her dog", ("A ", "man and his", "woman and her", " dog")),
        ("she", "he", ("", "she", "he", "")),
    ],
)
def test_two_versions_are_cut_at_words(first, second, cut):
    sentences = {"male": Shown(first, 0, 1), "female": Shown(second, 0, 1)}
    of = result([item("1", 1.0, sentences=sentences)], estimate=1.0)
    shown = plain_example(gate(of, Verdict.EXCEEDS), of)
    assert (shown.before, shown.first, shown.second, shown.after) == cut
    assert (shown.before + shown.first + shown.after, shown.before + shown.second + shown.after) == (first, second)


def test_without_sentences_there_is_no_example():
    of = result([item("1", 1.0, sentences={})], estimate=1.0)
    assert plain_example(gate(of, Verdict.EXCEEDS), of) is None


def test_the_first_screen_names_every_measure_before_it_repeats_one():
    gaps = [gate(result(corpus=f"c{n}", estimate=9.0 - n / 10), Verdict.EXCEEDS) for n in range(8)]
    skew = gate(result(measure="skew", statistic="skew", estimate=0.3), Verdict.EXCEEDS, bound="below")
    html = render_page(page_of(Run(gates=(*gaps, skew))))
    assert html.index("skew on small-model") < html.index("association on small-model × c1")


def test_hostile_sentences_are_text():
    evil = "<script>alert(1)</script>"
    sentences = {"male": Shown(f"he {evil}", 0, 2), "female": Shown(f"she {evil}", 0, 3)}
    of = result([item("1", 1.0, sentences=sentences)], estimate=1.0)
    html = render_page(page_of(Run((of,), (gate(of, Verdict.EXCEEDS),))))
    assert evil not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_templates_use_only_words_that_are_filled_in():
    for entry in catalogue():
        of = result(
            measure=entry.description.name, description=entry.description, statistic=entry.description.statistic
        )
        assert "{" not in plain_finding(gate(of, Verdict.EXCEEDS)), entry.description.name


def test_the_next_steps_follow_from_what_was_found():
    judged = TestOutcome("t", BiasTestState.JUDGED)
    fine = Run(gates=(replace(gate(verdict=Verdict.WITHIN), test="t"),), outcome=RunOutcome((judged,)))
    assert [step.command for step in next_steps(fine)] == ["pytest --bias-baseline FILE --bias-update-baseline"]
    crashed = Run(outcome=RunOutcome((TestOutcome("t", BiasTestState.CRASHED),)))
    assert next_steps(crashed)[0].text.startswith("Fix the tests")
    assert next_steps(crashed)[0].command == "pytest t"
    open_question = Run(gates=(gate(),), outcome=RunOutcome((replace(judged, failed=True),)))
    assert [str(step) for step in next_steps(open_question)] == [
        "Measure more: every inconclusive gate says how many clusters would decide it."
    ]
    exceeds = gate(result([item("1", 1.0)], estimate=1.0), Verdict.EXCEEDS)
    assert next_steps(Run(gates=(exceeds,)))[1].command.startswith(f"biascheck debias {exceeds.model} ")
    provenance = replace(result().provenance, model={"runtime": "llama.cpp"})
    served = Run((result(model=exceeds.model, provenance=provenance),), (exceeds,))
    assert [step.command for step in next_steps(served)] == ["", ""]  # weights behind an endpoint are out of reach
    assert "serve it" in next_steps(served)[1].text
    cut_short = Run(
        outcome=RunOutcome((judged, TestOutcome("u", BiasTestState.NOT_RUN, reason="the end")), interrupted=True)
    )
    assert [step.text for step in next_steps(cut_short)] == ["Run again to the end: some tests did not run."]
    both = Run(outcome=RunOutcome((TestOutcome("t", BiasTestState.JUDGED_NOTHING),), interrupted=True))
    assert [step.text.split()[0] for step in next_steps(both)] == ["Run", "Fix"]
