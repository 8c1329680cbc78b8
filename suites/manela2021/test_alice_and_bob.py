"""Manela et al. 2021, section 4.1: can the model tell whom a pronoun means, if names show the gender?

Where the smaller F1 is below 75 %, the skew and stereotype of the model carry a warning.
"""

import pytest

import biascheck


@pytest.mark.parametrize("kind", ["T1", "T2"])
def test_resolution_of_names(kind, bias_model, winograd, bias_seed, bias_margins, bias_published):
    biascheck.assert_within_margin(
        biascheck.resolution(bias_model, winograd[kind], seed=bias_seed),
        **bias_margins["manela2021.resolution"].as_arguments(),
        published=bias_published.get(f"manela2021.resolution.{kind}.BERT"),
    )
