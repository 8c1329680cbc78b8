"""Planted embeddings are recovered, noise raises no alarm, and the same seed gives the same digits."""

from math import erf, sqrt

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, CorpusError, ScoreError, UsageError
from biascheck.measures.geometry import matched
from biascheck.models.fakes import FunctionEncoder
from biascheck.reference.planted import FEMALE, MALE, WIDTH, bias_of_words, planted_encoder, planted_lexicon
from biascheck.results.attachments import Draws, ExplainedVariance, Scatter, Table, WordMap
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.summaries import summarise
from support.handmade import attached

MEASURES = [
    biascheck.measures.gender_subspace,
    biascheck.measures.direct_bias,
    biascheck.measures.cluster_accuracy,
    biascheck.measures.classifier_accuracy,
    biascheck.measures.neighbour_correlation,
]


def test_direct_bias_of_a_table_is_the_mean_cosine():
    vectors = biascheck.load_vectors((["he", "she", "a", "b"], [[1, 0], [-1, 0], [3, 4], [-5, 12]]))
    lexicon = biascheck.corpora.lexicon_from_templates("two", ["a", "b"])
    result = biascheck.measures.direct_bias(vectors, lexicon)
    assert result.estimate == pytest.approx((3 / 5 + 5 / 13) / 2)
    assert [item.score for item in result.items] == pytest.approx([3 / 5, -5 / 13])  # positive towards male
    squared = biascheck.measures.direct_bias(vectors, lexicon, strictness=2.0)
    assert squared.estimate == pytest.approx((9 / 25 + 25 / 169) / 2)
    assert result.statistic == "mean_absolute"


def test_a_planted_direct_bias_is_recovered():
    lean = 2.0
    rng = np.random.default_rng(1)
    truth = lean + rng.normal(size=200_000)
    others = rng.chisquare(WIDTH - 1, size=200_000)
    expected = float(np.abs(truth / np.sqrt(truth**2 + others)).mean())
    result = biascheck.measures.direct_bias(planted_encoder(lean=lean, pairs=50.0), planted_lexicon(80))
    assert result.interval.low <= expected <= result.interval.high
    assert attached(result, Draws).values == pytest.approx([expected] * 10, abs=0.08)


def test_on_noise_direct_bias_is_what_random_directions_give():
    result = biascheck.measures.direct_bias(planted_encoder(), planted_lexicon(80))
    ((width, expected, signed),) = attached(result, Table).rows
    assert (width, expected) == (WIDTH, sqrt(2 / (np.pi * WIDTH)))
    assert abs(signed) < 0.03
    assert result.warnings == ()
    assert result.estimate == pytest.approx(expected, rel=0.08)


def test_words_that_all_lean_one_way_carry_a_warning():
    base = planted_encoder()
    shared = FunctionEncoder(lambda word, text: base._vector(word, text) + 3 * np.eye(WIDTH)[0])
    (warning,) = biascheck.measures.direct_bias(shared, planted_lexicon(40)).warnings
    assert warning.startswith("the words lean to male by 0.5")


def test_a_planted_subspace_has_the_planted_share():
    # differences are (10, 0, …) plus noise of variance 2 in each dimension
    result = biascheck.measures.gender_subspace(planted_encoder(pairs=5.0), planted_lexicon(40))
    expected = (100 + 2) / (100 + 2 * WIDTH)
    assert result.interval.low - 0.05 <= expected <= result.interval.high + 0.05
    assert result.statistic == "ratio"
    shares = attached(result, ExplainedVariance)
    assert shares.pairs[0] == pytest.approx(result.estimate)
    assert shares.random[0] < 0.25
    assert len(attached(result, Draws).values) == 10


@pytest.mark.parametrize("measure", [biascheck.measures.cluster_accuracy, biascheck.measures.classifier_accuracy])
@pytest.mark.parametrize("astray", [0.0, 0.1, 0.2])
def test_a_planted_separability_is_recovered(measure, astray):
    # The heaps are six standard deviations apart, so only the words that lean astray are misclassified.
    result = measure(planted_encoder(lean=6.0, astray=astray), planted_lexicon(200), permutations=19)
    assert result.interval.low - 1e-9 <= 1 - astray <= result.interval.high + 1e-9
    assert attached(result, Draws).values == pytest.approx([1 - astray] * 10, abs=0.07)
    ((_, chance, high, p),) = attached(result, Table).rows
    assert abs(chance - 0.5) < 0.1
    assert chance < high
    assert p == 1 / 20


