"""Where the published data and the golden figures lie; tests that need them skip where they are absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascheck.cache.document_cache import caching
from biascheck.gates.recording import recording

ROOT = Path(__file__).resolve().parent.parent


def _directory(variable: str, default: Path) -> Path:
    directory = Path(os.environ.get(variable, default))
    if not directory.is_dir():
        pytest.skip(f"{directory.name} not found; set {variable} to its directory")
    return directory


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The directory of published corpora: $BIASCHECK_DATA or ../shared/data."""
    return _directory("BIASCHECK_DATA", ROOT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def gold() -> Path:
    """The directory of golden figures: $BIASCHECK_GOLD or ../shared/gold."""
    return _directory("BIASCHECK_GOLD", ROOT.parent / "shared" / "gold")


@pytest.fixture(autouse=True)
def tests_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Gates that our own tests judge are no finding about a model, and nothing is kept for the next run."""
    for variable in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(variable, raising=False)
    with recording(lambda _gate, _result: None), caching(None):
        yield
