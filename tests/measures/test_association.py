"""Association, against probabilities given by a table."""

from dataclasses import replace
from math import exp, log

import pytest
from hypothesis import given, settings, strategies as st

import biascheck
from biascheck.core.errors import CorpusError, ScoreError, UsageError
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import SentenceTable, TableModel

HE, SHE, THEY = Target("he", "male"), Target("she", "female"), Target("they", "neutral")
JOBS = ("nurse", "plumber", "judge", "baker", "pilot", "mason")
EVEN = {"he": 0.5, "she": 0.5}


def corpus_of(jobs=JOBS, targets=(HE, SHE), fillers=("person",), templates=("{target} is a {attribute}.",)):
    shapes = [Template(text, f"t{n}") for n, text in enumerate(templates)]
    pairs = cross(shapes, [targets], [Attribute(job) for job in jobs])
    return Corpus("jobs", tuple(t.group for t in targets), pairs, fillers=fillers)


def test_a_table_of_eight_to_two_gives_ln_4():
    model = TableModel({job: {"he": 0.8, "she": 0.2} for job in JOBS}, prior=EVEN)
    result = biascheck.measures.association(model, corpus_of())
    assert result.estimate == pytest.approx(log(4))
    assert result.interval.low == pytest.approx(log(4))
    assert result.contrast == ("male", "female")


def test_the_prior_is_taken_off():
    model = TableModel({"nurse": {"he": 0.2, "she": 0.4}}, prior={"he": 0.6, "she": 0.1})
    result = biascheck.measures.association(model, corpus_of(["nurse"]))
    item = result.items[0]
    assert item.groups == pytest.approx({"male": log(0.2 / 0.6), "female": log(0.4 / 0.1)})
    assert item.score == pytest.approx(log(0.2 / 0.6) - log(0.4 / 0.1))


def test_a_job_the_table_does_not_know_has_no_association():
    result = biascheck.measures.association(TableModel({}, prior={"he": 0.7, "she": 0.1}), corpus_of())
    assert [item.score for item in result.items] == [0.0] * len(JOBS)


def test_every_attribute_is_a_cluster():
    corpus = corpus_of(templates=("{target} is a {attribute}.", "{target} works as a {attribute}."))
    result = biascheck.measures.association(TableModel({}, prior=EVEN), corpus)
    assert (result.n, result.clusters, result.unit) == (12, 6, "pairs")


def test_three_groups_give_every_pairwise_gap():
    table = {job: {"he": 0.5, "she": 0.3, "they": 0.2} for job in JOBS}
    corpus = corpus_of(targets=(HE, SHE, THEY))
    gaps = biascheck.measures.pairwise_associations(
        TableModel(table, prior={"he": 1 / 3, "she": 1 / 3, "they": 1 / 3}), corpus
    )
    assert {pair: result.estimate for pair, result in gaps.items()} == pytest.approx(
        {("male", "female"): log(5 / 3), ("male", "neutral"): log(5 / 2), ("female", "neutral"): log(3 / 2)}
    )


def test_three_groups_without_a_contrast_name_the_remedy():
    with pytest.raises(UsageError, match=r"3 groups; choose contrast=\('male', 'female'\) or .*pairwise_associations"):
        biascheck.measures.association(TableModel({}, prior=EVEN), corpus_of(targets=(HE, SHE, THEY)))


def test_a_contrast_of_unknown_groups_is_refused():
    with pytest.raises(UsageError, match="needs two different groups"):
        biascheck.measures.association(TableModel({}, prior=EVEN), corpus_of(), contrast=("male", "robot"))


def test_a_word_the_model_lacks_is_skipped_with_its_reason():
    model = TableModel({"nurse": {"he": 0.5}}, prior=EVEN)
    result = biascheck.measures.association(model, corpus_of())
    assert [(skip.id, skip.reason) for skip in result.skipped] == [
        ("t0/nurse/he-she", "'she' is not in this model's vocabulary; choose another word or drop it")
    ]
    assert result.n == len(JOBS) - 1


def test_a_model_that_can_answer_nothing_is_an_error_not_a_pass():
    with pytest.raises(ScoreError, match=r"no item could be scored: 'he' is not in .* \(6×\)"):
        biascheck.measures.association(TableModel({}, prior={}), corpus_of())


