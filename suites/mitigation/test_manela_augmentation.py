"""Manela et al. 2021, section 4.3.2: do gender-swapped copies in the training text leave less skew and stereotype?

BERT-A is trained on the text and its copies, BERT-U on the text as it is.
The two columns of BERT-U and BERT-A are swapped in the paper's Table 2; the figures beside ours are the true ones.
"""

import pytest

import biascheck


@pytest.mark.parametrize("name", ["skew", "stereotype"])
def test_copies_leave_no_more_bias_than_the_text_alone(name, pronoun_figures, bias_margins, bias_published):
    unaugmented, augmented = pronoun_figures[name]
    figures = tuple(one for one in bias_published.listed(f"manela2021.{name}") if one.name in ("BERT-U", "BERT-A"))
    biascheck.assert_no_regression(
        augmented.with_attachments(biascheck.extend.Published(figures=figures)),
        unaugmented,
        tolerance=bias_margins[f"mitigation.{name}"].margin,
    )
