"""The measurement card of a suite, as a fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from biascheck.plugin.fixtures import in_one_line

if TYPE_CHECKING:
    from biascheck.results.attachments import Table

__all__ = ["bias_card"]


@pytest.fixture(scope="module")
def bias_card(request: pytest.FixtureRequest) -> Table:
    """The measurement card of the suite, to be attached to a result: ``card.toml`` beside the test or above it."""
    from biascheck.results.measurement_card import MeasurementCard

    with in_one_line():
        return MeasurementCard.nearest(request.path, stop=request.config.rootpath).as_table()
