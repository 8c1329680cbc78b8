"""Whole runs of pytest on servers of this machine."""

from support.fixtures import own_cache
from support.servers import llama, no_keys, quick, server

__all__ = ["llama", "no_keys", "own_cache", "quick", "server"]
