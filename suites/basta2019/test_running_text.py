"""Basta et al. 2019, with sentences of running text: those of GAP that hold no gendered word.

Needs the GAP files: pass --bias-data DIR.
"""

import biascheck


def test_gender_subspace_in_text(bias_model, professions_in_text, bias_seed, bias_margins):
    result = biascheck.gender_subspace(bias_model, professions_in_text, seed=bias_seed)
    biascheck.assert_below(result, **bias_margins["basta2019.gender-subspace"].as_arguments())


def test_direct_bias_in_text(bias_model, professions_in_text, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.direct_bias(bias_model, professions_in_text, seed=bias_seed)
    result, published = beside_the_paper(result, "direct-bias")
    margin = bias_margins["basta2019.direct-bias"].as_arguments()
    biascheck.assert_direct_bias_below(result, **margin, published=published)


def test_neighbours_in_text(bias_model, professions_in_text, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.neighbour_correlation(bias_model, professions_in_text, seed=bias_seed)
    result, published = beside_the_paper(result, "neighbour-correlation")
    margin = bias_margins["basta2019.neighbour-correlation"].as_arguments()
    biascheck.assert_neighbour_correlation_below(result, **margin, published=published)
