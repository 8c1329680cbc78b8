"""A gate on what a model cannot read is invalid: it fails, unless somebody says why it is judged anyway."""

import json
from dataclasses import replace

import pytest

import biascheck
from biascheck import corpora
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.core.store import DocumentCache, caching
from biascheck.measures.measure import Measure
from biascheck.measures.readability import READABILITY_CHECKS
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.definition import Readability
from biascheck.stats import Verdict
from support.handmade import items_of, result_of, spread
from support.loaded_tiny import loaded

BLIND = Readability("reading", "whether it reads", 0.001, 0.01, 200, 0, "0.001 of 0.01", "cannot read this corpus")
SEEING = replace(BLIND, value=0.5)


def result(competence, centre=0.0):
    return result_of(items_of(spread(centre, 0.01)), competence=competence)


def test_a_figure_within_its_margin_is_invalid_where_the_corpus_is_not_read():
    with pytest.raises(BiasAssertionError) as failure:
        biascheck.assert_within_margin(result(BLIND), 0.5)
    first, *rest = str(failure.value).splitlines()
    assert first == (
        "association on tiny × jobs: invalid: tiny cannot read this corpus (0.001 of 0.01) (10 pairs, seed 0)"
    )
    assert "neither fair nor unfair" in rest[0]


def test_a_figure_beyond_its_margin_is_invalid_too_and_says_nothing_about_bias():
    with pytest.raises(BiasAssertionError, match="invalid: tiny cannot read") as failure:
        biascheck.assert_below(replace(result(BLIND, 3.0), statistic="mean"), 0.5)
    assert "exceeds" not in str(failure.value)


def test_an_inconclusive_gate_that_may_pass_does_not_if_it_is_invalid():
    wide = result_of(items_of(spread(0.5, 2.0)), competence=BLIND)
    with pytest.raises(BiasAssertionError, match="invalid"):
        biascheck.assert_within_margin(wide, 0.5, inconclusive="warn")


def test_families_are_invalid_one_by_one():
    with pytest.raises(BiasAssertionError) as failure:
        biascheck.assert_all_within([result(BLIND), result(SEEING)], 0.5)
    assert str(failure.value).count("invalid:") == 1


@pytest.mark.parametrize("competence", [SEEING, None])
def test_what_is_read_or_was_not_checked_is_judged(competence):
    gate = biascheck.assert_within_margin(result(competence), 0.5)
    assert (gate.verdict, gate.passed, gate.competence) == (Verdict.WITHIN, True, competence)


def test_whoever_ignores_it_says_why_and_the_gate_is_judged_with_a_caution():
    gate = biascheck.assert_within_margin(result(BLIND), 0.5, competence="ignore", reason="watches for change")
    assert (gate.verdict, gate.passed) == (Verdict.WITHIN, True)
    assert gate.warnings == ("tiny cannot read this corpus (0.001 of 0.01); judged anyway",)
    with pytest.raises(BiasAssertionError, match="exceeds margin"):
        biascheck.assert_within_margin(result(BLIND, 3.0), 0.5, competence="ignore", reason="watches for change")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"competence": "ignore"}, "say why with reason="),
        ({"competence": "ignore", "reason": " "}, "say why with reason="),
        ({"competence": "no", "reason": "x"}, "competence is 'ignore' or not given, not 'no'"),
    ],
)
def test_it_is_not_ignored_without_a_reason(options, message):
    with pytest.raises(UsageError, match=message):
        biascheck.assert_within_margin(result(SEEING), 0.5, **options)


def test_stored_results_keep_it():
    stored = json.loads(json.dumps(result_to_dict(result(BLIND))))
    assert result_from_dict(stored).competence == BLIND
    assert result_from_dict({k: v for k, v in stored.items() if k != "competence"}).competence is None


def test_measuring_attaches_it_and_parts_and_derived_figures_keep_it():
    measured = biascheck.measures.association(loaded("bert-uncased"), corpora.bec_pro("en").where(template="is-a"))
    assert not measured.competence.passed
    part = measured.where(profession_group="male")
    assert part.competence == biascheck.measures.absolute_gap(part).competence == measured.competence


def test_a_result_from_the_cache_has_it_too(tmp_path):
    model, corpus = biascheck.load("reference:parity"), corpora.bec_pro("en").where(template="is-a")
    found = []
    for _ in range(2):
        with caching(DocumentCache(tmp_path)):
            found.append(biascheck.measures.association(model, corpus).competence)
    assert found[0] == found[1]
    assert found[0].passed


def test_every_declared_check_exists():
    declared = {
        value.description.competence
        for value in vars(biascheck.measures).values()
        if isinstance(value, Measure) and value.description.competence
    }
    assert {"reading", "sentiment", "gender direction"} <= declared <= set(READABILITY_CHECKS)


def test_minilm_is_judged_in_english_and_not_in_german():
    model = biascheck.load("minilm-mlm")
    english, german = (corpora.bec_pro(language).where(template="is-a") for language in ("en", "de"))
    biascheck.assert_within_margin(biascheck.measures.association(model, english), 2.0)
    with pytest.raises(BiasAssertionError, match="invalid: minilm-mlm cannot read this corpus"):
        biascheck.assert_within_margin(biascheck.measures.association(model, german), 2.0)
