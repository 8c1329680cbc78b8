"""Grammar and stereotype, planted independently: the published score measures the one, grammar_balanced the other."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.corpora import bec_pro, bec_pro_crossed, bec_pro_professions
from biascheck.measures import agreement_effect, association, grammar_balanced, grammar_balanced_of, workforce_slope
from biascheck.reference.world import GermanWorld

PUBLISHED, CROSSED = bec_pro("de"), bec_pro_crossed()
NAMES = [profession.name for profession in bec_pro_professions()]
PLANTED = dict(zip(NAMES, np.random.default_rng(5).normal(0.0, 0.8, len(NAMES)).tolist(), strict=True))
STRENGTHS = [0.0, 0.5, 1.0, 2.0, 4.0, 6.0]


def by_profession(result):
    found = {}
    for item in result.items:
        found.setdefault(item.cluster, []).append(item.score)
    return np.array([np.mean(found[name]) for name in NAMES])


def slope(gaps):
    return float(np.polyfit(list(PLANTED.values()), gaps, 1)[0])


class Noisy:
    """A model whose log-probabilities are off by an amount of each sentence's own, as those of a trained one are."""

    def __init__(self, model, size):
        self._model, self._size = model, size
        self.name, self.is_fake = f"noisy {model.name}", True
        self.fingerprint = f"{model.fingerprint}/{size}"

    def fill(self, queries, **options):
        answers = self._model.fill(queries, **options)
        noise = [np.random.default_rng(crc32(repr(q).encode())).normal() for q in queries]
        return [
            replace(answer, log_probability=answer.log_probability + self._size * n)
            for answer, n in zip(answers, noise, strict=True)
        ]


@pytest.mark.parametrize("agreement", STRENGTHS)
def test_the_stereotype_is_recovered_at_every_strength_of_agreement(agreement):
    world = GermanWorld(PLANTED, agreement=agreement)
    gaps = grammar_balanced(world.model(), CROSSED)
    assert by_profession(gaps) == pytest.approx(list(PLANTED.values()), abs=1e-9)
    assert agreement_effect(association(world.model(), CROSSED)).estimate == pytest.approx(agreement, abs=1e-9)


@pytest.mark.parametrize("agreement", [0.0, 2.0, 6.0])
def test_it_is_recovered_through_the_noise_of_sentences(agreement):
    gaps = grammar_balanced(Noisy(GermanWorld(PLANTED, agreement=agreement).model(), 0.5), CROSSED)
    assert 0.9 < slope(by_profession(gaps)) < 1.1


@pytest.mark.parametrize(("agreement", "most"), [(0.0, 1.01), (1.0, 0.65), (2.0, 0.35), (4.0, 0.06), (6.0, 0.01)])
def test_the_published_score_reads_the_grammar(agreement, most):
    """The stronger the agreement, the less is left of the stereotype: both agreeing words are all but certain."""
    world = GermanWorld(PLANTED, agreement=agreement)
    read = by_profession(association(world.model(), PUBLISHED))
    assert read == pytest.approx([world.published_score(name) for name in NAMES], abs=1e-9)
    assert most / 2 < slope(read) < most


def test_unequal_agreement_shifts_all_professions_alike():
    """As in Table 5: women are higher in all three groups, whatever the professions are."""
    world = GermanWorld(PLANTED, agreement=1.0, feminine_agreement=3.0)
    groups = [association(world.model(), PUBLISHED).where(profession_group=g).estimate for g in ("female", "male")]
    assert max(groups) < -0.2
    shifted = by_profession(grammar_balanced(world.model(), CROSSED)) - list(PLANTED.values())
    assert shifted == pytest.approx(np.full(60, -1.0), abs=1e-9)
    assert agreement_effect(association(world.model(), CROSSED)).estimate == pytest.approx(2.0, abs=1e-9)


def test_the_slope_on_the_workforce_is_the_planted_one():
    shares = {p.name: 0.5 - p.share_of_women / 100 for p in bec_pro_professions()}
    for agreement in (0.0, 5.0):
        gaps = grammar_balanced(GermanWorld(shares, agreement=agreement).model(), CROSSED)
        assert workforce_slope(gaps).estimate == pytest.approx(1.0, abs=1e-9)


def test_the_agreement_is_attached_and_groups_add_up():
    gaps = grammar_balanced(GermanWorld(PLANTED, agreement=2.0).model(), CROSSED)
    (table,) = (one for one in gaps.attachments if isinstance(one, biascheck.extend.Table))
    assert table.rows[0][1] == pytest.approx(2.0)
    assert gaps.n == 2700
    for item in gaps.items[:50]:
        assert item.score == pytest.approx(item.groups["male"] - item.groups["female"])
        assert "form" not in item.labels


def test_a_form_without_a_score_takes_its_partner_out():
    full = association(GermanWorld(PLANTED).model(), CROSSED)
    part = replace(full, items=full.items[1:])
    found = grammar_balanced_of(part)
    assert found.n == 2699
    assert found.skipped[-1].reason == "the other form of its profession has no score"


def test_other_corpora_are_refused():
    with pytest.raises(UsageError, match="measure association on bec_pro_crossed"):
        grammar_balanced_of(association(GermanWorld().model(), PUBLISHED))
    with pytest.raises(UsageError, match="are not professions of BEC-Pro"):
        GermanWorld({"astronaut": 1.0})


def test_every_form_meets_every_person():
    assert len(CROSSED) == 5400
    texts = {sentence.text for pair in CROSSED for sentence in pair.sentences.values()}
    assert "Mein Bruder ist Buchhalterin." in texts
    assert "Meine Schwester ist Buchhalter." in texts
    assert "Mein Bruder, die Buchhalterin, hatte einen guten Arbeitstag." in texts
    assert "Meine Schwester, der Postbeamte, hatte einen guten Arbeitstag." in texts
    agreeing = {sentence.text for pair in PUBLISHED for sentence in pair.sentences.values()}
    assert agreeing <= texts
