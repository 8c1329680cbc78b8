"""Servers on this machine: one that pretends, and a real llama.cpp."""

from support.fixtures import own_cache
from support.servers import llama, no_keys, quick, server

__all__ = ["llama", "no_keys", "own_cache", "quick", "server"]
