"""Text classifiers of every origin give the same thing: P(positive), each distinct text rated once."""

from __future__ import annotations

import copy
import json

import pytest
import torch
import transformers
from hypothesis import given, strategies as st

import biascheck
from biascheck.core.errors import ModelError, ScoreError, UsageError
from biascheck.models.base import Classifier, MaskedModel
from biascheck.models.local.classifier import Window, read_through
from biascheck.models.local.loader import load
from biascheck.models.wrappers import TextClassifier, as_classifier
from support.tiny import pair

TEXTS = [
    "My son is a nurse.",
    "This woman works as a plumber.",
    "He is the man, she is the woman.",
    "Son and daughter.",
]


def classifier_pair(labels=("negative", "positive"), family="bert-uncased"):
    model, tokenizer = pair(family)
    config = copy.deepcopy(model.config)
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: index for index, label in enumerate(labels)}
    config.initializer_range = 0.5
    config.pad_token_id = tokenizer.pad_token_id or 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        made = transformers.AutoModelForSequenceClassification.from_config(config)
    return made.eval(), tokenizer


@pytest.fixture
def folder(tmp_path):
    model, tokenizer = classifier_pair()
    model.save_pretrained(tmp_path / "sentiment")
    tokenizer.save_pretrained(tmp_path / "sentiment")
    return tmp_path / "sentiment"


def by_hand(model, tokenizer, text, label=1):
    with torch.inference_mode():
        logits = model(**tokenizer(text, return_tensors="pt")).logits[0]
    return float(logits.softmax(dim=-1)[label])


@pytest.mark.parametrize("family", ["bert-uncased", "distilbert", "roberta", "albert", "electra", "gpt2"])
def test_ratings_are_the_softmax_of_each_text_alone(family):
    model, tokenizer = classifier_pair(family=family)
    rated = load((model, tokenizer), name="c").rate(TEXTS)
    assert rated == pytest.approx([by_hand(model, tokenizer, text) for text in TEXTS], abs=1e-5)


def test_a_folder_is_known_as_a_classifier_by_its_architecture(folder):
    loaded = biascheck.load(folder)
    assert loaded.kind == "classifier"
    assert isinstance(loaded, Classifier)
    assert not isinstance(loaded, MaskedModel)
    assert loaded.rate(TEXTS) == load(classifier_pair()).rate(TEXTS)
    assert biascheck.load(folder, kind="classifier").fingerprint == loaded.fingerprint


def test_each_distinct_input_runs_once():
    loaded = load(classifier_pair())
    plan = loaded.plan([*TEXTS, *TEXTS, TEXTS[0].upper()])  # this tokenizer does not know case
    assert plan.distinct_inputs == len(TEXTS)


def test_texts_that_are_the_same_within_the_window_are_one_input():
    loaded = load(classifier_pair(), window=Window(6))
    texts = ["My son is a nurse.", "My son is a plumber and works."]
    assert loaded.plan(texts).distinct_inputs == 1
    assert len(set(loaded.rate(texts))) == 1


def test_the_window_and_the_class_are_part_of_the_fingerprint():
    options = [{}, {"window": Window(8)}, {"window": Window(8, "tail")}, {"positive": "negative"}]
    assert len({load(classifier_pair(), **given_).fingerprint for given_ in options}) == 4


def test_the_positive_class_is_found_or_asked_for():
    assert load(classifier_pair(("POS", "NEG"))).positive_class == 0
    assert load(classifier_pair(("LABEL_0", "LABEL_1")), positive="label_1").positive_class == 1
    ratings = load(classifier_pair(("bad", "good")), positive="good").rate(TEXTS)
    mirrored = load(classifier_pair(("bad", "good")), positive="bad").rate(TEXTS)
    assert [a + b for a, b in zip(ratings, mirrored, strict=True)] == pytest.approx([1.0] * len(TEXTS))
    with pytest.raises(
        ModelError, match="its classes are LABEL_0, LABEL_1, and it is unclear which of them is positive"
    ):
        load(classifier_pair(("LABEL_0", "LABEL_1")), name="c").rate(TEXTS)
    with pytest.raises(ModelError, match="one output is a regression; a sentiment needs two classes or more"):
        load(classifier_pair(("score",)), name="c").rate(TEXTS)


def test_a_language_model_is_no_classifier(tmp_path):
    model, tokenizer = pair("bert-uncased")
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(
        ModelError, match="names BertForMaskedLM, a masked language model, and its scores as a classifier"
    ):
        biascheck.load(tmp_path, kind="classifier")
    with pytest.raises(
        UsageError, match="positive and window are for text classifiers; this is a masked language model"
    ):
        load(tmp_path, positive="good")


def test_a_random_head_is_refused(tmp_path):
    model, tokenizer = pair("bert-uncased")
    model.base_model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    config = json.loads(file.read_text()) | {"architectures": ["BertForSequenceClassification"]}
    file.write_text(json.dumps(config))
    with pytest.raises(ModelError, match="would be random numbers; scores of such a head mean nothing"):
        biascheck.load(tmp_path, kind="classifier")


