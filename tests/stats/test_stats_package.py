from __future__ import annotations

import subprocess
import sys

import pytest

from biascheck import stats


def test_every_public_name_resolves_and_is_listed():
    assert len(stats.__all__) == len(set(stats.__all__)) > 50
    for name in stats.__all__:
        assert getattr(stats, name) is not None
    assert set(dir(stats)) == set(stats.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="bootstrapped"):
        _ = stats.bootstrapped  # type: ignore[attr-defined]


def test_judging_an_interval_imports_no_scipy():
    script = (
        "import sys; from biascheck.stats import Interval, verdict_of; verdict_of(Interval(0, 1, 0.95, 'x'), 2.0);"
        "from biascheck.stats import Sample, estimate; estimate(Sample([1.0], ('a',)), 'mean');"
        "print('scipy' in sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert shown.stdout.strip() == "False"
