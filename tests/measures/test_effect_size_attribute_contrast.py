"""The contrast of two attribute sets in log-odds, against planted gaps."""

from dataclasses import replace

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, CorpusError, UsageError
from biascheck.corpora import Attribute, Corpus, Target, Template, cross, kurita_weat
from biascheck.measures import attribute_contrast, attribute_contrast_of, effect_size
from biascheck.models.fakes import TableModel
from support.handmade import items_of, result_of, spread

WORDS = {"A": tuple(f"office{n}" for n in range(10)), "B": tuple(f"wedding{n}" for n in range(10))}
PRIOR = {"he": 0.2, "she": 0.2, "men": 0.1, "women": 0.1}
RNG = np.random.default_rng(5)
GAPS = {word: float(RNG.normal(0.4 if side == "A" else -0.1, 0.3)) for side, words in WORDS.items() for word in words}


def corpus_of(order=1):
    attributes = [Attribute(word, {"side": side}) for side, words in WORDS.items() for word in words]
    sets = [(Target("he", "male"), Target("she", "female")), (Target("men", "male"), Target("women", "female"))]
    templates = [Template("{target} likes {attribute}.", "likes"), Template("{target} sees {attribute}.", "sees")]
    return Corpus("sets", ("male", "female"), cross(templates, sets, attributes)[::order], fillers=("it",))


def planted(gaps):
    """A model in which every word moves the male targets by its gap, and no other."""
    rows = {
        word: {**PRIOR, "he": PRIOR["he"] * np.exp(gap), "men": PRIOR["men"] * np.exp(gap)}
        for word, gap in gaps.items()
    }
    return TableModel(rows, PRIOR)


def sides(gaps):
    return [np.array([gaps[word] for word in words]) for words in WORDS.values()]


def test_the_contrast_is_the_planted_difference_of_means():
    a, b = sides(GAPS)
    result = attribute_contrast(planted(GAPS), corpus_of())
    assert result.estimate == pytest.approx(a.mean() - b.mean())
    assert {item.id: item.score for item in result.items} == pytest.approx(GAPS)
    assert (result.measure, result.statistic, result.parity) == ("attribute contrast", "difference", 0)
    assert (result.n, result.clusters, result.unit) == (20, 20, "attributes")
    assert result.interval.low < result.estimate < result.interval.high
    assert result.effect_size == pytest.approx(effect_size(planted(GAPS), corpus_of()).estimate)


def test_it_keeps_the_scale_that_an_effect_size_loses():
    small = {word: gap / 100 for word, gap in GAPS.items()}
    assert effect_size(planted(small), corpus_of()).estimate == pytest.approx(
        effect_size(planted(GAPS), corpus_of()).estimate
    )
    contrast = attribute_contrast(planted(small), corpus_of())
    assert contrast.estimate == pytest.approx(attribute_contrast(planted(GAPS), corpus_of()).estimate / 100)
    assert biascheck.assert_contrast_within(contrast, 0.05).passed


def test_turned_gaps_turn_the_sign():
    turned = attribute_contrast(planted({word: -gap for word, gap in GAPS.items()}), corpus_of())
    assert turned.estimate == pytest.approx(-attribute_contrast(planted(GAPS), corpus_of()).estimate)


def test_a_model_that_leans_alike_for_both_sets_is_at_parity():
    result = attribute_contrast(planted(dict.fromkeys(GAPS, 0.7)), corpus_of())
    assert result.estimate == pytest.approx(0, abs=1e-12)


def test_the_order_of_the_pairs_changes_nothing():
    model = planted(GAPS)
    one, other = (attribute_contrast(model, corpus_of(order)) for order in (1, -1))
    assert (one.estimate, one.interval) == (other.estimate, other.interval)


def test_the_fold_of_a_result_is_the_same_figure_without_another_pass():
    model = planted(GAPS)
    whole = attribute_contrast(model, corpus_of())
    asked = len(model.asked)
    sizes, gaps = effect_size(model, corpus_of()), biascheck.measures.association(model, corpus_of())
    asked_for_both = len(model.asked)
    for source in (sizes, gaps):
        folded = attribute_contrast_of(source)
        assert (folded.estimate, folded.interval, folded.n) == (whole.estimate, whole.interval, whole.n)
    assert len(model.asked) == asked_for_both
    assert asked > 0


def test_the_assertion_fails_on_a_contrast_and_names_it():
    with pytest.raises(BiasAssertionError, match=r"attribute contrast on .* × sets: 0\.\d+ .* exceeds margin 0\.05"):
        biascheck.assert_contrast_within(attribute_contrast(planted(GAPS), corpus_of()), 0.05)


def test_what_has_no_two_sets_is_refused():
    bare = result_of(items_of(spread(0.0, 1.0)))
    with pytest.raises(UsageError, match=r"sides \['None'\]; a contrast compares two sets"):
        attribute_contrast_of(bare)
    half = Corpus("half", ("male", "female"), tuple(p for p in corpus_of() if p.labels["side"] == "A"))
    with pytest.raises(CorpusError, match=r"has sides \['A'\]"):
        attribute_contrast(planted(GAPS), half)
    with pytest.raises(UsageError, match="made from a result of effect size or association, not of skew"):
        attribute_contrast_of(replace(bare, measure="skew"))


def test_pooled_rows_of_the_published_variant_are_refused():
    pooled = effect_size(planted(GAPS), corpus_of(), variant="as published (Kurita 2019)")
    with pytest.raises(UsageError, match="measure it with variant='ours'"):
        attribute_contrast_of(pooled)


@pytest.mark.parametrize(("category", "words"), [(3, ("white", "black")), (6, ("he", "she", "men", "women"))])
def test_a_planted_contrast_is_found_in_the_extended_sets(category, words):
    """Side A doubles the odds of the first group, single words vary: the contrast is ln 2 and the gate sees it."""
    corpus = kurita_weat(category, extended=True)
    prior = dict.fromkeys((*words, "boys", "girls"), 0.1)
    first = {pair.sentences[corpus.groups[0]].target_text.lower() for pair in corpus}
    rng = np.random.default_rng(category)
    gaps = {}
    for pair in corpus:
        gaps.setdefault(pair.attribute, float(rng.normal(0, 0.3) + (np.log(2) if pair.labels["side"] == "A" else 0)))
    longest_first = sorted(gaps, key=len, reverse=True)  # the table would take "kind" for a part of "unkind"
    rows = {word: {t: p * np.exp(gaps[word] if t in first else 0) for t, p in prior.items()} for word in longest_first}
    result = attribute_contrast(TableModel(rows, prior), corpus)
    a, b = ([gaps[w] for w in {p.attribute for p in corpus if p.labels["side"] == side}] for side in "AB")
    assert result.estimate == pytest.approx(np.mean(a) - np.mean(b))
    assert result.n == 132
    assert result.interval.high - result.interval.low < 0.3
    with pytest.raises(BiasAssertionError):
        biascheck.assert_contrast_within(result, 0.35)