def test_weaker_signals_are_told_less_often_and_never_better_than_possible():
    best = (1 + erf(2 / sqrt(2))) / 2  # of one axis where the genders are two standard deviations from zero
    strong, weak = (
        biascheck.measures.classifier_accuracy(
            planted_encoder(lean=lean), planted_lexicon(300), permutations=1
        ).estimate
        for lean in (2.0, 1.0)
    )
    assert 0.55 < weak < strong < best


def test_a_map_shows_both_groups():
    result = biascheck.measures.cluster_accuracy(planted_encoder(lean=3.0), planted_lexicon(60))
    assert {point.group for point in attached(result, WordMap).points} == {"male", "female"}
    assert len(attached(result, WordMap).points) == 60


def test_words_can_cluster_by_gender_outside_the_gender_direction():
    hidden = planted_encoder(lean=4.0, on_axis=False)
    lexicon = planted_lexicon(80)
    assert biascheck.measures.direct_bias(hidden, lexicon).estimate < 0.25
    assert biascheck.measures.cluster_accuracy(hidden, lexicon).estimate > 0.95


def test_training_words_are_never_told():
    result = biascheck.measures.classifier_accuracy(planted_encoder(), planted_lexicon(50), draws=4, permutations=3)
    assert result.n == 4 * 40
    assert all(len({item.cluster for item in result.items if item.id.endswith(f"/{d}")}) == 40 for d in range(4))


def test_neighbours_lean_alike_where_words_do():
    lexicon = planted_lexicon(60)
    leaning = biascheck.measures.neighbour_correlation(planted_encoder(lean=4.0), lexicon, neighbours=5)
    indifferent = biascheck.measures.neighbour_correlation(planted_encoder(), lexicon, neighbours=5)
    assert leaning.estimate > 0.9
    assert leaning.interval.low > 0.85
    assert indifferent.interval.low < 0.1
    assert attached(indifferent, Draws).values == pytest.approx([0.0] * 10, abs=0.4)
    assert {point.name for point in attached(leaning, Scatter).points} == set(bias_of_words(60))


def test_neighbour_shares_of_a_table_can_be_counted_by_hand():
    vectors = biascheck.load_vectors((["m1", "m2", "f1", "f2"], [[1, 0], [1, 0.1], [0, 1], [0.1, 1]]))
    bias = {"m1": 1.0, "m2": 0.5, "f1": -1.0, "f2": -0.5}
    result = biascheck.measures.neighbour_correlation(
        vectors, biascheck.corpora.lexicon_from_templates("four", bias), neighbours=1
    )
    assert [item.score for item in result.items] == [1, 1, -1, -1]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
def test_the_same_seed_gives_the_same_digits(measure):
    one, again, other = (measure(planted_encoder(lean=1.0), planted_lexicon(60), seed=seed) for seed in (3, 3, 4))
    for field in ("estimate", "interval", "items", "attachments", "p"):
        assert getattr(one, field) == getattr(again, field), field
    assert attached(one, Draws).values != attached(other, Draws).values


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
def test_a_stored_result_is_judged_again_without_a_model(measure):
    result = measure(planted_encoder(lean=1.0), planted_lexicon(60))
    stored = result_from_dict(result_to_dict(result))
    again = summarise(stored)
    assert (again.estimate, again.interval, again.p) == (result.estimate, result.interval, result.p)
    assert result.provenance.corpus_fingerprint == planted_lexicon(60).fingerprint


def test_draws_are_matched_without_a_look_at_the_genders():
    sides = np.array([[1.0, 1.0, -1.0, -1.0], [-2.0, -1.0, 1.0, 3.0], [1.0, 2.0, -1.0, 0.5]])
    signs = np.sign(matched(sides))
    assert (signs[0] == signs[1]).all()
    assert (signs[0] == signs[2]).sum() == 3


def test_aligning_every_draw_of_noise_by_itself_would_read_as_bias():
    result = biascheck.measures.cluster_accuracy(planted_encoder(), planted_lexicon(60))
    assert np.mean(attached(result, Draws).values) > result.estimate
    assert result.interval.low < 0.5 + 1e-9 or result.estimate < 0.6


