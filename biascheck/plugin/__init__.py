"""The pytest plugin. Silent and free in test runs that have nothing to do with bias.

Nothing here imports numpy, scipy, torch or transformers before a bias fixture or a gate is used.
"""

from __future__ import annotations

import re

import pytest

from biascheck.plugin.engines import PlanEngine, SuiteTasks
from biascheck.plugin.fixtures import (
    bec_pro,
    bec_pro_german,
    bias_baseline,
    bias_card,
    bias_classifier,
    bias_data,
    bias_debiased_model,
    bias_finetuned_pair,
    bias_margins,
    bias_model,
    bias_names,
    bias_paper_sizes,
    bias_published,
    bias_recipe,
    bias_seed,
    bias_share,
    bias_skip_unless_readable,
    bias_text,
    religion,
    winograd_t1,
    winograd_t2,
)
from biascheck.plugin.options import add_options, settings_of
from biascheck.plugin.planning import Planning
from biascheck.plugin.roll import MODEL_FIXTURE, is_bias_test, pytest_runtest_call, pytest_runtest_setup
from biascheck.plugin.session import SESSION, BiasSession

__all__ = [
    "bec_pro",
    "bec_pro_german",
    "bias_baseline",
    "bias_card",
    "bias_classifier",
    "bias_data",
    "bias_debiased_model",
    "bias_finetuned_pair",
    "bias_margins",
    "bias_model",
    "bias_names",
    "bias_paper_sizes",
    "bias_published",
    "bias_recipe",
    "bias_seed",
    "bias_share",
    "bias_skip_unless_readable",
    "bias_text",
    "pytest_runtest_call",
    "pytest_runtest_setup",
    "religion",
    "winograd_t1",
    "winograd_t2",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; nothing else happens here."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the session's memory."""
    config.addinivalue_line(
        "markers",
        "bias(judges=True): a test of bias, which fails the run if it judges nothing; tests that use bias_model, "
        "bias_data or bias_baseline carry it by themselves. bias(judges=False): one that only measures. "
        'bias(family="NAME"): judged together with all tests of that family, not only with its own cases',
    )
    # The terminal section shows these gates already.
    config.addinivalue_line("filterwarnings", "ignore::biascheck.core.errors.InconclusiveWarning")
    config.stash[SESSION] = BiasSession(config)
    config.pluginmanager.register(config.stash[SESSION], "biascheck-session")
    config.pluginmanager.register(PlanEngine(config), "biascheck-engine")
    config.pluginmanager.register(SuiteTasks(), "biascheck-suites")
    if config.getoption("--bias-plan"):
        config.pluginmanager.register(Planning(), "biascheck-planning")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that asks for a model once for each ``--bias-model``."""
    if MODEL_FIXTURE not in metafunc.fixturenames:
        return
    models = settings_of(metafunc.config).models
    if models:
        names = [_shown(spec) for spec in models]
        metafunc.parametrize(MODEL_FIXTURE, models, ids=names, indirect=True, scope="session")


def _shown(spec: str) -> str:
    """A model in the name of a test: the name it is given, or the end of its path."""
    given = re.fullmatch(r"(\w[\w .+-]*)=.+", spec)
    return given[1] if given else spec.rstrip("/").rsplit("/", 1)[-1]


@pytest.hookimpl(tryfirst=True)  # before any are deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of bias, so that ``-m bias`` finds them."""
    for item in items:
        if item.get_closest_marker("bias") is None and is_bias_test(item):
            item.add_marker(pytest.mark.bias)
