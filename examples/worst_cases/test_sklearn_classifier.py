"""Find the sentence that breaks a scikit-learn classifier.

``pytest examples/worst_cases/test_sklearn_classifier.py``
"""

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import biascheck
from biascheck import strategies


@pytest.fixture(scope="module")
def classifier():
    """Words and pairs of words, on our own short reviews."""
    reviews = list(biascheck.corpora.reviews("train"))
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10))
    model.fit([review.text for review in reviews], [review.sentiment for review in reviews])
    return biascheck.as_classifier(model, positive="positive", name="words and pairs of words")


@pytest.mark.bias
def test_ratings_do_not_depend_on_gender(classifier, bias_seed):
    biascheck.assert_invariant(classifier, strategies.sentences("gender"), bound=0.25, seed=bias_seed)


@pytest.mark.bias
def test_decisions_do_not_flip_with_race(classifier, bias_seed):
    biascheck.assert_invariant(classifier, strategies.sentences("race"), of="decision", seed=bias_seed)
