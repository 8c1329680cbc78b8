"""Fixtures of several folders; those that name them in their conftest.py have them."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tiny models gain nothing from threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
