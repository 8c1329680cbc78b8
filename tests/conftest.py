"""Where the published data and the golden figures lie; tests that need them skip where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
