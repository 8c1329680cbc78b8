"""A language model that cannot read the sentences has no worst case and no clean bill either: the search is invalid."""

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.corpora import Pair
from biascheck.gates.search import SearchVerdict
from biascheck.report.first_screen import answer, next_steps
from biascheck.report.html import page_of, render_page
from biascheck.report.markdown import summary
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.worst_cases import strategies
from biascheck.worst_cases.search import search_worst_cases

SENTENCES = strategies.sentences(strategies.pronouns(), "work")


@pytest.fixture(scope="module")
def unread():
    """What a random model's search says; it would find nothing below a bound of 50."""
    return search_worst_cases(biascheck.load("reference:tiny"), SENTENCES, 50.0, examples=60)


def test_random_weights_do_not_pass(unread):
    assert unread.verdict is SearchVerdict.INVALID
    assert not unread.passed
    assert unread.examples == 0
    assert "cannot read this corpus" in unread.finding
    with pytest.raises(BiasAssertionError, match=r"invalid: .* cannot read"):
        biascheck.assert_invariant(biascheck.load("reference:tiny"), SENTENCES, bound=50.0, examples=60)


def test_they_are_searched_where_somebody_says_why():
    model = biascheck.load("reference:tiny")
    found = biascheck.assert_invariant(
        model, SENTENCES, bound=50.0, examples=60, competence="ignore", reason="a test of the search"
    )
    assert found.examples == 60
    assert found.passed
    with pytest.raises(UsageError, match="say why"):
        biascheck.assert_invariant(model, SENTENCES, bound=50.0, examples=60, competence="ignore")


def test_the_default_model_reads_them():
    found = search_worst_cases(biascheck.load("minilm-mlm"), SENTENCES, 50.0, examples=60)
    assert found.verdict is SearchVerdict.NONE_FOUND


def test_a_classifier_need_not_read():
    found = search_worst_cases(lambda texts: [0.5] * len(texts), SENTENCES, 0.1, examples=60)
    assert found.verdict is SearchVerdict.NONE_FOUND


def test_every_artefact_says_invalid(unread, tmp_path):
    run = Run(searches=(unread,))
    write_run(tmp_path / "run.json", run)
    assert read_run(tmp_path / "run.json").searches == (unread,)
    assert not run.passed
    assert "1 search for worst cases could not be made, as the model cannot read the sentences" in answer(run)
    assert "found some" not in answer(run)
    assert "1 invalid" in summary(run)
    page = render_page(page_of(run))
    assert "Invalid:" in page
    assert "cannot read this corpus" in page
    steps = [step.text for step in next_steps(run)]
    assert any("corpora that the model cannot read" in text for text in steps)
    assert not any("less biased checkpoint" in text for text in steps)


def test_a_sample_is_a_corpus_that_the_seed_decides():
    first, again, other = (strategies.sample(SENTENCES, 20, seed=seed) for seed in (1, 1, 2))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert len(first.pairs) == 20
    assert len({pair.id for pair in first.pairs}) == 20
    with pytest.raises(UsageError, match="at least one"):
        strategies.sample(SENTENCES, 0)


def test_a_mapped_strategy_is_drawn_from_by_hypothesis():
    def shouted(pair):
        return Pair(pair.id, pair.attribute.upper(), pair.sentences, pair.labels)

    found = strategies.sample(SENTENCES.map(shouted), 12, seed=3)
    assert 1 <= len(found.pairs) <= 12
    assert all(pair.attribute.isupper() for pair in found.pairs)