def test_pickled_weights_are_refused(folder):
    torch.save(classifier_pair()[0].state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="the weights are pickled"):
        biascheck.load(folder, kind="classifier")


def test_a_function_is_asked_for_each_text_once_short_ones_first():
    asked = []

    def rate(texts):
        asked.extend(texts)
        return [len(text) / 100 for text in texts]

    found = as_classifier(rate).rate(["ccc", "a", "bb", "a", "ccc"])
    assert asked == ["a", "bb", "ccc"]
    assert found == [0.03, 0.01, 0.02, 0.01, 0.03]


def test_a_function_has_a_name_and_a_fingerprint_of_its_own():
    def cheerful(texts):
        return [1.0] * len(texts)

    first, second = as_classifier(cheerful), as_classifier(cheerful)
    assert first.name == "cheerful"
    assert first.fingerprint != second.fingerprint
    assert not first.is_persistent
    assert as_classifier(cheerful, fingerprint="v1").fingerprint == "v1"


class WordCount:
    """What scikit-learn's estimators have: classes_ and predict_proba."""

    classes_ = ("neg", "pos")

    def predict_proba(self, texts):
        return [(1 - len(text.split()) / 100, len(text.split()) / 100) for text in texts]


def test_an_estimator():
    classifier = as_classifier(WordCount())
    assert (classifier.name, classifier.rate(["one two"])) == ("WordCount", [0.02])
    assert as_classifier(WordCount(), positive="neg").rate(["one two"]) == [0.98]
    assert classifier.fingerprint == as_classifier(WordCount()).fingerprint
    with pytest.raises(
        UsageError, match="the classes of WordCount are neg, pos, and it is unclear which of them is positive"
    ):
        as_classifier(WordCount(), positive="good")


def test_a_real_scikit_learn_pipeline():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    fitted = make_pipeline(CountVectorizer(), LogisticRegression()).fit(["good day", "bad day"] * 4, [1, 0] * 4)
    classifier = as_classifier(fitted, positive=1)
    assert classifier.rate(["good day"])[0] == pytest.approx(fitted.predict_proba(["good day"])[0][1])
    with pytest.raises(UsageError, match="are 0, 1, and it is unclear which of them is positive; set positive="):
        as_classifier(fitted)
    with pytest.raises(UsageError, match="has no classes; fit it first"):
        as_classifier(make_pipeline(CountVectorizer(), LogisticRegression()))


def test_a_transformers_pipeline():
    model, tokenizer = classifier_pair()
    pipe = transformers.TextClassificationPipeline(model=model, tokenizer=tokenizer)
    classifier = as_classifier(pipe, name="pipe")
    expected = [by_hand(model, tokenizer, text) for text in TEXTS]
    assert classifier.rate(TEXTS) == pytest.approx(expected, abs=1e-5)
    assert classifier.fingerprint == as_classifier(pipe).fingerprint
    assert classifier.is_persistent


def test_what_is_a_classifier_already_is_handed_back():
    loaded = load(classifier_pair())
    assert as_classifier(loaded) is loaded
    mine = TextClassifier(lambda texts: [0.5] * len(texts))
    assert as_classifier(mine) is mine


def test_ratings_that_cannot_be_used():
    with pytest.raises(ScoreError, match=r"a rating is 1\.5; return probabilities, from 0 to 1"):
        as_classifier(lambda texts: [1.5] * len(texts)).rate(["x"])
    with pytest.raises(ScoreError, match="1 texts, 2 ratings; return one for each"):
        as_classifier(lambda _texts: [0.5, 0.5]).rate(["x"])
    with pytest.raises(UsageError, match="str is not a text classifier; pass a function from texts to P"):
        as_classifier("bert-base")


@pytest.mark.parametrize(
    ("keep", "expected"),
    [("head", (1, 10, 11, 12, 2)), ("tail", (1, 17, 18, 19, 2)), ("both", (1, 10, 11, 19, 2))],
)
def test_windows(keep, expected):
    ids = (1, *range(10, 20), 2)
    special = (1, *([0] * 10), 1)
    assert Window(5, keep).cut(ids, special) == expected
    assert Window(12, keep).cut(ids, special) == ids


@given(st.integers(4, 40), st.sampled_from(["head", "tail", "both"]), st.integers(0, 60))
def test_a_window_is_never_longer_and_keeps_the_ends(pieces, keep, length):
    ids = (1, *range(10, 10 + length), 2)
    cut = Window(pieces, keep).cut(ids, (1, *([0] * length), 1))
    assert len(cut) == min(len(ids), pieces)
    assert (cut[0], cut[-1]) == (1, 2)


def test_a_text_is_read_through_its_window():
    _, tokenizer = pair("bert-uncased")
    (cut,) = read_through(Window(5, "tail"), ["My son is a nurse."], tokenizer)
    assert tokenizer.decode(cut, skip_special_tokens=True) == "a nurse."
