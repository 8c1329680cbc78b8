"""Tiny models gain nothing from threads, and what they leave behind goes into a folder of the test's own."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
