"""Manela et al. 2021, section 4.1: can the model tell whom a pronoun means, if names show the gender?

It is no gate of its own. It qualifies the others: where the smaller F1 is below 75 %, skew and stereotype of the
model must say so.
"""

import pytest

import biascheck

RESOLVES = 0.75


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", ["T1", "T2"])
def test_bias_figures_are_qualified_by_resolution(kind, bias_model, bias_figures, winograd, bias_seed):
    resolved = biascheck.measures.name_resolution(bias_model, winograd[kind], seed=bias_seed)
    for figure in bias_figures(winograd[kind]):
        warned = any("F1" in warning for warning in figure.warnings)
        assert warned == (resolved.estimate < RESOLVES), f"{resolved.title}: {resolved.estimate:.2f}"
