"""What a search says: both figures, shares with intervals, and never more than that it found none."""

from __future__ import annotations

import dataclasses

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, ResultError, UsageError
from biascheck.corpora import Pair
from biascheck.gates.search import Search, Version, WorstCase
from biascheck.report.ci import code_quality, github_commands
from biascheck.report.findings import SentenceExample, findings_of, plain_search
from biascheck.report.html import page_of, render_page
from biascheck.report.markdown import summary
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.stats import wilson_interval
from biascheck.worst_cases import strategies
from biascheck.worst_cases.search import search_worst_cases

TEMPLATES = ["{target} is {a attribute}.", "{target} wants to become {a attribute}, as {his} friend says."]


def jobs():
    return strategies.templates(TEMPLATES, strategies.pronouns(), attributes=["cook", "judge", "nurse"])


def nurse_gap(texts):
    return [0.78 if "nurse" in text and ("He" in text.split()) else 0.31 for text in texts]


CASE = WorstCase(
    versions=(
        Version("male", "He is a nurse.", 0.78, (0, 2), (6, 13)),
        Version("female", "She is a nurse.", 0.31, (0, 3), (7, 14)),
    ),
    gap=0.47,
    exceeds=True,
    attribute="nurse",
    cause=("nurse",),
    words=4,
    shrunk_from=31,
    found_gap=0.47,
)


def search(**changed):
    facts = {
        "model": "distil",
        "fingerprint": "1",
        "strategy": "jobs",
        "figure": "rating",
        "unit": "P(positive)",
        "bound": 0.2,
        "seed": 0,
        "examples": 2_000,
        "random": 1_000,
        "above": 37,
        "share": wilson_interval(0.037, 1_000),
        "largest": 0.47,
        "cases": (CASE,),
        "test": "test_a.py::test_b",
    }
    return Search(**{**facts, **changed})


NONE_FOUND = search(cases=(), above=0, largest=0.05, share=biascheck.extend.Interval(0.0, 0.003, 0.95, "rule of three"))


def test_a_case_reads_as_both_sentences_with_their_figures():
    assert search().sentence(CASE) == (
        "‘She is a nurse.’ 0.31, ‘He is a nurse.’ 0.78: gap 0.47, allowed 0.20; shrunk from 31 words [nurse]"
    )


def test_the_share_of_random_examples_has_wilsons_interval():
    # p = 0.037, n = 1,000, z = 1.96: centre 0.03877, half width 0.01184
    assert search().share_text == "37 of 1,000 random ones exceed it (3.7 %, 2.7 % to 5.1 %)"


def test_where_none_exceeds_the_rule_of_three_bounds_the_share():
    assert NONE_FOUND.share_text == "0 of 1,000 random ones exceed it (at most 0.3 %, by the rule of three)"
    found = search_worst_cases(biascheck.as_classifier(lambda texts: [0.5] * len(texts)), jobs(), 0.1, examples=300)
    assert (found.random, found.share.high, found.share.method) == (100, 0.03, "rule of three")


def test_a_search_that_passes_says_none_found_and_never_within():
    assert "none found in 2,000 examples" in NONE_FOUND.finding
    assert "a search" in NONE_FOUND.finding
    for text in (NONE_FOUND.finding, str(NONE_FOUND.verdict), summary(Run(searches=(NONE_FOUND,)))):
        assert "within" not in text


def test_the_assertion_raises_the_finding_and_returns_a_search_that_passed():
    with pytest.raises(BiasAssertionError) as caught:
        biascheck.assert_invariant(nurse_gap, jobs(), bound=0.2, examples=60, reason="agreed with the editors")
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("1 cause found in 60 examples")
    assert "‘She is a nurse.’ 0.31, ‘He is a nurse.’ 0.78: gap 0.47, allowed 0.20" in lines[1]
    assert lines[1].endswith("[nurse]")
    assert lines[-1] == "  bound: agreed with the editors"
    assert biascheck.assert_invariant(nurse_gap, jobs(), bound=0.5, examples=60).passed


def test_a_filtered_strategy_is_searched_and_shrunk_by_hypothesis():
    found = search_worst_cases(
        biascheck.as_classifier(nurse_gap), jobs().filter(lambda pair: pair.attribute != "judge"), 0.2, examples=100
    )
    (case,) = found.cases
    assert case.versions[0].text == "He is a nurse."
    assert found.random == found.examples
    again = search_worst_cases(
        biascheck.as_classifier(nurse_gap), jobs().filter(lambda pair: pair.attribute != "judge"), 0.2, examples=100
    )
    assert [one.versions for one in again.cases] == [case.versions]


