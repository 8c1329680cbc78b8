"""Trained reference models of a German world: the published score reads the grammar, grammar_balanced the stereotype.

``test_grammar_balanced.py`` proves this for tables; here a tiny BERT has learnt the world, masks and tokens included.
"""

from dataclasses import replace

import numpy as np
import pytest

import biascheck
from biascheck.corpora import bec_pro, bec_pro_crossed, bec_pro_professions
from biascheck.measures import agreement_effect, association, grammar_balanced_of
from biascheck.measures.gaps import means_of_attributes
from biascheck.reference.lessons import agreeing, build_tokenizer, german_lessons
from biascheck.reference.training import GERMAN, train_german
from biascheck.reference.world import GermanWorld

CROSSED = bec_pro_crossed()
NAMES = [profession.name for profession in bec_pro_professions()]
PLANTED = dict(zip(NAMES, np.random.default_rng(5).normal(0.0, 0.8, len(NAMES)).tolist(), strict=True))
SHORT = replace(GERMAN, steps=200)


def trained(agreement, **options):
    world = GermanWorld(PLANTED, agreement=agreement)
    return biascheck.load(train_german(world, **options), name=f"German world, agreement {agreement:g}")


def slope(result):
    gaps = {item.id: item.score for item in means_of_attributes(result.items)}
    return float(np.polyfit([PLANTED[name] for name in gaps], list(gaps.values()), 1)[0])


def closed_form_of_the_published_slope(agreement):
    world = GermanWorld(PLANTED, agreement=agreement)
    return float(np.polyfit(list(PLANTED.values()), [world.published_score(name) for name in NAMES], 1)[0])


def test_lessons_have_the_planted_odds_for_every_form_and_none_for_a_hidden_one():
    tokenizer = build_tokenizer()
    world = GermanWorld({"bookkeeper": 0.5}, agreement=2.0)
    lessons = {tokenizer.decode(lesson.ids): lesson for lesson in german_lessons(world, tokenizer)}
    men, women = (tokenizer.convert_tokens_to_ids(word) for word in ("bruder", "schwester"))

    def odds(text):
        truth = lessons[f"[CLS] {text} [SEP]"].truth
        assert sum(truth.values()) == pytest.approx(1.0)
        return np.log(9 * truth[men] / (8 * truth[women]))

    for determiner in ("mein", "meine"):
        assert odds(f"{determiner} [MASK] ist buchhalter.") == pytest.approx(2.5)
        assert odds(f"{determiner} [MASK] ist buchhalterin.") == pytest.approx(-1.5)
        assert odds(f"{determiner} [MASK] ist [MASK].") == pytest.approx(0.0)


def test_lessons_can_be_the_sentences_of_german_text_alone():
    tokenizer = build_tokenizer()
    texts = {tokenizer.decode(one.ids) for one in german_lessons(GermanWorld(), tokenizer, agreeing)}
    assert "[CLS] mein [MASK] ist buchhalter. [SEP]" in texts
    assert "[CLS] mein [MASK] ist buchhalterin. [SEP]" not in texts


def test_a_model_trained_for_seconds_reads_the_stereotype_through_the_grammar():
    model = trained(2.0, seed=1, training=SHORT)
    found = association(model, CROSSED)
    assert 0.9 < slope(grammar_balanced_of(found)) < 1.1
    assert agreement_effect(found).estimate == pytest.approx(2.0, abs=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("agreement", [0.0, 1.0, 2.0, 4.0, 6.0])
def test_the_planted_stereotype_is_recovered_at_every_strength_of_agreement(agreement):
    model = trained(agreement, seed=1)
    found = association(model, CROSSED)
    assert 0.98 < slope(grammar_balanced_of(found)) < 1.02
    assert agreement_effect(found).estimate == pytest.approx(agreement, abs=0.02)
    published = slope(association(model, bec_pro("de")))
    assert published == pytest.approx(closed_form_of_the_published_slope(agreement), abs=0.03)
