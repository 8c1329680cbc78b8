"""The address of a served model: ``openai:http://host:port/v1#name``, ``vllm:…``, ``llamacpp:…``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from biascheck.errors import UsageError

__all__ = ["Endpoint", "Scheme", "is_served"]

Scheme = Literal["openai", "vllm", "llamacpp"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
EXAMPLE = "openai:http://127.0.0.1:8000/v1#name"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served, and under which name; the name is empty where the server has one model only.

    ``api`` is the root of the OpenAI-compatible routes, ``root`` that of the routes of the server itself.
    """

    scheme: Scheme
    api: str
    model: str = ""

    @property
    def root(self) -> str:
        """The address without the version of the OpenAI interface."""
        return self.api.removesuffix("/v1")

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine."""
        return urlsplit(self.api).hostname in LOOPBACK

    def __str__(self) -> str:
        return f"{self.scheme}:{self.api}" + (f"#{self.model}" if self.model else "")

    @classmethod
    def parse(cls, spec: str) -> Endpoint:
        """Read what a command line names; a key has no place in it."""
        scheme, _, rest = spec.partition(":")
        address, _, model = rest.partition("#")
        parts = urlsplit(address)
        if scheme not in SCHEMES or parts.scheme not in ("http", "https") or not parts.hostname:
            # an address that cannot be read is not repeated: it may hold a password
            raise UsageError(f"this {scheme}: model has no readable address; write it like {EXAMPLE}")
        if parts.username or parts.password or parts.query:
            raise UsageError(
                f"the address of a served model holds no password and no query; write it like {EXAMPLE}, and put the "
                "key into the environment variable BIASCHECK_API_KEY"
            )
        path = parts.path.rstrip("/")
        return cls(scheme, f"{parts.scheme}://{parts.netloc}{path or '/v1'}", model)


def is_served(spec: object) -> bool:
    """Whether a model is named by the address of a server."""
    return isinstance(spec, str) and spec.startswith(tuple(f"{scheme}:http" for scheme in SCHEMES))