def test_a_strategy_that_draws_no_pairs_is_refused():
    from hypothesis import strategies as st

    with pytest.raises(UsageError, match=r"draws biascheck.corpora.Pair, not int"):
        biascheck.assert_invariant(nurse_gap, st.integers(), bound=0.1, examples=5)


def test_examples_are_scored_in_blocks():
    sizes = []

    class Classifier:
        name, fingerprint = "counting", "1"

        def rate(self, texts):
            sizes.append(len(texts))
            return [0.5] * len(texts)

    search_worst_cases(Classifier(), strategies.sentences(), 0.2, examples=500)
    assert len(sizes) == 2
    assert min(sizes) > 400


def test_a_run_is_decided_and_counted_by_its_searches():
    failed = Run(searches=(search(), NONE_FOUND))
    assert failed.headline == "FAIL: 1 of 2 judgements failed (0 gates; 2 searches: 1 found, 1 none found)"
    assert Run(searches=(NONE_FOUND,)).passed


def test_the_first_screen_has_the_worst_pair_in_plain_words():
    """A rating goes from 0 to 1 and stars from one to five: 0.47 are 1.9 stars, 0.2 are 0.8."""
    (found,) = findings_of(Run(searches=(search(), NONE_FOUND)), {})
    (first,) = found.models[0].shown
    assert first.plain == (
        "A search found 1 kind of sentence in which the groups are treated differently, the worst by 1.9 stars of "
        "five; allowed: 0.8 stars of five."
    )
    assert first.example == SentenceExample(
        "", "She", "He", " is a nurse.", "here the gap is 1.9 stars of five, towards male"
    )
    versions = tuple(
        dataclasses.replace(one, figure=word) for one, word in zip(CASE.versions, ("hire", "reject"), strict=True)
    )
    decided = dataclasses.replace(CASE, versions=versions, gap=1.0)
    plain, example = plain_search(search(figure="decision", bound=0.0, cases=(decided,)))
    assert plain == "A search found 1 kind of sentence whose decision changes with the group."
    assert example.effect == "hire, then reject"


def test_remembered_cases_that_were_not_tried_are_on_every_page(tmp_path):
    found = search(elsewhere=("1 remembered case elsewhere",))
    lost = dataclasses.replace(NONE_FOUND, not_tried=("‘He was ill.’ is lost",))
    assert not lost.passed
    run = Run(searches=(found, lost))
    for text in (summary(run), render_page(page_of(run))):
        assert "1 remembered case elsewhere" in text
        assert "‘He was ill.’ is lost" in text
    write_run(tmp_path / "r.json", run)
    assert read_run(tmp_path / "r.json").searches == run.searches


def test_searches_survive_the_results_file(tmp_path):
    run = Run(searches=(search(mended=(dataclasses.replace(CASE, exceeds=False, before=0.6),)), NONE_FOUND))
    write_run(tmp_path / "r.json", run)
    assert read_run(tmp_path / "r.json").searches == run.searches


@pytest.mark.parametrize(("right", "wrong"), [('"bound": 0.2', '"bound": "x"'), ('"cases"', '"casses"')])
def test_a_damaged_search_is_refused(tmp_path, right, wrong):
    file = tmp_path / "r.json"
    write_run(file, Run(searches=(search(),)))
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ResultError, match=r"r.json: the file of results (is damaged|lacks or misspells a field)"):
        read_run(file)


def test_every_output_shows_the_worst_pair_and_its_change():
    known = dataclasses.replace(CASE, before=0.6, model_before="earlier")
    run = Run(searches=(search(cases=(known,)),))
    change = "0.60 → 0.47 (−0.13, on earlier then)"
    html, markdown = render_page(page_of(run)), summary(run)
    for output in (html, markdown):
        assert "She is a nurse." in output
        assert "3.7 %" in output
    assert 'id="worst-cases"' in html
    assert change in html
    assert change.replace("(", "&#40;").replace(")", "&#41;") in markdown
    assert any("She is a nurse." in command for command in github_commands(run, {}))
    assert "bias-search" in code_quality(run, {})


def test_a_pair_is_checked_by_itself():
    pair = Pair(
        "1", "nurse", {"a": biascheck.extend.Sentence("He is a nurse.", biascheck.extend.Span(0, 2)),
                       "b": biascheck.extend.Sentence("She is a nurse.", biascheck.extend.Span(0, 3))},
    )  # fmt: skip
    with pytest.raises(BiasAssertionError, match=r"gap 0.47, allowed 0.20"):
        biascheck.assert_invariant(nurse_gap, pair, bound=0.2)
    assert biascheck.assert_invariant(nurse_gap, pair, bound=0.5).examples == 1
