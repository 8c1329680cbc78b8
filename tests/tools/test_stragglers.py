"""The simulation of slow and lost workers, where the answer is known."""

import importlib.util
import sys
from math import ceil
from pathlib import Path

import numpy as np
import pytest


def _module():
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "stragglers.py"
    spec = importlib.util.spec_from_file_location("stragglers_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


stragglers = _module()


@pytest.mark.parametrize(("workers", "chunks"), [(1, 1), (1, 7), (3, 2), (3, 9), (3, 10), (8, 1000), (5, 0)])
def test_equal_workers_need_as_many_rounds_as_it_takes(workers, chunks):
    found = stragglers.simulate(stragglers.Cluster(workers=workers), chunks, 2.0)
    assert found == stragglers.Outcome(2.0 * ceil(chunks / workers), 0, 0.0)


def test_a_slow_worker_keeps_the_chunk_that_waits_for_it():
    """Two workers, one three times slower, four chunks of 1 s: the slow one has both of its own at 6 s."""
    cluster = stragglers.Cluster(workers=2, slow_share=0.5, slow_factor=3.0)
    assert stragglers.simulate(cluster, 4, 1.0).makespan == 6.0


@pytest.mark.parametrize(("losses", "restart"), [(60.0, 5.0), (360.0, 1.0)])
def test_one_worker_that_is_lost_needs_what_the_closed_form_says(losses, restart):
    cluster = stragglers.Cluster(workers=1, losses_per_hour=losses, restart=restart)
    found = [stragglers.simulate(cluster, 50, 10.0, seed).makespan for seed in range(400)]
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - stragglers.expected_alone(cluster, 50, 10.0)) < 4 * error
    assert stragglers.expected_alone(stragglers.Cluster(workers=1), 50, 10.0) == 500.0