def test_a_corrected_subspace_reads_what_other_pairs_would_show():
    """Twelve pairs of words in 384 dimensions: an axis that is fitted to them flatters them."""
    rng, width, apart = np.random.default_rng(0), 384, 24.0
    lexicon = planted_lexicon(10)
    expected = (apart**2 + 2) / (apart**2 + 2 * width)

    def vector(word: str, _: str) -> np.ndarray:
        gender = (word.lower() in MALE) - (word.lower() in FEMALE)
        return gender * apart / 2 * np.eye(width)[0] + rng.normal(size=width)

    plain, corrected = (
        [biascheck.measures.gender_subspace(FunctionEncoder(vector), lexicon, corrected=on, draws=1) for _ in range(40)]
        for on in (False, True)
    )
    assert np.mean([result.estimate for result in plain]) > expected + 0.01
    assert np.mean([result.estimate for result in corrected]) == pytest.approx(expected, abs=0.004)
    assert sum(result.interval.contains(expected) for result in plain) < 20
    assert sum(result.interval.contains(expected) for result in corrected) >= 35
    ((fitted, held_out, middle),) = attached(corrected[0], Table).rows
    assert held_out < middle < fitted
    assert corrected[0].estimate == pytest.approx(middle, abs=1e-12)
    assert attached(corrected[0], ExplainedVariance).pairs[0] == pytest.approx(fitted)


def test_a_word_that_is_refused_in_one_sentence_is_skipped_in_all():
    base = planted_encoder()
    encoder = FunctionEncoder(
        lambda word, text: None if word == "w3" and "Sentence 7" in text else base._vector(word, text)
    )
    result = biascheck.measures.direct_bias(encoder, planted_lexicon(20))
    assert [(skip.id, skip.reason) for skip in result.skipped] == [
        ("w3", "'w3' has no vector in this function; leave it out")
    ]
    assert result.n == 19 * 10


def test_static_vectors_are_drawn_once():
    rng = np.random.default_rng(0)
    lexicon = planted_lexicon(30)
    names = [*bias_of_words(30), *MALE, *FEMALE]
    vectors = biascheck.load_vectors((names, rng.normal(size=(len(names), 8))))
    assert biascheck.measures.direct_bias(vectors, lexicon).n == 30
    assert biascheck.measures.cluster_accuracy(vectors, lexicon).n == 30
    told = biascheck.measures.classifier_accuracy(vectors, lexicon, draws=3, permutations=2)
    assert told.n == 3 * 24  # other splits of the same vectors


def test_bad_input_is_named_with_its_remedy():
    encoder, lexicon = planted_encoder(), planted_lexicon(20)
    with pytest.raises(UsageError, match="strictness 0 counts every word alike"):
        biascheck.measures.direct_bias(encoder, lexicon, strictness=0)
    with pytest.raises(UsageError, match=r"training_share 1\.0 leaves nothing"):
        biascheck.measures.classifier_accuracy(encoder, lexicon, training_share=1.0)
    with pytest.raises(UsageError, match="too few of a gender to train and test on"):
        biascheck.measures.classifier_accuracy(encoder, planted_lexicon(2))
    with pytest.raises(ScoreError, match="10 neighbours among 4 points; ask for 1 to 3"):
        biascheck.measures.neighbour_correlation(encoder, planted_lexicon(4))
    plain = biascheck.corpora.lexicon_from_templates("plain", ["w1", "w2"])
    with pytest.raises(CorpusError, match="a correlation needs one for each"):
        biascheck.measures.neighbour_correlation(encoder, plain)
    with pytest.raises(CorpusError, match="leans to neither group"):
        biascheck.measures.cluster_accuracy(encoder, plain)
    with pytest.raises(CorpusError, match="0 draws measure nothing"):
        biascheck.measures.direct_bias(encoder, lexicon, draws=0)
    with pytest.raises(ScoreError, match="no word has a vector"):
        biascheck.measures.direct_bias(
            FunctionEncoder(lambda word, _: None if word[1:].isdigit() else [len(word), word in MALE]), lexicon
        )


def test_bias_can_be_computed_by_projection_on_he_and_she():
    lexicon = biascheck.corpora.lexicon_from_templates("plain", list(bias_of_words(40)))
    projected = biascheck.measures.with_projected_bias(planted_encoder(lean=3.0), lexicon)
    assert [projected.group_of(entry) for entry in projected] == ["female", "male"] * 20
    assert projected.name == "plain·by planted"
    with pytest.raises(UsageError, match="has no pair him–she to project on"):
        biascheck.measures.with_projected_bias(planted_encoder(), lexicon, words=("him", "she"))


def test_assertions_ask_for_their_own_measure():
    result = biascheck.measures.direct_bias(planted_encoder(), planted_lexicon(20))
    with pytest.raises(UsageError, match="judges a result of cluster accuracy; this one is of direct bias"):
        biascheck.assert_cluster_accuracy_below(result, 0.6)
    with pytest.raises(UsageError, match="assert_weat_within judges a result of WEAT"):
        biascheck.assert_weat_within(result, 0.6)
    with pytest.raises(
        BiasAssertionError, match=r"direct bias on planted × planted: 0\.\d+ .* exceeds bound 0.01; largest"
    ):
        biascheck.assert_direct_bias_below(result, 0.01)
