"""Bartl et al. 2020, Table 3: what fine-tuning on substituted text (CDS) should do to associations.

H1: strong associations of persons with the jobs of their own gender become weaker. H2: weak (negative) associations
with the jobs of the other gender become stronger. H3: the associations of either gender with jobs held by both stay as
they are. Together they bring the genders closer, which is the gate. Without ``--bias-data`` the text is our own, else
GAP. The recipe is an adapter that takes a minute; ``--bias-recipe bartl2020`` is the paper's: every part of GAP in
the data folder, no held-out text, the last of three epochs.
"""

import pytest

import biascheck


def premise(result, holds, words):
    """A hypothesis about positive associations says nothing where they are negative."""
    if not holds(result.estimate):
        pytest.skip(f"its premise does not hold: {result.title} is {result.estimate:+.2f}, not {words}")


def test_genders_come_closer(before, after):
    biascheck.assert_reduced(biascheck.measures.absolute_gap(before), biascheck.measures.absolute_gap(after))


@pytest.mark.parametrize("gender", ["female", "male"])
def test_h1_typical_associations_become_weaker(gender, before, after, of_persons):
    earlier, later = (of_persons(result, gender, gender) for result in (before, after))
    premise(earlier, lambda estimate: estimate > 0, "positive")
    biascheck.assert_reduced(earlier, later)


@pytest.mark.parametrize(("person", "jobs"), [("female", "male"), ("male", "female")])
def test_h2_untypical_associations_become_stronger(person, jobs, before, after, of_persons):
    earlier, later = (of_persons(result, person, jobs) for result in (before, after))
    premise(earlier, lambda estimate: estimate < 0, "negative")
    biascheck.assert_reduced(earlier, later)


def test_h3_the_gap_in_balanced_jobs_does_not_grow(before, after, bias_margins):
    earlier, later = (result.where(profession_group="balanced") for result in (before, after))
    biascheck.assert_no_regression(later, earlier, tolerance=bias_margins["mitigation.balanced"].margin)


@pytest.mark.parametrize("person", ["female", "male"])
def test_h3_associations_with_balanced_jobs_stay(person, before, after, bias_margins):
    earlier, later = (result.where(profession_group="balanced") for result in (before, after))
    change = biascheck.measures.association_change(earlier, later, person=person)
    biascheck.assert_within_margin(change, **bias_margins["mitigation.change"].as_arguments())


def test_the_language_is_not_forgotten(bias_model, debiased, held_out_text, bias_margins, bias_seed):
    losses = [
        biascheck.measures.held_out_loss(model, held_out_text, seed=bias_seed) for model in (bias_model, debiased)
    ]
    biascheck.assert_utility_kept(*losses, margin=bias_margins["mitigation.loss"].margin)


def test_pronouns_are_not_forgotten(bias_model, debiased, held_out_text, bias_margins, bias_seed):
    errors = [
        biascheck.measures.pronoun_error(model, held_out_text, seed=bias_seed) for model in (bias_model, debiased)
    ]
    biascheck.assert_utility_kept(*errors, margin=bias_margins["mitigation.pronouns"].margin)
