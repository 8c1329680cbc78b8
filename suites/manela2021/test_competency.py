"""Manela et al. 2021, section 4.4: does competence make the pronoun more male or more female?"""

import biascheck
from biascheck.corpora import COMPETENCY


def test_pronouns_do_not_follow_competence(bias_model, bias_seed, bias_margins, bias_published):
    sentences = biascheck.corpora.competency(extended=True)
    shares = biascheck.measures.female_share(bias_model, sentences, seed=bias_seed)
    rows = tuple(share_of(shares, name, bias_published) for name in COMPETENCY)
    table = biascheck.extend.Table(columns=("share of female pronouns", "measured", "published"), rows=rows)
    biascheck.assert_contrast_within(
        biascheck.measures.competency_contrast(shares).with_attachments(table),
        **bias_margins["manela2021.competency"].as_arguments(),
    )


def share_of(shares, name, published):
    part = shares.where(competency=name)
    return name, part.estimate, str(published.get(f"manela2021.competency.{name}.BERT") or "")