def test_a_probability_of_zero_never_becomes_a_score():
    model = TableModel({"nurse": {"he": 0.0, "she": 1.0}}, prior=EVEN)
    with pytest.raises(ScoreError, match="only finite numbers are allowed"):
        biascheck.measures.association(model, corpus_of())


def test_a_corpus_without_attributes_is_refused():
    sentence = biascheck.corpora.Sentence("He left.", biascheck.extend.Span(0, 2))
    other = biascheck.corpora.Sentence("She left.", biascheck.extend.Span(0, 3))
    corpus = Corpus(
        "plain", ("male", "female"), (biascheck.corpora.Pair("1", "-", {"male": sentence, "female": other}),)
    )
    with pytest.raises(CorpusError, match="marks no attributes"):
        biascheck.measures.association(TableModel({}, prior=EVEN), corpus)


def test_a_causal_model_is_normalised_over_the_groups_of_an_item():
    likelihood = {
        "He is a nurse.": log(0.001),
        "She is a nurse.": log(0.004),
        "He is a person.": log(0.03),
        "She is a person.": log(0.01),
        "He is a human.": log(0.02),
        "She is a human.": log(0.02),
    }
    corpus = corpus_of(["nurse"], fillers=("person", "human"))
    item = biascheck.measures.association(SentenceTable(likelihood), corpus).items[0]
    male_prior = (0.75 + 0.5) / 2
    assert item.groups == pytest.approx({"male": log(0.2 / male_prior), "female": log(0.8 / (1 - male_prior))})


def test_the_scale_of_a_causal_likelihood_does_not_matter():
    def likelihood(text):
        return -900.0 + (1.5 if text.startswith("He") else 0.0) + (0.5 if "nurse" in text and "He" in text else 0.0)

    item = biascheck.measures.association(SentenceTable(likelihood), corpus_of(["nurse"])).items[0]
    expected = log(exp(2.0) / (1 + exp(2.0))) - log(exp(1.5) / (1 + exp(1.5)))
    assert item.groups["male"] == pytest.approx(expected)


def test_a_causal_model_needs_fillers():
    with pytest.raises(CorpusError, match=r"no fillers.*give the corpus fillers="):
        biascheck.measures.association(SentenceTable(lambda _: -1.0), corpus_of(fillers=()))


def test_published_masking_is_refused_for_causal_models():
    with pytest.raises(
        UsageError,
        match=r"sentences is a causal language model: it scores text; variant .* needs a model that fills masks",
    ):
        biascheck.measures.association(SentenceTable(lambda _: -1.0), corpus_of(), variant="as published (Bartl 2020)")


def test_something_that_is_no_model_is_refused():
    class Stone:
        name, fingerprint = "stone", "0"

    with pytest.raises(
        UsageError,
        match=r"stone \(Stone\) has no capability that biascheck knows.*; association needs a model that fills",
    ):
        biascheck.measures.association(Stone(), corpus_of())


probability = st.floats(0.01, 0.99)
tables = st.fixed_dictionaries({job: st.fixed_dictionaries({"he": probability, "she": probability}) for job in JOBS})


@settings(max_examples=40)
@given(table=tables, prior=st.fixed_dictionaries({"he": probability, "she": probability}))
def test_swapping_the_groups_flips_the_sign(table, prior):
    corpus = corpus_of()
    there = biascheck.measures.association(TableModel(table, prior), corpus)
    back = biascheck.measures.association(TableModel(table, prior), corpus.with_groups(("female", "male")))
    assert back.estimate == pytest.approx(-there.estimate, abs=1e-12)
    assert (back.interval.low, back.interval.high) == pytest.approx(
        (-there.interval.high, -there.interval.low), abs=1e-9
    )


@settings(max_examples=25)
@given(table=tables, order=st.permutations(range(len(JOBS))))
def test_the_order_of_a_corpus_changes_nothing(table, order):
    corpus = corpus_of()
    shuffled = replace(corpus, pairs=tuple(corpus.pairs[i] for i in order))
    first, second = (biascheck.measures.association(TableModel(table, EVEN), c) for c in (corpus, shuffled))
    assert first.estimate == pytest.approx(second.estimate, abs=1e-12)
    assert first.interval.low == pytest.approx(second.interval.low, abs=1e-12)
    assert first.provenance.corpus_fingerprint == second.provenance.corpus_fingerprint
