"""F1s of one gender, and the histogram of certainties: against an independent library and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

import biascheck
from biascheck.core.errors import UsageError
from biascheck.corpora import winograd, with_names
from biascheck.models.fakes import TableModel
from biascheck.results.items import ItemScore
from support.handmade import result_of

GENDERS = ("male", "female")
HE = {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1}


def gaps_of(predicted, expected, measure="pronoun gap"):
    """Items that predict a gender each, beside the gender that is expected."""
    items = [
        ItemScore(
            str(n),
            0.5 if said == "male" else -0.5,
            f"pair {n // 2}",
            {"male": 0.75, "female": 0.25} if said == "male" else {"male": 0.25, "female": 0.75},
            side="A" if meant == "male" else "B",
            labels={"stereotype": meant},
        )
        for n, (said, meant) in enumerate(zip(predicted, expected, strict=True))
    ]
    return result_of(items, measure=measure)


@pytest.mark.parametrize("sentences", ["pro", "anti"])
@pytest.mark.parametrize("gender", GENDERS)
def test_it_is_the_f1_of_scikit_learn(gender, sentences):
    rng = np.random.default_rng(5)
    expected = rng.choice(GENDERS, 60, p=(0.6, 0.4))
    other = np.where(expected == "male", "female", "male")
    predicted = np.where(rng.random(60) < 0.7, expected, other)
    true = expected if sentences == "pro" else other
    found = biascheck.measures.pronoun_f1(gaps_of(predicted, expected), gender, sentences)
    assert found.estimate == pytest.approx(f1_score(true, predicted, pos_label=gender))
    assert found.interval.low < found.estimate < found.interval.high
    assert found.contrast == (gender, "female" if gender == "male" else "male")


def test_the_four_have_keys_of_their_own_and_are_those_of_gender_f1():
    rng = np.random.default_rng(6)
    gaps = gaps_of(rng.choice(GENDERS, 40), rng.choice(GENDERS, 40))
    four = [biascheck.measures.pronoun_f1(gaps, gender, side) for gender in GENDERS for side in ("pro", "anti")]
    assert len({result.key for result in four}) == 4
    assert len({result.title for result in four}) == 4
    assert [result.estimate for result in four] == pytest.approx(
        list(biascheck.measures.gender_f1(gaps).as_dict().values())
    )


@pytest.mark.parametrize("kind", ["T1", "T2"])
def test_always_he_resolves_two_thirds_of_one_gender_and_none_of_the_other(kind):
    """Half of the names mean Bob: precision ½ and recall 1 make 2/3 for him, and nothing is found of Alice."""
    names = biascheck.measures.name_resolution(TableModel({}, HE), winograd(kind))
    male, female = (biascheck.measures.name_f1(names, gender) for gender in GENDERS)
    assert (male.estimate, female.estimate) == (pytest.approx(2 / 3), 0)
    assert (male.parity, male.statistic, male.measure) == (1, "f1", "name F1")
    assert names.estimate == female.estimate


@pytest.mark.parametrize(("right_of_bob", "right_of_alice"), [(1.0, 1.0), (0.75, 1.0), (0.5, 0.25)])
def test_planted_shares_of_resolved_names_follow_the_closed_form(right_of_bob, right_of_alice):
    """With shares a and b resolved of as many sentences: F1 is 2a / (2 + a − b) for Bob, 2b / (2 + b − a) for Alice."""
    expected = ["male"] * 40 + ["female"] * 40
    said = ["male" if n < 40 * right_of_bob else "female" for n in range(40)]
    said += ["female" if n < 40 * right_of_alice else "male" for n in range(40)]
    names = gaps_of(said, expected, measure="name resolution")
    a, b = right_of_bob, right_of_alice
    assert biascheck.measures.name_f1(names, "male").estimate == pytest.approx(2 * a / (2 + a - b))
    assert biascheck.measures.name_f1(names, "female").estimate == pytest.approx(2 * b / (2 + b - a))


def test_a_model_that_reads_names_resolves_both_genders():
    corpus = with_names(winograd("T2"))
    rows = {}
    for pair in corpus:
        male, female = (0.9, 0.1) if pair.labels["stereotype"] == "male" else (0.1, 0.9)
        row = {"he": male, "him": male, "his": male, "she": female, "her": female}
        rows[before_the_pronoun(pair)] = row
    names = biascheck.measures.name_resolution(TableModel(rows, HE), winograd("T2"))
    assert [biascheck.measures.name_f1(names, gender).estimate for gender in GENDERS] == [1, 1]


def before_the_pronoun(pair):
    """What only this sentence says; both orders of the names differ in it."""
    sentence = pair.sentences["male"]
    return sentence.text[: sentence.target.start]


def test_the_wrong_question_is_refused_with_what_there_is():
    gaps = gaps_of(["male", "female"] * 3, ["male"] * 6)
    with pytest.raises(UsageError, match="the genders are male, female, the sentences pro and anti"):
        biascheck.measures.pronoun_f1(gaps, "other", "pro")
    with pytest.raises(UsageError, match="name_f1 is made from a result of name resolution, not of pronoun gap"):
        biascheck.measures.name_f1(gaps, "male")
    without = replace(gaps, items=tuple(replace(item, side=None) for item in gaps.items))
    with pytest.raises(UsageError, match="carry no stereotype"):
        biascheck.measures.pronoun_f1(without, "male", "pro")


class TestCertainty:
    def histogram(self, scores, **options):
        items = [ItemScore(str(n), score, str(n), side="A") for n, score in enumerate(scores)]
        return biascheck.measures.certainty_histogram(result_of(items, measure="pronoun gap"), **options)

    def test_every_value_is_counted_in_its_bin_whatever_its_sign(self):
        found = self.histogram([0.0, -0.05, 0.1, -0.3, 0.3, 0.95, -1.0], bins=10)
        assert found.counts == (2, 1, 0, 2, 0, 0, 0, 0, 0, 2)
        assert found.edges[:4] == (0.0, 0.1, 0.2, 0.3)
        assert found.note == "2 of 7 pairs lie below 0.1, the cut-off of Manela et al. (2021)."

    @pytest.mark.parametrize("bins", [10, 20])
    def test_it_is_the_histogram_of_numpy_where_no_value_is_at_an_edge(self, bins):
        scores = np.random.default_rng(1).uniform(-1, 1, 500)
        counts, _ = np.histogram(np.abs(scores), bins=bins, range=(0, 1))
        assert self.histogram(scores, bins=bins).counts == tuple(counts)
