"""What each training condition makes of the reviews."""

import pytest

from biascheck.corpora import Review, Reviews
from biascheck.debias import Condition, quality_of
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.errors import UsageError
from biascheck.models.adapters.functions import TextClassifier

SOME = Reviews("some", (Review("a", "She saw the man.", "positive"), Review("b", "Dull.", "negative")))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("original", ["She saw the man.", "Dull."]),
        ("R-pro", ["saw the man.", "Dull."]),
        ("R-all", ["saw the .", "Dull."]),
        ("mix-pro", ["He saw the man.", "She saw the man.", "Dull.", "Dull."]),
        ("mix-all", ["He saw the man.", "She saw the woman.", "Dull.", "Dull."]),
    ],
)
def test_conditions(name, texts):
    condition = Condition.named(name)
    assert str(condition) == name
    assert condition.apply(SOME).texts == texts


def test_versions_remember_their_review():
    mixed = Condition.named("mix-all").apply(SOME)
    assert [item.origin for item in mixed] == ["a", "a", "b", "b"]
    assert len({item.id for item in mixed}) == 4
    assert mixed.name == "some·mix-all"


def test_a_mix_takes_as_many_steps():
    recipe = ClassifierRecipe(epochs=4)
    assert [Condition.named(name).steps_kept(recipe).epochs for name in ("original", "R-all", "mix-all")] == [4, 4, 2]


@pytest.mark.parametrize("name", ["removed", "R", "R-some", "mix"])
def test_unknown_conditions(name):
    with pytest.raises(UsageError, match=f"no condition '{name}'; there are original, R-x and mix-x with x one of pro"):
        Condition.named(name)


def test_quality_counts_the_class_that_is_stated():
    """Of three negatives two are found, with one false alarm: precision 2/3, recall 2/3; accuracy 3/5."""
    truth = ["negative", "negative", "negative", "positive", "positive"]
    ratings = {"0": 0.1, "1": 0.2, "2": 0.9, "3": 0.3, "4": 0.8}
    items = Reviews("five", tuple(Review(str(n), str(n), sentiment) for n, sentiment in enumerate(truth)))
    classifier = TextClassifier(lambda texts: [ratings[text] for text in texts])
    negative = quality_of(classifier, items)
    assert (negative.of_class, negative.accuracy) == ("negative", 0.6)
    assert (negative.precision, negative.recall, negative.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    positive = quality_of(classifier, items, of_class="positive")
    assert (positive.precision, positive.recall, positive.f1) == pytest.approx((0.5, 0.5, 0.5))
    never = quality_of(TextClassifier(lambda texts: [1.0] * len(texts)), items)
    assert (never.precision, never.recall, never.f1) == (0.0, 0.0, 0.0)
