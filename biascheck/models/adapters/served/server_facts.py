"""What a server says of itself: its kind and version, the model, its quantisation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from biascheck.errors import ModelError
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["ServerFacts", "server_facts"]

LASTING = ("owned_by", "root", "parent", "max_model_len", "meta")
"""What describes a model in a list of models and stays the same from one day to the next."""
NAMES = {"vllm": "vLLM", "llamacpp": "llama.cpp"}


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A model as its server describes it. ``props`` are those of llama.cpp; elsewhere they are empty."""

    runtime: str
    version: str
    model: str
    record: Mapping[str, Any] = field(default_factory=dict)
    props: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model for people: of a path, the last part."""
        return PurePath(self.model).name or self.model

    @property
    def quantisation(self) -> str:
        """How the weights are stored, where the server says so."""
        meta = self.record.get("meta") or {}
        return str(self.props.get("model_ftype") or meta.get("ftype") or "not stated")

    @property
    def slots(self) -> int | None:
        """How many texts a llama.cpp server reads at a time."""
        stated = self.props.get("total_slots")
        return stated if isinstance(stated, int) and stated > 0 else None

    @property
    def in_words(self) -> dict[str, str]:
        """For a reader of results."""
        parameters = (self.record.get("meta") or {}).get("n_params")
        stated = {
            "runtime": self.runtime,
            "version": self.version,
            "served model": self.name,
            "quantisation": self.quantisation,
            "parameters": f"{parameters:,}" if isinstance(parameters, int) else "",
        }
        return {name: value for name, value in stated.items() if value}

    @property
    def identity(self) -> list[object]:
        """What makes it the same model to us, as plain values."""
        template = str(self.props.get("chat_template") or "")
        stated = {name: self.record.get(name) for name in LASTING if name != "root"}
        return [
            self.runtime,
            self.version,
            self.name,
            self.quantisation,
            stated,
            hashlib.sha256(template.encode()).hexdigest(),
        ]


def server_facts(transport: Transport) -> ServerFacts:
    """Ask a server what it is and what it serves."""
    endpoint = transport.endpoint
    models = _models(transport)
    record = _chosen(models, transport)
    owner = str(record.get("owned_by") or "")
    runtime = owner if owner in NAMES else endpoint.scheme
    props = _asked(transport, f"{endpoint.root}/props") if runtime == "llamacpp" else {}
    version = str(props.get("build_info") or "")
    if runtime == "vllm":
        version = str(_asked(transport, f"{endpoint.root}/version").get("version") or "")
    name = str(record.get("id") or endpoint.model)
    return ServerFacts(NAMES.get(runtime, "OpenAI-compatible"), version, name, record, props)


def _models(transport: Transport) -> Sequence[Mapping[str, Any]]:
    listed = _asked(transport, f"{transport.endpoint.api}/models").get("data")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _chosen(models: Sequence[Mapping[str, Any]], transport: Transport) -> Mapping[str, Any]:
    wanted = transport.endpoint.model
    known = [str(one.get("id")) for one in models]
    if wanted:
        named = [one for one in models if wanted in (one.get("id"), *(one.get("aliases") or ()))]
        if not named and models and transport.endpoint.scheme != "llamacpp":  # which has one and takes any name
            raise ModelError(f"{transport.endpoint}: there is no such model; the server has: {', '.join(known)}")
        return next(iter(named or models), {})
    if len(models) == 1:
        return models[0]
    has = f"has several: {', '.join(known)}" if models else "does not list its models"
    raise ModelError(f"{transport.endpoint}: name the model after #; the server {has}")


def _asked(transport: Transport, url: str) -> Mapping[str, Any]:
    try:
        found = transport.get(url)
    except RejectedError:
        return {}
    return found if isinstance(found, dict) else {}
