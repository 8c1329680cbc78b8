"""Killed fine-tunings leave nothing half-written, and end with the same weights as one that was never killed."""

import multiprocessing
import os

import pytest

from support.kills import MOMENTS, SIGNALS, campaign


def killed(folder, kills, seed):
    """Run a campaign in a process of its own, which has no threads and has never trained, so it may fork."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    warm = context.Process(target=campaign, args=(str(folder), kills, seed, answers))
    warm.start()
    landed, faults, compared = answers.get(timeout=3600)
    warm.join()
    return landed, faults, compared


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")


@forks
def test_three_kills(tmp_path):
    landed, faults, compared = killed(tmp_path, 3, seed=1)
    assert faults == []
    assert sum(landed.values()) == 3
    assert compared >= 1


@forks
@pytest.mark.slow
def test_sixty_kills(tmp_path):
    landed, faults, compared = killed(tmp_path, 60, seed=2)
    print(f"{sum(landed.values())} kills landed inside training: {landed}; {compared} resumed runs compared")
    assert faults == []
    assert sum(landed.values()) >= 60
    assert landed.keys() == {f"{how}, {moment}" for how in SIGNALS for moment in MOMENTS}
