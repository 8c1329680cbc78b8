"""Servers on this machine: one that pretends, and a real llama.cpp."""

import httpcore  # noqa: F401 - pytester forgets what was first imported inside a run
import pytest

from biascheck.models.served.transport import Patience
from support.llama_server import LlamaServer, gguf
from support.pretend_server import PretendServer

QUICK = Patience(first_wait=0.001, longest_wait=0.01, timeout=5.0, connect=5.0)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("BIASCHECK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits long for a server that misbehaves on purpose."""
    monkeypatch.setattr("biascheck.models.served.transport.Patience", lambda: QUICK)
    return QUICK


@pytest.fixture
def server():
    with PretendServer() as pretending:
        yield pretending


@pytest.fixture(scope="session")
def llama():
    server = LlamaServer(gguf()).start()
    yield server
    server.kill()
