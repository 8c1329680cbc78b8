"""The names that users rely on. A name that leaves this list leaves someone's test suite."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import biascheck

ROOT = Path(__file__).resolve().parent.parent

PUBLIC = [
    "BiasAssertionError",
    "BiascheckError",
    "BiascheckWarning",
    "Comparison",
    "Corpus",
    "Documents",
    "Gate",
    "Lexicon",
    "Pair",
    "Result",
    "Sentence",
    "Span",
    "absolute_delta",
    "absolute_gap",
    "as_classifier",
    "assert_absolute_delta_below",
    "assert_all_within",
    "assert_association_within",
    "assert_below",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_neighbour_correlation_below",
    "assert_no_regression",
    "assert_no_sentiment_delta",
    "assert_reduced",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_utility_kept",
    "assert_weat_within",
    "assert_within_margin",
    "association",
    "bec_pro",
    "biased_words",
    "classifier_accuracy",
    "cluster_accuracy",
    "compare",
    "competency",
    "competency_effect",
    "corpus_from_table",
    "corpus_from_templates",
    "counterfactual",
    "delta_table",
    "direct_bias",
    "effect_size",
    "employment",
    "encoder_of",
    "female_share",
    "fine_tune",
    "fine_tune_classifier",
    "gender_f1",
    "gender_pairs",
    "gender_subspace",
    "hard_debiased",
    "held_out_loss",
    "kurita_weat",
    "lexicon_from_templates",
    "lexicon_from_text",
    "load",
    "load_vectors",
    "measure",
    "mitigation_table",
    "neighbour_correlation",
    "neither_gap",
    "neutral_professions",
    "occupation_table",
    "online",
    "pairwise_associations",
    "positive_share",
    "profession_table",
    "pronoun_error",
    "pronoun_gap",
    "pronoun_resolution",
    "published_gap",
    "published_gap_texts",
    "published_imdb",
    "published_winobias",
    "rated_competency",
    "read_documents",
    "read_results",
    "religion",
    "resolution",
    "resolution_ratio",
    "review_pairs",
    "reviews",
    "sentiment_delta",
    "skew",
    "skew_of",
    "stereotype",
    "stereotype_of",
    "task_error",
    "topic_correlation",
    "weat",
    "weat_test",
    "winograd",
    "with_projected_bias",
    "workforce_correlation",
    "write_results",
]


def test_the_public_names_are_these():
    assert biascheck.__all__ == PUBLIC


def test_dir_shows_the_public_names():
    assert dir(biascheck) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_resolves_to_the_thing_itself(name):
    thing = getattr(biascheck, name)
    assert thing.__name__ == name
    home = importlib.import_module(thing.__module__)
    assert getattr(home, name) is thing
    assert thing.__doc__


def test_names_resolve_in_a_fresh_process_whichever_comes_first(tmp_path):
    script = "from biascheck import *; print(sorted(n for n in globals() if n[0] != '_'))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == (str(sorted(PUBLIC)), "")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'biascheck' has no attribute 'associations'"):
        _ = biascheck.associations
    with pytest.raises(ImportError):
        from biascheck import associations  # noqa: F401


def test_errors_are_of_one_tree():
    from biascheck import errors

    for name in set(errors.__all__) - {"BiasAssertionError"}:
        root = biascheck.BiascheckWarning if name.endswith("Warning") else biascheck.BiascheckError
        assert issubclass(getattr(errors, name), root)
    assert issubclass(biascheck.BiasAssertionError, AssertionError)
    assert not issubclass(biascheck.BiasAssertionError, biascheck.BiascheckError)
    assert issubclass(biascheck.BiascheckWarning, UserWarning)


@pytest.mark.parametrize("name", ["corpora", "measures", "stats", "errors", "testing"])
def test_the_names_of_a_part_resolve_too(name):
    part = importlib.import_module(f"biascheck.{name}")
    assert sorted(set(part.__all__)) == sorted(part.__all__)
    for public in part.__all__:
        getattr(part, public)
