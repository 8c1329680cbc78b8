"""The suites of this repository, as a user runs them."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

import biascheck.measures
import biascheck.mitigation
import biascheck.report
from biascheck.models.local.bundled import build_reference
from biascheck.runs.file import read_run
from biascheck.runs.outcome import BiasTestState

SUITES = Path(__file__).resolve().parents[2] / "suites"

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
build_reference("reference:tiny")


@pytest.fixture
def suites(pytester, monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    shutil.copytree(SUITES, pytester.path / "suites")

    def run(*arguments):
        # By path, not by name: our own tests have modules of the same names.
        by_path = "--import-mode=importlib"
        return pytester.runpytest("-p", "biascheck.plugin", "-p", "no:cacheprovider", by_path, "suites", *arguments)

    return run


def test_every_suite_judges_any_masked_model_and_none_crashes(suites, pytester):
    """A random model cannot read: what fails, fails as invalid, and what has no premise is skipped."""
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json")
    run = read_run(pytester.path / "results.json")
    counts = Counter(test.state for test in run.outcome.tests)
    assert set(counts) == {BiasTestState.JUDGED, BiasTestState.MEASURED, BiasTestState.SKIPPED}
    assert counts[BiasTestState.JUDGED] >= 25
    assert counts[BiasTestState.MEASURED] >= 7
    assert run.complete
    assert {str(gate.verdict) for gate in run.gates if not gate.passed} == {"invalid"}
    # it does not resolve names either, so that its checkpoints have no skew and no stereotype to compare
    unresolved = [test for test in run.outcome.tests if "test_copies_leave_no_more_bias" in test.test]
    assert [test.state for test in unresolved] == [BiasTestState.SKIPPED] * 2
    assert all("manela2021-" in test.reason for test in unresolved)
    assert (
        len(run.outcome.not_tested["needs the published data sets: pass --bias-data DIR or set BIASCHECK_DATA"]) >= 40
    )


def test_a_model_that_cannot_read_german_is_not_tested_on_it(suites, pytester):
    run = suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "german")
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    (reason,) = [
        reason
        for reason in read_run(pytester.path / "results.json").outcome.not_tested
        if not reason.startswith("deselected by -k 'german'")
    ]
    assert reason.startswith("reference:tiny cannot read German: ")


def test_published_figures_stand_beside_the_measured_ones(suites, pytester):
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "effect_size and career")
    (result,) = read_run(pytester.path / "results.json").results
    (attached,) = [one for one in result.attachments if isinstance(one, biascheck.extend.Published)]
    (figure,) = attached.figures
    assert (figure.value, figure.source, figure.table) == (1.126, "Kurita 2019", "Table 3")
    assert figure.erratum


def test_names_are_shown_for_both_genders_beside_the_models_of_the_paper(suites, pytester):
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "test_names_are_resolved and T2")
    results = read_run(pytester.path / "results.json").results
    shown = {(result.contrast[0], result.treatment): result for result in results}
    assert set(shown) == {(gender, how) for gender in ("male", "female") for how in ((), ("online",))}
    assert {result.measure for result in results} == {"name F1"}
    for (gender, how), result in shown.items():
        (attached,) = [one for one in result.attachments if isinstance(one, biascheck.extend.Published)]
        paper = {figure.model: figure.value for figure in attached.figures}
        assert len(paper) == 11
        assert (
            paper["BERT-O" if how else "BERT"]
            == {(): (0.953, 0.955), ("online",): (0.951, 0.951)}[how][gender == "female"]
        )
        (table,) = [one for one in result.attachments if isinstance(one, biascheck.extend.Table)]
        assert table.rows[0][:3] == (result.model_label, shown["male", how].estimate, shown["female", how].estimate)


def test_published_lists_are_measured_where_the_data_is(suites, pytester, shared_data):
    suites(
        "--bias-model", "reference:tiny", "--bias-data", str(shared_data), "--bias-results", "results.json",
        "-k", "on_published_lists and traits",
    )  # fmt: skip
    run = read_run(pytester.path / "results.json")
    assert [gate.measure for gate in run.gates] == ["association"] * 2
    assert sorted(result.measure for result in run.results) == ["association"] * 2 + ["positive share"] * 2


def test_votes_on_published_sentences_make_table_3_and_the_agreement(suites, pytester, shared_data, tmp_path):
    """Three of four raters agree on each of 390 sentences, a third in each class: κ = (½ − ⅓) / (1 − ⅓) = ¼."""
    data = tmp_path / "data"
    (data / "manela").mkdir(parents=True)
    (data / "winobias").symlink_to(shared_data / "winobias")
    classes = ("incompetent", "neutral", "competent")
    pairs = biascheck.corpora.published_winobias(data, "test", "T2", rule="authors").corpus.pairs[:390]
    votes = [(pair.id, *([classes[n % 3]] * 3), classes[(n + 1) % 3]) for n, pair in enumerate(pairs)]
    lines = [",".join(row) for row in (("id", "a", "b", "c", "d"), *votes)]
    (data / "manela" / "competency.csv").write_text("\n".join(lines), encoding="utf-8")
    arguments = ("--bias-model", "reference:tiny", "--bias-data", str(data), "--bias-results", "results.json")
    suites(*arguments, "-k", "test_pronouns_do_not_follow_competence_in_published_sentences")
    (result,) = read_run(pytester.path / "results.json").results
    # 345 of the 390 differ once both people are "the person", and 228 of these are of the two classes compared
    assert (result.measure, result.n) == ("competency contrast", 228)
    (facts,) = [one.facts for one in result.attachments if isinstance(one, biascheck.extend.Facts)]
    assert facts["agreement of the raters (Fleiss' κ)"] == pytest.approx(0.25)
    assert facts["agreement of the paper's raters"].startswith("0.42 (Manela 2021, §4.4")
    (table,) = [one for one in result.attachments if isinstance(one, biascheck.extend.Table)]
    assert [(row[0], *row[2:]) for row in table.rows] == [
        ("incompetent", 0.156, 0.062, 0.281),
        ("neutral", 0.117, 0.168, 0.28),
        ("competent", 0.16, 0.14, 0.14),
    ]
