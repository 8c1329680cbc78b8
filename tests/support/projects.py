"""A user's project in a temporary folder, with its own cache."""

import shutil
from pathlib import Path
from textwrap import dedent

import pytest

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
import biascheck.gates.margins
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.report.ci
import biascheck.report.markdown
import biascheck.runs.baseline  # noqa: F401
from support.artefacts import OUTPUTS, Artefacts

HANDMADE = Path(__file__).with_name("handmade.py")
HEAD = """
import os
from dataclasses import replace
import pytest
import biascheck
from handmade import PROVENANCE, items_of, result_of, spread

pytestmark = pytest.mark.bias

def result(centre=0.1, width=0.05, clusters=10, on=None, by="m", **fields):
    origin = replace(PROVENANCE, corpus_fingerprint=str(on or centre), model_fingerprint=by)
    return result_of(items_of(spread(centre, width, clusters)), provenance=origin, **fields)
"""

SUITE = """
    import biascheck

    def test_jobs(bias_model, bec_pro, bias_seed):
        result = biascheck.measures.association(bias_model, bec_pro.where(template="is-a"), seed=bias_seed)
        reason = "random weights read nothing, and show how a run goes"
        biascheck.assert_association_within(result, margin=0.5, competence="ignore", reason=reason)
"""

TABLE_SUITE = """
    import pytest
    import biascheck
    from biascheck.corpora import Attribute, Corpus, Target, Template, cross
    from biascheck.testing import TableModel

    JOBS = ["nurse", "plumber", "judge", "baker", "pilot", "cook"]

    @pytest.fixture(scope="session")
    def model():
        gaps = {"nurse": (0.1, 0.9), "plumber": (0.9, 0.1)}
        table = {job: dict(zip(("he", "she"), gaps.get(job, (0.8, 0.2)))) for job in JOBS}
        return TableModel(table, {"he": 0.5, "she": 0.5}, name="table")

    @pytest.fixture(scope="session")
    def corpus():
        targets = [(Target("he", "male"), Target("she", "female"))]
        pairs = cross([Template("{target} is a {attribute}.", "is-a")], targets, [Attribute(job) for job in JOBS])
        return Corpus("jobs", ("male", "female"), pairs)

    def test_tight(model, corpus):
        biascheck.assert_association_within(biascheck.measures.association(model, corpus), margin=0.2)

    def test_loose(model, corpus):
        biascheck.assert_association_within(biascheck.measures.association(model, corpus), margin=9)
"""


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)


@pytest.fixture
def project(pytester):
    """Run pytest in a folder with these files; the plugin is loaded whether or not it is installed."""

    def run(suite, *args, **files):
        pytester.makepyfile(test_bias=suite)
        for name, text in files.items():
            pytester.makefile(".toml", **{name: text})
        return pytester.runpytest("-p", "biascheck.plugin", "-p", "no:cacheprovider", *args)

    return run


@pytest.fixture(scope="session")
def torch_is_loaded():
    """Torch cannot be imported twice either, and takes long: only for tests that need a model."""
    from biascheck.models.local.bundled import build_reference

    build_reference("reference:tiny")


@pytest.fixture
def suite(torch_is_loaded):  # noqa: ARG001
    return SUITE


@pytest.fixture
def table_suite():
    return TABLE_SUITE


@pytest.fixture
def tiny(pytester, monkeypatch):
    """Run tests on results made by hand, with every output that there is; no model is needed, so a run is short."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    shutil.copy(HANDMADE, pytester.path)

    def run(tests, *arguments, subprocess=False, outputs=OUTPUTS, cache=("-p", "no:cacheprovider")):
        (pytester.path / "test_tiny.py").write_text(HEAD + dedent(tests), encoding="utf-8")
        start = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
        return Artefacts(start("-p", "biascheck.plugin", *cache, *outputs, *arguments), pytester.path)

    run.folder, run.head = pytester.path, HEAD
    return run
