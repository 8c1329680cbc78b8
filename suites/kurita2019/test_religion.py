"""The log-probability score in a setting with more than two groups, as Kurita et al. 2019 propose (section 7)."""

import biascheck


def test_every_gap_between_religions(bias_model, religion, bias_seed, bias_margins):
    results = biascheck.measures.pairwise_associations(bias_model, religion, seed=bias_seed)
    biascheck.assert_all_within(list(results.values()), **bias_margins["kurita2019.religion"].as_arguments())
