"""The suite of StereoSet on the authors' scores: every gate can be decided, whatever is asked of a model."""

import shutil
from pathlib import Path

import pytest

from biascheck.runs.file import read_run

SUITES = Path(__file__).resolve().parents[3] / "suites"
MODEL = """
    import gzip
    import json

    import pytest
    from biascheck.extend import RecordedScores

    @pytest.fixture(scope="session")
    def bias_model(bias_data):
        (path,) = (bias_data / "stereoset" / "predictions").glob("gpt2_*.json.gz")
        parts = json.loads(gzip.decompress(path.read_bytes()))
        return RecordedScores("gpt2", {row["id"]: row["score"] for rows in parts.values() for row in rows})
"""


@pytest.mark.parametrize(
    ("flags", "gates"),
    [(("--bias-profile", "watch"), 4), (("--bias-profile", "strict"), 4), (("--bias-share", "0.3"), 2)],
)
def test_no_gate_is_refused(pytester, monkeypatch, shared_data, flags, gates):
    """Two kinds and two domains; of a share, the kinds only."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    shutil.copytree(SUITES, pytester.path / "suites")
    pytester.makeconftest(MODEL)
    plain = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib")
    chosen = ("suites/nadeem2021", "-k", "published", "--bias-data", str(shared_data))
    output = pytester.runpytest(*plain, *chosen, *flags, "--bias-results", "results.json").stdout.str()
    found = read_run(pytester.path / "results.json")
    assert len(found.gates) == gates
    assert "crashed" not in output
    assert {dict(result.slice).get("domain") for result in found.results} >= {
        "gender",
        "profession",
        "race",
        "religion",
    }
