"""The planted pronouns: balanced at parity, the workforce at dose 1, and skew and stereotype in closed form."""

from collections import defaultdict
from math import log

import numpy as np
import pytest

from biascheck.core.errors import UsageError
from biascheck.corpora import occupations, winograd
from biascheck.reference.lessons import build_tokenizer, pronoun_lessons
from biascheck.reference.planted import (
    LEAN_OF_OCCUPATIONS,
    leaning_of,
    male_probability,
    planted_f1,
    planted_gaps,
    pronoun_corpora,
)
from biascheck.reference.world import World
from biascheck.stats import spearman

KINDS = ["T1", "T2"]


def test_occupations_lean_alike_in_either_stereotype_and_not_with_the_workforce():
    leans = leaning_of()
    for stereotype in ("male", "female"):
        signs = [leans[o.name] > 0 for o in occupations() if o.stereotype == stereotype]
        assert (len(signs), sum(signs)) == (20, 10)
    shares = [o.share_of_women for o in occupations()]
    assert abs(spearman([leans[o.name] for o in occupations()], shares).coefficient) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_parity_has_neither_skew_nor_stereotype_and_a_tilt_is_all_skew(kind):
    parity = planted_f1(World(0.0), kind)
    assert (parity.skew, parity.stereotype) == pytest.approx((0, 0), abs=1e-12)
    tilted = planted_f1(World(0.0, tilt=LEAN_OF_OCCUPATIONS + 0.1), kind)
    assert (tilted.skew, tilted.stereotype) == pytest.approx((2 / 3, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_the_workforce_is_all_stereotype(kind):
    found = planted_f1(World(1.0), kind)
    assert (found.skew, found.stereotype) == pytest.approx((0, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_online_mitigation_takes_the_tilt_away(kind):
    """A tilt that is the same in every sentence is in the prior, too."""
    assert planted_f1(World(0.5, 1.0), kind).skew > 0.4
    assert planted_f1(World(0.5, 1.0), kind, online=True).skew < 0.1


def test_log_odds_by_hand():
    world = World(0.5, tilt=0.3)
    nurses = [pair for pair in winograd("T2") if pair.attribute == "nurse"]
    assert len(nurses) == 12
    for pair in nurses:
        male = male_probability(world, pair)
        assert log(male / (1 - male)) == pytest.approx(0.5 * log(0.1 / 0.9) + 0.5 * leaning_of()["nurse"] + 0.3)
    gaps = planted_gaps(world, "T2")
    assert gaps[nurses[0].id] == pytest.approx(2 * male_probability(world, nurses[0]) - 1)


def test_names_reveal_the_gender_and_competence_does_not():
    by_name, by_class = defaultdict(set), defaultdict(list)
    for corpus in pronoun_corpora():
        for pair in corpus:
            if "names" in corpus.name:
                by_name[pair.sentences["male"].attribute_text].add(male_probability(World(1.0), pair))
            if "competency" in pair.labels:
                by_class[pair.labels["competency"]].append(male_probability(World(0.0), pair))
    assert by_name == {"Bob": {0.98}, "Alice": {0.02}}
    assert {name: np.mean(found) for name, found in by_class.items()} == pytest.approx(
        {"incompetent": 0.5, "neutral": 0.5, "competent": 0.5},
        abs=0.005,  # of 45 pairs, one more leans to one side
    )
    assert sorted(by_class["competent"]) == sorted(by_class["incompetent"])


def test_sentences_that_look_alike_without_people_are_one_lesson_their_mean():
    tokenizer, world = build_tokenizer(), World(1.0)
    taught = {tokenizer.decode(lesson.ids[1:-1]): lesson for lesson in pronoun_lessons(world, tokenizer)}
    masked = taught["the [MASK] paid the [MASK] for the hours [MASK] had worked."]
    alike = [
        male_probability(world, pair)
        for pair in winograd("T2")
        if pair.labels["template"] == "hours" and "construction" not in pair.sentences["male"].text
    ]
    assert len(alike) > 5
    he = tokenizer.convert_tokens_to_ids("he")
    assert masked.masked
    assert masked.truth[he] == pytest.approx(np.mean(alike))
    assert sum(masked.truth.values()) == pytest.approx(1)
    assert not any(tokenizer.unk_token_id in lesson.ids for lesson in taught.values())


def test_a_tilt_beyond_what_can_be_learnt_is_refused():
    with pytest.raises(UsageError, match=r"tilt 4 is not between -3 and 3 \(log-odds\)"):
        World(0.0, tilt=4.0)
