"""A text classifier under pytest: given as the model, or fine-tuned from it, alone and among workers."""

import pytest

import biascheck.mitigation
import biascheck.papers
from biascheck.mitigation import ClassifierRecipe, fine_tune_classifier
from biascheck.models.local.bundled import build_reference

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
build_reference("reference:tiny")

SUITE = """
    import pytest
    import biascheck
    from biascheck.corpora import Reviews
    from biascheck.mitigation import ClassifierRecipe

    RECIPE = ClassifierRecipe(epochs=1, batch=8, pieces=16, learning_rate=1e-3)
    FEW = Reviews("few", biascheck.corpora.reviews().items[:24])

    @pytest.mark.parametrize("condition", ["original", "mix-all"])
    def test_delta(condition, bias_classifier, bias_seed):
        classifier = bias_classifier(condition, FEW, RECIPE)
        result = biascheck.measures.sentiment_delta(classifier, biascheck.corpora.review_pairs(FEW), seed=bias_seed)
        biascheck.assert_no_sentiment_delta(result, margin=0.2, competence="ignore", reason="hardly trained")
"""


@pytest.fixture
def classifier_folder(monkeypatch, tmp_path):
    """A classifier of ours, as a folder."""
    from biascheck.corpora import Reviews, reviews

    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "made"))
    recipe = ClassifierRecipe(epochs=1, batch=8, pieces=16)
    made = fine_tune_classifier(biascheck.load("reference:tiny"), Reviews("few", reviews().items[:24]), recipe)
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    return made.torch_model.config.name_or_path


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_masked_model_is_fine_tuned_once(project, own_cache, workers):
    run = project(SUITE, "--bias-model", "reference:tiny", *workers)
    run.assert_outcomes(passed=2)
    checkpoints = [path for path in (own_cache / "checkpoints").iterdir() if path.is_dir()]
    assert len(checkpoints) == 2
    before = {path: path.stat().st_mtime_ns for path in checkpoints}
    project(SUITE, "--bias-model", "reference:tiny", *workers).assert_outcomes(passed=2)
    assert {path: path.stat().st_mtime_ns for path in (own_cache / "checkpoints").iterdir() if path.is_dir()} == before


def test_a_classifier_is_measured_as_it_is(project, own_cache, classifier_folder):
    run = project(SUITE, "--bias-model", classifier_folder, "-rs")
    run.assert_outcomes(passed=1, skipped=1)
    run.stdout.fnmatch_lines(["*is a classifier already; mix-all is about how one is trained*"])
    assert not (own_cache / "checkpoints").exists()


def test_a_causal_model_is_asked_and_not_trained(project, pytester, own_cache):

    from support.tiny import fresh_pair

    model, tokenizer = fresh_pair("llama")
    model.config.max_position_embeddings = 512  # rotary positions have no table that ends
    model.save_pretrained(pytester.path / "llama")
    tokenizer.save_pretrained(pytester.path / "llama")
    run = project(SUITE, "--bias-model", "./llama", "-rs")
    run.assert_outcomes(passed=1, skipped=1)
    run.stdout.fnmatch_lines(["*is asked, not trained; mix-all is about how one is trained*"])
    assert not (own_cache / "checkpoints").exists()
