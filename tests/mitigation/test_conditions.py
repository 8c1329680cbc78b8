"""The reviews under each training condition."""

import pytest

import biascheck
from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora import Review, Reviews, TermPair, TermSet, reviews
from biascheck.mitigation import Condition, quality_of
from biascheck.mitigation.classifier import ReviewTask
from biascheck.mitigation.recipes import ClassifierRecipe
from biascheck.models.scoring.queries import Refusal
from biascheck.models.wrappers import TextClassifier

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


@pytest.mark.parametrize(("size", "batch"), [(41, 8), (40, 8), (37, 5), (12, 16)])
def test_a_mix_takes_exactly_as_many_steps(size, batch):
    """Counted in the batches themselves; two epochs of the mix hold every version of every review once."""
    base = biascheck.load("reference:tiny")
    source = Reviews("some", reviews().items[:size])
    recipe = ClassifierRecipe(batch=batch, pieces=16)
    steps = {}
    for name in ("original", "R-all", "mix-all"):
        condition = Condition.named(name)
        task = ReviewTask.of(condition.apply(source), condition.steps_kept(recipe), base)
        steps[name] = [len(task.batches(epoch)) for epoch in range(4)]
    assert steps["original"] == steps["R-all"] == steps["mix-all"]
    seen = sorted(example.ids for epoch in (0, 1) for members in task.batches(epoch) for example in members)
    assert seen == sorted(example.ids for example in task.fitted)
    doubled = ReviewTask.of(Condition.named("mix-all").apply(source), recipe, base)
    assert sum(map(len, doubled.batches(0))) == 2 * sum(map(len, task.batches(0)))


def test_the_maps_of_a_paper_take_the_place_of_our_terms():
    theirs = TermSet("all as coded", (TermPair("man", "wife", "male>female"), TermPair("bloke", "she", "female>male")))
    mixed = Condition.named("mix-all").with_terms({"all": theirs})
    assert str(mixed) == "mix-all as coded"
    assert mixed.apply(SOME).texts[:2] == ["Bloke saw the man.", "She saw the wife."]
    assert Condition.named("R-pro").with_terms({"all": theirs}) == Condition.named("R-pro")
    assert Condition().with_terms({"all": theirs}) == Condition()
    with pytest.raises(UsageError, match="leave out term_set"):
        Condition(term_set=theirs)


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


def test_quality_is_about_the_reviews_that_have_a_rating():
    class Short:
        name, fingerprint, is_persistent = "short", "s", False

        def __init__(self, ratings):
            self._ratings = ratings

        def rate(self, texts):
            return [Refusal("too long") if rating is None else rating for rating in self._ratings[: len(texts)]]

    items = Reviews("three", tuple(Review(str(n), str(n), "positive") for n in range(3)))
    found = quality_of(Short([0.9, None, 0.2]), items)
    assert (found.accuracy, found.n) == (0.5, 2)
    with pytest.raises(ScoreError, match="short: none of 3 reviews can be rated"):
        quality_of(Short([None] * 3), items)
