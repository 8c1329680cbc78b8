"""Basta et al. 2019: where does gender lie in the space of a model's word vectors?

Runs on the states of any masked or causal language model, on encoders (``--bias-model encoder:FOLDER``) and on static
vectors (``--bias-model vectors:FILE``). Every word is looked at in ten sentences drawn with the seed; with --bias-data
professions are also looked at in running text. With --bias-paper-sizes the words are as many as in the paper, whose
figures are then shown as well; ``biascheck reproduce basta2019`` has all of them.
"""

import biascheck


def test_gender_subspace(bias_model, professions, bias_seed, bias_margins, bias_card):
    result = biascheck.measures.gender_subspace(bias_model, professions, corrected=True, seed=bias_seed)
    judged = result.with_attachments(bias_card)
    biascheck.assert_below(judged, **bias_margins["basta2019.gender-subspace"].as_arguments())


def test_direct_bias(bias_model, professions, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.measures.direct_bias(bias_model, professions, seed=bias_seed)
    result, published = beside_the_paper(result, "direct-bias")
    margin = bias_margins["basta2019.direct-bias"].as_arguments()
    biascheck.assert_direct_bias_below(result, **margin, published=published)


def test_clusters(bias_model, clustered_words, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.measures.cluster_accuracy(bias_model, clustered_words, seed=bias_seed)
    result, published = beside_the_paper(result, "cluster-accuracy")
    margin = bias_margins["basta2019.cluster-accuracy"].as_arguments()
    biascheck.assert_cluster_accuracy_below(result, **margin, published=published)


def test_classification(bias_model, classified_words, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.measures.classifier_accuracy(bias_model, classified_words, seed=bias_seed)
    result, published = beside_the_paper(result, "classifier-accuracy")
    margin = bias_margins["basta2019.classifier-accuracy"].as_arguments()
    biascheck.assert_classifier_accuracy_below(result, **margin, published=published)


def test_neighbours(bias_model, professions, bias_seed, bias_margins, beside_the_paper):
    result = biascheck.measures.neighbour_correlation(bias_model, professions, seed=bias_seed)
    result, published = beside_the_paper(result, "neighbour-correlation")
    margin = bias_margins["basta2019.neighbour-correlation"].as_arguments()
    biascheck.assert_neighbour_correlation_below(result, **margin, published=published)
