"""Share of attributes that lean to the first group."""

import pytest

import biascheck
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import TableModel

WORDS = [f"word{n}" for n in range(10)]
EVEN = {"he": 0.5, "she": 0.5}


def share_of(lean):
    """Measure a model in which each word has this log-odds sign: 1 male, −1 female, 0 neither."""
    table = {w: {"he": 0.5 + 0.1 * sign, "she": 0.5 - 0.1 * sign} for w, sign in zip(WORDS, lean, strict=True)}
    pairs = cross(
        [Template("{target} is {attribute}.", "is")],
        [(Target("he", "male"), Target("she", "female"))],
        [Attribute(word) for word in WORDS],
    )
    return biascheck.measures.positive_share(TableModel(table, EVEN), Corpus("words", ("male", "female"), pairs))


def test_seven_of_ten_is_point_seven():
    result = share_of([1] * 7 + [-1] * 3)
    assert result.estimate == pytest.approx(0.7)
    assert result.parity == 0.5


def test_a_model_without_preference_reads_one_half():
    result = share_of([0] * 10)
    assert result.estimate == 0.5


def test_all_one_way_still_has_an_interval_with_room_for_doubt():
    result = share_of([1] * 10)
    # Wilson's lower limit for 10 of 10 at 95 %: 1 / (1 + z²/n)
    assert result.interval.low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert result.interval.high == pytest.approx(1.0)


def test_swapping_the_groups_gives_the_complement():
    assert share_of([1] * 7 + [-1] * 3).estimate + share_of([-1] * 7 + [1] * 3).estimate == pytest.approx(1.0)
