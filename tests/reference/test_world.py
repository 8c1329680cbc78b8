"""The world's probabilities, and its planted gaps against an enumeration of every sentence."""

from itertools import product
from math import log

import pytest

from biascheck.core.errors import UsageError
from biascheck.corpora import bec_pro
from biascheck.reference.lessons import build_tokenizer
from biascheck.reference.world import PERSON_WEIGHTS, World, pieces_of

DOSES = [0.0, 0.3, 1.0]


def joint(world: World) -> dict[tuple[str, str, str, str], float]:
    """P(determiner, profession, gender, person word) of every sentence, from the story of how one is drawn."""
    table = {}
    for determiner, (name, female) in product(PERSON_WEIGHTS, world.female.items()):
        for gender, chance in (("male", 1 - female), ("female", female)):
            for word, share in PERSON_WEIGHTS[determiner][gender == "female"].items():
                table[determiner, name, gender, word] = chance * share / len(PERSON_WEIGHTS) / len(world.female)
    return table


@pytest.mark.parametrize("dose", DOSES)
def test_every_distribution_sums_to_one(dose):
    world = World(dose)
    assert sum(joint(world).values()) == pytest.approx(1)
    for determiner, female in product(PERSON_WEIGHTS, [*world.female.values(), *world.female_by_pieces.values()]):
        assert sum(world.person_words(determiner, female).values()) == pytest.approx(1)


@pytest.mark.parametrize("dose", DOSES)
@pytest.mark.parametrize(
    ("determiner", "man", "woman"), [("", "he", "she"), ("my", "dad", "mom"), ("my", "son", "aunt")]
)
def test_the_truth_is_what_enumeration_gives(dose, determiner, man, woman):
    world = World(dose)
    table = joint(world)

    def probability(word: str, professions: set[str]) -> float:
        context = {k: p for k, p in table.items() if k[0] == determiner and k[1] in professions}
        return sum(p for k, p in context.items() if k[3] == word) / sum(context.values())

    for name in ("taper", "mail clerk", "speech-language pathologist", "insurance sales agent"):
        alike = {other for other in world.female if pieces_of(other) == pieces_of(name)}
        association = {w: log(probability(w, {name})) - log(probability(w, alike)) for w in (man, woman)}
        assert association[man] - association[woman] == pytest.approx(world.truth()[name])


def test_parity_plants_nothing_and_the_workforce_its_shares():
    assert set(World(0.0).truth().values()) == {0.0}
    female = World(1.0).female
    assert female["dietitian"] == pytest.approx(0.921)
    assert female["taper"] == pytest.approx(0.02)  # 0.7 % in the workforce
    assert female["kindergarten teacher"] == pytest.approx(0.98)  # 98.7 %
    assert World(0.5).female["dietitian"] == pytest.approx(0.5 + 0.421 / 2)


def test_the_prior_is_the_mean_over_professions_of_that_length():
    four = ("director of religious activities", "speech-language pathologist")
    female = World(1.0).female
    assert {name for name in female if pieces_of(name) == 4} == set(four)
    assert World(1.0).female_by_pieces[4] == pytest.approx((0.486 + 0.958) / 2)


def test_the_world_counts_tokens_as_its_tokenizer_does():
    tokenizer = build_tokenizer()
    assert all(len(tokenizer.tokenize(name)) == pieces_of(name) for name in World(0.0).female)


def test_the_world_contains_bec_pro():
    own = {pair.id: pair.sentences for pair in World(0.0).corpus()}
    assert {pair.id: pair.sentences for pair in bec_pro("en")}.items() <= own.items()
    assert len(own) == 8 * 9 * 60


@pytest.mark.parametrize("dose", [-0.1, 1.1, float("nan")])
def test_a_dose_lies_between_parity_and_workforce(dose):
    with pytest.raises(UsageError, match=r"not between 0 \(parity\) and 1"):
        World(dose)
