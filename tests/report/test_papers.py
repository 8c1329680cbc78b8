"""Which paper's section a result is in: by what its measure says, never by its name."""

from dataclasses import replace

import pytest

from biascheck.report.papers import paper_of
from biascheck.results.definition import Description
from support.report_samples import DESCRIPTIONS, gate, result


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
