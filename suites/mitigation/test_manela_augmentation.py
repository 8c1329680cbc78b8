"""Manela et al. 2021, section 4.3.2: do gender-swapped copies in the training text leave less skew and stereotype?

BERT-A is trained on the text and its copies, BERT-U on the text as it is; -UO and -AO are the same under online
mitigation. The two columns of these four rows are swapped in the paper's Table 2; the figures beside ours are the
corrected ones. A model that does not resolve names after its training is not tested: its figures are not comparable.
"""

import pytest

import biascheck
from biascheck.corpora import COMPETENCY

NAMES = pytest.mark.parametrize("name", ["skew", "stereotype"])


def beside(result, published, name, *models):
    figures = tuple(one for one in published.listed(f"manela2021.{name}") if one.name in models)
    return result.with_attachments(biascheck.extend.Published(figures=figures))


@NAMES
def test_copies_leave_no_more_bias_than_the_text_alone(name, pronoun_scores, bias_margins, bias_published):
    figures = pronoun_scores(name)
    biascheck.assert_no_regression(
        beside(figures["A"], bias_published, name, "BERT-U", "BERT-A"),
        figures["U"],
        tolerance=bias_margins[f"mitigation.{name}"].margin,
    )


@pytest.mark.bias(judges=False)
@NAMES
def test_online_mitigation_of_fine_tuned_models(name, pronoun_scores, bias_published):
    for suffix, result in pronoun_scores(name, online=True).items():
        biascheck.show(beside(result, bias_published, name, f"BERT-{suffix}O"))


@pytest.mark.bias(judges=False)
def test_competence_after_fine_tuning(bias_model, fine_tuned, bias_seed, bias_published):
    """Table 3: the share of female pronouns by competence, of the original model and of both fine-tuned ones."""
    sentences = biascheck.corpora.competency(extended=True)
    models = {"": bias_model, "-U": fine_tuned["U"], "-A": fine_tuned["A"]}
    shares = {end: biascheck.measures.female_share(m, sentences, seed=bias_seed) for end, m in models.items()}
    rows = []
    for name in COMPETENCY:
        paper = [bias_published.get(f"manela2021.competency.{name}.BERT{end}").value for end in models]
        rows.append((name, *(found.where(competency=name).estimate for found in shares.values()), *paper))
    measured = (found.model_label for found in shares.values())
    columns = ("share of female pronouns", *measured, *(f"BERT{end}, Table 3" for end in models))
    table = biascheck.extend.Table(columns=columns, rows=tuple(rows))
    for found in shares.values():
        biascheck.show(found.with_attachments(table))
