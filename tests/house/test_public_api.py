"""The names that users rely on. A name that leaves these lists leaves someone's test suite."""

import importlib
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import biascheck

ROOT = Path(__file__).resolve().parents[2]

PUBLIC = [
    "BiasAssertionError",
    "BiascheckError",
    "BiascheckWarning",
    "CapabilityError",
    "Comparison",
    "CorpusError",
    "DataNotFoundError",
    "EndpointError",
    "Gate",
    "InconclusiveWarning",
    "ModelError",
    "Result",
    "ResultError",
    "ScoreError",
    "UsageError",
    "__version__",
    "as_classifier",
    "assert_absolute_delta_below",
    "assert_all_within",
    "assert_association_within",
    "assert_below",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_contrast_within",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_invariant",
    "assert_neighbour_correlation_below",
    "assert_no_regression",
    "assert_no_sentiment_delta",
    "assert_reduced",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_typical_gap_below",
    "assert_utility_kept",
    "assert_weat_within",
    "assert_within_margin",
    "compare",
    "corpora",
    "encoder_of",
    "engine",
    "extend",
    "load",
    "load_served",
    "load_vectors",
    "measure",
    "measures",
    "mitigation",
    "models",
    "read_results",
    "show",
    "strategies",
    "testing",
    "write_results",
]

EXTEND = [
    "Answer",
    "Attribute",
    "CausalModel",
    "ChatModel",
    "Choice",
    "ChoiceQuery",
    "Classifier",
    "Context",
    "ContinuationModel",
    "ContinuationQuery",
    "Corpus",
    "CorpusLike",
    "Correlations",
    "Description",
    "Draws",
    "Encoder",
    "Entry",
    "ExplainedVariance",
    "Facts",
    "Generator",
    "Groups",
    "Histogram",
    "Interval",
    "ItemScore",
    "Label",
    "LeftOut",
    "Lexicon",
    "Loaded",
    "MapPoint",
    "MaskedModel",
    "MaskedQuery",
    "Masking",
    "Model",
    "Pair",
    "PersonGroup",
    "Point",
    "ProfessionBar",
    "ProfessionBars",
    "Published",
    "RecordedScores",
    "Refusal",
    "Result",
    "Sample",
    "Scatter",
    "Sentence",
    "SentenceQuery",
    "Shown",
    "SideBias",
    "Skipped",
    "Span",
    "State",
    "StaticVectors",
    "Table",
    "Target",
    "Template",
    "TwoSided",
    "WordMap",
    "WordQuery",
    "capabilities_of",
    "choose",
    "cross",
    "derived_measure",
    "draft",
    "measure",
    "require_capability",
    "shown",
    "summarise",
]

ROOMS = ["corpora", "extend", "measures", "mitigation", "models", "strategies", "testing"]
HOMES = {"strategies": "biascheck.worst_cases.strategies"}


def test_the_public_names_are_these():
    assert biascheck.__all__ == PUBLIC


def test_the_names_for_extending_are_these():
    assert biascheck.extend.__all__ == EXTEND


def test_dir_shows_the_public_names():
    assert dir(biascheck) == PUBLIC


def test_names_are_declared_once_and_in_order():
    assert sorted(set(PUBLIC)) == PUBLIC
    assert sorted(set(EXTEND)) == EXTEND
    assert set(ROOMS) < set(PUBLIC)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in (*ROOMS, "__version__")])
def test_every_name_resolves_to_the_thing_itself(name):
    thing = getattr(biascheck, name)
    assert thing.__name__ == name
    home = importlib.import_module(thing.__module__)
    assert getattr(home, name) is thing
    assert thing.__doc__


@pytest.mark.parametrize("name", ROOMS)
def test_every_room_resolves(name):
    assert getattr(biascheck, name) is importlib.import_module(HOMES.get(name, f"biascheck.{name}"))


@pytest.mark.parametrize("name", [*ROOMS, "papers", "stats"])
def test_the_names_of_a_room_resolve_too(name):
    room = importlib.import_module(HOMES.get(name, f"biascheck.{name}"))
    assert len(set(room.__all__)) == len(room.__all__)
    for public in room.__all__:
        assert getattr(room, public) is not None


def test_the_version_is_that_of_the_distribution():
    assert biascheck.__version__ == version("pytest-biascheck")


def test_names_resolve_in_a_fresh_process_whichever_comes_first(tmp_path):
    script = "from biascheck import *; print(sorted(n for n in globals() if n[0] != '_'))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == (str(sorted(set(PUBLIC) - {"__version__"})), "")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No biascheck attribute associations"):
        _ = biascheck.associations
    with pytest.raises(ImportError):
        from biascheck import associations  # noqa: F401


def test_errors_are_of_one_tree():
    from biascheck.core import errors

    kinds = {name for name, thing in vars(errors).items() if isinstance(thing, type)}
    for name in kinds - {"BiasAssertionError"}:
        root = biascheck.BiascheckWarning if name.endswith("Warning") else biascheck.BiascheckError
        assert issubclass(getattr(errors, name), root)
    assert kinds < set(PUBLIC)
    assert issubclass(biascheck.BiasAssertionError, AssertionError)
    assert not issubclass(biascheck.BiasAssertionError, biascheck.BiascheckError)
    assert issubclass(biascheck.BiascheckWarning, UserWarning)
