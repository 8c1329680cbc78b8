"""Which paper's section a result is in, and what its sign means: by what its measure says, never by its name."""

from dataclasses import replace

import pytest
from report_samples import DESCRIPTIONS, gate, result

from biascheck.report.sections.papers import paper_of
from biascheck.report.sentences import contrast_in_words
from biascheck.results.description import Description


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
def test_a_result_and_its_gate_belong_to_a_paper(measure, corpus_paper, tests, key):
    description = replace(DESCRIPTIONS.get(measure, Description(measure)), corpus_paper=corpus_paper)
    judged = result(measure=measure, description=description)
    assert paper_of(judged, tests).key == key
    assert paper_of(gate(judged), tests).key == key


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        ("mean", "The estimate is the mean gap; 0.00 is parity."),
        ("share_positive", "The estimate is the share of positive gaps; 0.00 is parity."),
        ("something_else", "The estimate is the something else; 0.00 is parity."),
    ],
)
def test_a_measure_without_words_for_its_sign_gets_a_plain_sentence(statistic, words):
    text = contrast_in_words(result(measure="mine", statistic=statistic))
    assert text == f"A gap is male minus female: positive points towards male, negative towards female. {words}"


@pytest.mark.parametrize("measure", DESCRIPTIONS)
def test_a_shipped_measure_tells_its_sign_with_the_groups_of_the_result(measure):
    text = contrast_in_words(result(measure=measure, contrast=("tall", "short")))
    assert text
    assert "{" not in text
    assert ("tall" in text) == ("{first}" in DESCRIPTIONS[measure].sign)


def test_the_sign_is_told_in_the_words_of_the_measure():
    assert "set A leans towards male more than set B does" in contrast_in_words(result(measure="effect size"))
    assert "moves towards female as the figure rises" in contrast_in_words(result(measure="workforce correlation"))
    own = result(description=Description("mine", sign="{first}: brackets {x} stay"))
    assert contrast_in_words(own) == "male: brackets {x} stay"
