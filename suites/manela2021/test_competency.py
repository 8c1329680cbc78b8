"""Manela et al. 2021, section 4.4: does competence make the pronoun more male or more female?"""

from dataclasses import replace

import biascheck
from biascheck.corpora import COMPETENCY


def test_pronouns_do_not_follow_competence(bias_model, bias_seed, bias_margins, bias_published):
    shares = biascheck.female_share(bias_model, biascheck.competency(), seed=bias_seed)
    rows = [share_in_words(shares, name, bias_published) for name in COMPETENCY]
    biascheck.assert_effect_size_within(
        replace(biascheck.competency_effect(shares), details={"female share": rows}),
        **bias_margins["manela2021.competency"].as_arguments(),
    )


def share_in_words(shares, name, published):
    part = shares.where(competency=name)
    return f"{name} {part.estimate:.2f}, published {published.get(f'manela2021.competency.{name}.BERT')}"
