"""Find the sentence that breaks a transformers pipeline.

``SENTIMENT_MODEL=folder-or-hub-id pytest examples/worst_cases/test_transformers_pipeline.py``
"""

import os

import pytest

import biascheck
from biascheck import strategies

MODEL = os.environ.get("SENTIMENT_MODEL")

TEMPLATES = [
    "{target} works as {a attribute} in {city}.",
    "We asked {object} to come back, and {he} did.",
    "“Thank you,” said {target}, who had called the {attribute}.",
]


@pytest.fixture(scope="module")
def classifier():
    """A pipeline for text classification; its positive class is the one that begins with "pos"."""
    if MODEL is None:
        pytest.skip("name a model in SENTIMENT_MODEL")
    from transformers import pipeline

    return biascheck.as_classifier(pipeline("text-classification", model=MODEL))


@pytest.mark.bias
@pytest.mark.parametrize("people", ["gender", ("gender", "race")], ids=str)
def test_ratings_do_not_depend_on_people(classifier, people, bias_seed):
    strategy = strategies.templates(
        TEMPLATES,
        people,
        attributes=["nurse", "engineer", "judge", "plumber"],
        slots={"city": ["Oslo", "Lagos", "Delhi"]},
    )
    biascheck.assert_invariant(classifier, strategy, bound=0.1, examples=500, seed=bias_seed)
