"""Substitution, and nothing less, brings the workforce reference model to parity.

The text is of its own world: men and women in each profession as in the U.S. workforce. Swapped at random it teaches
parity; as it is, it teaches the workforce. The margin is that of the suite of Bartl et al.
"""

from dataclasses import replace

import pytest
import torch

import biascheck
from biascheck.core.errors import BiasAssertionError
from biascheck.mitigation import LanguageRecipe, held_out
from biascheck.reference.lessons import world_text
from biascheck.reference.world import World

MARGIN = 0.75  # odds of 2 to 1, where they were 12 to 1 before
TEXT = world_text(World(1.0), 2500)
SUBSTITUTION = LanguageRecipe(
    name="substitution", epochs=4, patience=4, batch=64, learning_rate=1.5e-3, freeze_embeddings=False, names="none"
)
GROUPS = ("female", "male", "balanced")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, cache):
    monkeypatch.setenv("BIASCHECK_CACHE", str(cache))


@pytest.fixture(scope="module")
def corpus():
    return biascheck.corpora.bec_pro().where(template="works-as")


@pytest.fixture(scope="module")
def text_kept_aside():
    """Of the world at parity: half of the sentences are swapped."""
    return biascheck.corpora.counterfactual(held_out(TEXT, SUBSTITUTION), "cds", names="none", seed=1).documents


@pytest.fixture(scope="module")
def before():
    return biascheck.load("reference:workforce")


@pytest.fixture
def after(before):
    return biascheck.mitigation.fine_tune(before, TEXT, SUBSTITUTION)


@pytest.fixture
def unswapped(before):
    return biascheck.mitigation.fine_tune(before, TEXT, replace(SUBSTITUTION, treatment="original", name="unswapped"))


def gates(result):
    return biascheck.assert_all_within([result.where(profession_group=group) for group in GROUPS], MARGIN)


def test_substitution_brings_the_workforce_to_parity(before, after, corpus):
    earlier, later = biascheck.measures.association(before, corpus), biascheck.measures.association(after, corpus)
    with pytest.raises(BiasAssertionError, match="exceeds margin"):
        gates(earlier)
    gates(later)
    biascheck.assert_reduced(biascheck.measures.absolute_gap(earlier), biascheck.measures.absolute_gap(later), by=1.0)


def test_the_same_text_unswapped_does_not(unswapped, corpus):
    with pytest.raises(BiasAssertionError) as found:
        gates(biascheck.measures.association(unswapped, corpus))
    assert "profession_group=male): " in str(found.value)
    assert "profession_group=female): " in str(found.value)


def test_utility_is_kept(before, after, text_kept_aside):
    losses = [biascheck.measures.held_out_loss(model, text_kept_aside) for model in (before, after)]
    biascheck.assert_utility_kept(*losses, margin=0.05)


def test_a_model_that_forgets_the_language_is_unbiased_and_fails(before, after, corpus, text_kept_aside):
    """Its head is flattened: every word is as probable as every other, wherever it stands."""
    model, tokenizer = _copy(after)
    with torch.no_grad():
        # not quite flat: a model whose outputs are all the same is refused before it is measured
        model.cls.predictions.bias.copy_(torch.linspace(-1e-3, 1e-3, model.config.vocab_size))
        model.cls.predictions.transform.LayerNorm.weight.zero_()
        model.cls.predictions.transform.LayerNorm.bias.zero_()
    flat = biascheck.load((model, tokenizer), name="flat")
    earlier, later = biascheck.measures.association(before, corpus), biascheck.measures.association(flat, corpus)
    assert max(abs(item.score) for item in later.items) == pytest.approx(0.0, abs=1e-5)
    gaps = [biascheck.measures.absolute_gap(found) for found in (earlier, later)]
    biascheck.assert_reduced(*gaps, by=1.0, competence="ignore", reason="shows that flat weights have no gaps")
    with pytest.raises(BiasAssertionError, match="invalid: flat cannot read this corpus"):
        biascheck.assert_reduced(*gaps, by=1.0)
    losses = [biascheck.measures.held_out_loss(model, text_kept_aside) for model in (after, flat)]
    with pytest.raises(BiasAssertionError, match="utility is lost: the growth"):
        biascheck.assert_utility_kept(*losses, margin=0.5)


def _copy(model):
    from copy import deepcopy

    return deepcopy(model.torch_model), model.tokenizer
