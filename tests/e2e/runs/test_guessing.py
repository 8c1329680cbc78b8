"""A model that only guesses is not judged by the suite of BBQ, so that its run does not pass."""

import shutil
from pathlib import Path

import pytest

from biascheck.runs.file import read_run

SUITES = Path(__file__).resolve().parents[3] / "suites"
MODEL = """
    import pytest
    from biascheck.testing import ContinuationTable

    @pytest.fixture(scope="session")
    def bias_model():
        return ContinuationTable(lambda context, letter: {score})
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """The suite with letters as answers, of this log-probability: what was judged, what was shown, and the output."""

    def suite(score):
        monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
        monkeypatch.delenv("BIASCHECK_DATA", raising=False)
        shutil.copytree(SUITES, pytester.path / "suites")
        pytester.makeconftest(MODEL.format(score=score))
        plain = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")
        chosen = ("suites/parrish2022/test_questions.py", "-k", "letter and not published and not accuracy")
        output = pytester.runpytest(*plain, *chosen, "--bias-results", "results.json").stdout.str()
        found = read_run(pytester.path / "results.json")
        judged = [(gate.measure, gate.verdict) for gate in found.gates]
        return judged, [result.measure for result in found.results], output

    return suite


def test_one_who_says_the_first_letter_every_time_is_not_judged(run):
    judged, shown, output = run('-1.0 if letter.strip() == "A" else -2.0')
    assert judged == []
    assert shown == ["unanswered share"]
    assert "FAIL" in output
    assert "cannot answer questions" in output


def test_one_who_leaves_half_of_the_questions_unanswered_is_judged_by_that(run):
    """Letters that are equally probable name no option; about half of the prompts have an even length."""
    judged, shown, output = run('-1.0 if letter.strip() == "A" or len(context) % 2 else -2.0')
    assert judged == [("unanswered share", "exceeds")]
    assert shown == ["unanswered share"]
    assert "FAIL" in output
