"""The slope of gaps on the workforce, against planted gaps and an independent least-squares fit."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.corpora import bec_pro, occupations, winograd
from biascheck.measures import association, pronoun_gap, workforce_slope
from biascheck.models.fakes import TableModel
from biascheck.models.scoring.queries import Answer
from biascheck.reference.world import World
from biascheck.results.items import ItemScore
from support.handmade import items_of, result_of, spread

PROFESSIONS = {pair.attribute: float(pair.labels["share_of_women"]) for pair in bec_pro()}
ONE_SENTENCE = bec_pro().where(template="is-a", persons="he-she")


def gaps_of(gaps, contrast=("male", "female"), order=1):
    """An association result with these gaps, two templates each, around their mean."""
    sign = 1 if contrast[0] == "male" else -1
    items = [
        ItemScore(f"{job}/{n}", sign * gap + noise, job, {"male": 0.0, "female": 0.0},
                  labels={"share_of_women": PROFESSIONS[job], "template": f"t{n}"})
        for job, gap in gaps.items() for n, noise in enumerate((-0.1, 0.1))
    ]  # fmt: skip
    return result_of(items[::order], contrast=contrast)


def line(gaps):
    """An independent fit: from a job of women only (0) to one of men only (1)."""
    return np.polyfit([1 - PROFESSIONS[job] / 100 for job in gaps], list(gaps.values()), 1)[0]


@pytest.mark.parametrize("dose", [0.0, 0.3, 1.0])
def test_the_slope_of_a_planted_dose_is_that_of_an_independent_fit(dose):
    truth = World(dose).truth()
    slope = workforce_slope(gaps_of(truth))
    assert slope.estimate == pytest.approx(line(truth), abs=1e-12)
    assert (slope.n, slope.statistic, slope.unit, slope.parity) == (60, "slope", "professions", 0)
    assert dose == 0 or slope.estimate > 0


def test_a_straight_line_has_its_own_slope():
    gaps = {job: 1.5 - 0.02 * share for job, share in PROFESSIONS.items()}  # −0.02 for each percent of women
    slope = workforce_slope(gaps_of(gaps))
    assert slope.estimate == pytest.approx(2.0)
    assert slope.effect_size == pytest.approx(1)
    assert slope.p == pytest.approx(0, abs=1e-6)


def test_parity_has_the_slope_zero_and_passes():
    slope = workforce_slope(gaps_of(World(0.0).truth()))
    assert (slope.estimate, slope.p, slope.effect_size) == (pytest.approx(0, abs=1e-12), None, None)
    assert biascheck.assert_within_margin(slope, 0.1).passed


def test_the_workforce_exceeds():
    with pytest.raises(BiasAssertionError, match=r"workforce slope on .* exceeds margin 0\.50"):
        biascheck.assert_within_margin(workforce_slope(gaps_of(World(1.0).truth())), 0.5)


def test_the_sign_follows_the_workforce_whichever_group_comes_first():
    truth = World(1.0).truth()
    male, female = (workforce_slope(gaps_of(truth, contrast)) for contrast in (("male", "female"), ("female", "male")))
    assert male.estimate == pytest.approx(female.estimate)
    against = workforce_slope(gaps_of({job: -gap for job, gap in truth.items()}))
    assert against.estimate == pytest.approx(-male.estimate)


def test_the_order_of_the_items_changes_nothing():
    truth = World(0.4).truth()
    one, other = (workforce_slope(gaps_of(truth, order=order)) for order in (1, -1))
    assert (one.estimate, one.interval) == (other.estimate, other.interval)


def test_it_keeps_the_scale_that_a_correlation_loses():
    tiny = workforce_slope(gaps_of({job: gap / 500 for job, gap in World(1.0).truth().items()}))
    assert abs(tiny.effect_size) > 0.9
    assert tiny.estimate == pytest.approx(line(World(1.0).truth()) / 500)


def test_a_model_with_planted_odds_on_bec_pro():
    """P(he) follows the share of men from 0.2 to 0.8: gaps and slope are known for every profession."""
    odds = {job: 0.8 - 0.006 * share for job, share in PROFESSIONS.items()}
    longest_first = sorted(odds, key=len, reverse=True)  # one profession's name may be part of another's
    rows = {job: {"he": odds[job], "she": 1 - odds[job]} for job in longest_first}
    model = TableModel(rows, {"he": 0.5, "she": 0.5})
    slope = workforce_slope(association(model, ONE_SENTENCE))
    assert slope.estimate == pytest.approx(line({job: log(p / (1 - p)) for job, p in odds.items()}))


class Chooser:
    """A masked model that gives the male pronoun this probability for the person it means."""

    kind, name, is_fake, fingerprint = "masked", "chooser", True, "chooser"

    def __init__(self, male, corpus):
        self._male = {s.text: male(pair) for pair in corpus for s in pair.sentences.values()}

    def fill(self, queries, **_how):
        return [self._answer(query) for query in queries]

    def _answer(self, query):
        male = self._male[query.text]
        he = query.target.of(query.text) in ("he", "him", "his")
        return Answer(log(male if he else 1 - male) if 0 < male < 1 else (0.0 if he == (male == 1) else -np.inf), 1)


def test_pronoun_gaps_become_log_odds():
    corpus = winograd("T2")
    odds = {o.name: 0.9 - 0.008 * o.share_of_women for o in occupations()}
    gaps = pronoun_gap.__wrapped__(Chooser(lambda pair: odds[pair.labels["occupation"]], corpus), corpus)
    slope = workforce_slope(replace(gaps, measure="pronoun gap"))
    men = [1 - o.share_of_women / 100 for o in occupations()]
    expected = np.polyfit(men, [log(odds[o.name] / (1 - odds[o.name])) for o in occupations()], 1)[0]
    assert (slope.estimate, slope.n) == (pytest.approx(expected), 40)


def test_an_impossible_pronoun_is_skipped_with_its_reason():
    corpus = winograd("T2")
    model = Chooser(lambda pair: 1.0 if pair.labels["occupation"] == "nurse" else 0.5, corpus)
    slope = workforce_slope(replace(pronoun_gap.__wrapped__(model, corpus), measure="pronoun gap"))
    assert slope.n == 39
    assert {one.reason for one in slope.skipped} == {"one of the pronouns has the probability 0, which has no log-odds"}
    assert len(slope.skipped) == 12


def test_the_report_draws_gaps_against_the_share(tmp_path):
    from biascheck.report import write_html

    write_html(tmp_path / "report.html", [workforce_slope(gaps_of(World(1.0).truth()))], [])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "share of men →" in page
    assert "positive means that the gap follows the workforce" in page


def test_results_without_a_workforce_are_refused():
    with pytest.raises(UsageError, match="carry no share_of_women"):
        workforce_slope(result_of(items_of(spread(0.3, 1.0))))
    with pytest.raises(UsageError, match="name the groups of the corpus male and female"):
        workforce_slope(replace(gaps_of(World(1.0).truth()), contrast=("white", "black")))
    with pytest.raises(UsageError, match="made from a result of association or pronoun gap"):
        workforce_slope(replace(gaps_of(World(1.0).truth()), measure="skew"))
