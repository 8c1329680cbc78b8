"""Tiny models gain nothing from threads and lose much to them on a busy machine."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
