"""``biascheck.load_served``: a model by the address of its server."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from biascheck.cache.document_cache import cache_folder, digest_of
from biascheck.cache.kept_answers import CachedAnswers
from biascheck.errors import UsageError
from biascheck.models.adapters.served.allowance import Allowance
from biascheck.models.adapters.served.asking import Asker, Pace
from biascheck.models.adapters.served.endpoint import Endpoint
from biascheck.models.adapters.served.handshake import HANDSHAKE_TOLERANCE, TEXT_PROBES, Handshake, shake_hands
from biascheck.models.adapters.served.served_model import (
    ServedChatModel,
    ServedGenerator,
    ServedModel,
    ServedTokenLister,
)
from biascheck.models.adapters.served.transport import Patience, Transport

__all__ = ["ServedOptions", "load_served"]

ROOM = "answers"


class ServedOptions(TypedDict, total=False):
    """The options of :func:`load_served`."""

    name: str | None
    max_requests: int | None
    concurrency: int | None
    price: float | None
    cache_answers: bool
    patience: Patience | None


def load_served(
    spec: str,
    *,
    name: str | None = None,
    max_requests: int | None = None,
    concurrency: int | None = None,
    price: float | None = None,
    cache_answers: bool = True,
    patience: Patience | None = None,
) -> ServedGenerator:
    """Load a model behind an endpoint: ``openai:http://host:port/v1#name``, ``vllm:…`` or ``llamacpp:…``.

    A handshake decides in which way the server is asked, and refuses one whose figures cannot be those of a language
    model; ``handshake`` of the model says how it went. A model that gives no log-probabilities can only ``generate``.

    ``max_requests`` is a budget for all of them, ``concurrency`` how many texts are asked at a time (as many as a
    llama.cpp server has slots, else 8), ``price`` that of a million tokens, for the estimate before a long run. With
    ``cache_answers`` every answer is kept in the cache, so that nothing is paid for twice. A key is read from the
    environment variable BIASCHECK_API_KEY or OPENAI_API_KEY and kept nowhere.
    """
    if concurrency is not None and concurrency < 1:
        raise UsageError(f"concurrency {concurrency} asks nothing; give 1 or more")
    endpoint = Endpoint.parse(spec)
    allowance = Allowance(max_requests)
    transport = Transport(endpoint, patience=patience, allowance=allowance)
    handshake = shake_hands(transport, concurrency)
    cached = CachedAnswers(_file_of(handshake) if cache_answers else None)
    identity = _identity(handshake, cached)
    asker = Asker(
        title=name or handshake.facts.name,
        identity=identity,
        cached=cached,
        allowance=allowance,
        pace=_pace(handshake, price),
    )
    if handshake.route is None:
        lister = ServedTokenLister if handshake.chat.lists_tokens else ServedGenerator
        return lister(handshake, asker, name=asker.title)
    kind = ServedChatModel if handshake.route.chats else ServedModel
    return kind(handshake, asker, name=asker.title)


def _declared(handshake: Handshake) -> str:
    opening = handshake.route.opening if handshake.route is not None else ""
    return digest_of([handshake.facts.identity, opening])


def _file_of(handshake: Handshake) -> Path:
    return cache_folder() / ROOM / f"{_declared(handshake)}.jsonl"


def _identity(handshake: Handshake, cached: CachedAnswers) -> str:
    """A digest of what the server says of itself, and of the weights as far as they show.

    Another model under the same name gives other figures for the sentences of the handshake. Figures that were seen
    before count as those, so that the last digits, in which a server may differ from day to day, do not matter.
    """
    cached.refresh()
    count = 0
    while (known := cached.get(f"weights {count}")) is not None:
        if len(known) == len(handshake.scores) and all(
            abs(before - now) <= HANDSHAKE_TOLERANCE for before, now in zip(known, handshake.scores, strict=True)
        ):
            return digest_of([_declared(handshake), known])
        count += 1
    scores = list(handshake.scores)
    cached.add(f"weights {count}", scores)
    return digest_of([_declared(handshake), scores])


def _pace(handshake: Handshake, price: float | None) -> Pace:
    if handshake.route is None:
        return Pace(concurrency=handshake.concurrency, price=price)
    return Pace(
        seconds=handshake.seconds,
        requests=handshake.route.requests,
        tokens=handshake.tokens / sum(len(sentence) for sentence, _ in TEXT_PROBES),
        concurrency=handshake.concurrency,
        price=price,
    )
