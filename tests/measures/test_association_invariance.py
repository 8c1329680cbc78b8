"""No corpus, group order or batch size may change a score."""

import pytest
from hypothesis import given, settings, strategies as st

import biascheck
from biascheck.corpora import Attribute, Corpus, Target, Template, cross

PEOPLE = [("he", "she"), ("man", "woman"), ("boyfriend", "girlfriend"), ("nephew", "niece"), ("king", "queen")]
TEMPLATES = ["{target} is a {attribute}.", "The {attribute} saw {target} there.", "{attribute}, said {target}."]
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)


@pytest.fixture(scope="module")
def model():
    return biascheck.load("reference:tiny")


@st.composite
def corpora(draw):
    people = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True))
    words = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    templates = draw(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=3, unique=True))
    targets = [(Target(m, "male"), Target(f, "female")) for m, f in people]
    shapes = [Template(text, f"t{n}") for n, text in enumerate(templates)]
    return Corpus("any", ("male", "female"), cross(shapes, targets, [Attribute(word) for word in words]))


def scores(result):
    return {item.id: item.score for item in result.items}


@settings(max_examples=25)
@given(corpus=corpora(), budget=st.sampled_from([1, 17, 64, 4_096]), order=st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_company(model, corpus, budget, order):
    model.token_budget = 1
    alone = scores(biascheck.measures.association(model, corpus))
    model.token_budget = budget
    pairs = list(corpus.pairs)
    order.shuffle(pairs)
    together = scores(biascheck.measures.association(model, Corpus("any", corpus.groups, tuple(pairs))))
    assert together == pytest.approx(alone, abs=1e-5)


@settings(max_examples=15)
@given(corpus=corpora())
def test_swapping_the_groups_flips_every_sign(model, corpus):
    there = scores(biascheck.measures.association(model, corpus))
    back = scores(biascheck.measures.association(model, corpus.with_groups(("female", "male"))))
    assert back == pytest.approx({name: -score for name, score in there.items()}, abs=1e-5)
