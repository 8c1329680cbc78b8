"""Before anything is measured: in which way can the server be asked, and can its figures be believed?

A route is taken only if, for sentences of our own, there is one finite log-probability for each token of the prompt,
the tokens spell the prompt, the same sentence has the same figure twice, the beginning of a sentence does not depend on
its end, and each sentence is more probable than its words in another order. Wrong figures must not become a finding: a
server that ignores ``echo`` gives every sentence the same score, which would read as perfect parity.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import PurePath
from time import monotonic
from typing import Any

from biascheck.core.errors import ModelError
from biascheck.models.served.llamacpp import ForcedTokensRoute
from biascheck.models.served.openai import ChatRoute, EchoRoute, PromptScoresRoute
from biascheck.models.served.routes import Route, RouteError, TooLongError, UnusableError
from biascheck.models.served.transport import RejectedError, Transport

# What a server says of itself: its kind and version, the model, its quantisation.

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


TEXT_PROBES = (
    ("The children played in the garden until it was dark.", "dark was The it garden until in played. the children"),
    ("She opened the window because the room was too warm.", "warm room the because too opened window was. She the"),
    ("I would like a cup of tea with some milk, please.", "milk of some please a like tea cup I with, would."),
)
LONGER = " Then they went home."
CONCURRENCY = 8
CLEARLY = 1.0
"""A sentence must be more probable than its shuffle by at least this many nats; any real model exceeds it by far."""
HANDSHAKE_TOLERANCE = 0.02
"""Two readings of one sentence may differ by this many nats; a batch of other size rounds differently."""


@dataclass(frozen=True)
class Handshake:
    """What came of it: the way to ask, or only a way to generate (``route`` is ``None``), and why not the others.

    ``figures`` are ln P of the sentences above: the weights themselves are out of sight, and these tell two apart.
    ``tokens`` is how many tokens they are, ``seconds`` what one text takes where ``concurrency`` are asked at a time.
    """

    facts: ServerFacts
    route: Route | None
    chat: ChatRoute
    refused: tuple[str, ...]
    scores: tuple[float, ...] = ()
    tokens: int = 0
    seconds: float = 0.0
    concurrency: int = 1

    @property
    def abilities(self) -> tuple[str, ...]:
        """What the endpoint can do."""
        return self.route.abilities if self.route is not None else self.chat.abilities

    def __str__(self) -> str:
        how = f"scored by {self.route.name}" if self.route is not None else "not scored"
        facts = ", ".join(self.facts.in_words.values())
        return "; ".join([f"{facts}: {', '.join(self.abilities)}", how, *self.refused])


def shake_hands(transport: Transport, concurrency: int | None = None) -> Handshake:
    """Find the first route whose figures can be believed; ModelError where the server can do nothing for us.

    ``concurrency`` is how many texts are asked at a time: as many as a llama.cpp server has slots, else 8.
    """
    facts = server_facts(transport)
    at_a_time = concurrency or facts.slots or CONCURRENCY
    refused: list[str] = []
    chat = ChatRoute(transport, facts.model)
    for route in _routes(transport, facts):
        try:
            route.prepare()
            scores, tokens, seconds = verified(route, at_a_time)
            route.share_beginnings([sentence for sentence, _ in TEXT_PROBES])
        except (RouteError, UnusableError, RejectedError, TooLongError) as error:
            refused.append(f"not by {route.name}: {error}")
            continue
        return Handshake(facts, route, chat, tuple(refused), scores, tokens, seconds, at_a_time)
    try:
        chat.prepare()
    except (RouteError, UnusableError, RejectedError) as error:
        listed = "; ".join([*refused, f"not by {chat.name}: {error}"])
        raise ModelError(f"{transport.endpoint} cannot be measured: {listed}") from None
    return Handshake(facts, None, chat, tuple(refused), concurrency=at_a_time)


def _routes(transport: Transport, facts: ServerFacts) -> Iterator[Route]:
    """The ways to try: what the scheme names first, then what the server itself turns out to be."""
    if transport.endpoint.scheme == "openai":
        yield EchoRoute(transport, facts.model)
    if facts.runtime == "vLLM":
        yield PromptScoresRoute(transport, facts.model)
    if facts.runtime == "llama.cpp":
        yield ForcedTokensRoute(transport, facts.model, dict(facts.props))


def verified(route: Route, at_a_time: int) -> tuple[tuple[float, ...], int, float]:
    """ln P of each probe, how many tokens they are, and the seconds that a text took.

    UnusableError where no language model has such figures. The texts are asked several at a time, as later on: a
    server on two cores is not eight times as fast with eight texts, and one that mixes them up is noticed.
    """
    texts = [text for probe in TEXT_PROBES for text in probe]
    started = monotonic()
    with ThreadPoolExecutor(at_a_time, thread_name_prefix="biascheck") as pool:
        known = dict(zip(texts, pool.map(route.read, texts), strict=True))
    seconds = (monotonic() - started) / len(texts)
    scores, tokens = [], 0
    for sentence, shuffled in TEXT_PROBES:
        read, other = known[sentence], known[shuffled].total
        score = read.total
        tokens += len(read.tokens)
        if score < other + CLEARLY:
            raise UnusableError(
                f"{sentence!r} has ln P {score:.2f} and its words in another order {other:.2f}; a language model "
                "prefers the sentence"
            )
        scores.append(score)
    _refuse_changing(route, scores[0])
    return tuple(scores), tokens, seconds


def _refuse_changing(route: Route, before: float) -> None:
    sentence = TEXT_PROBES[0][0]
    again, longer = route.read(sentence), route.read(sentence + LONGER)
    if abs(again.total - before) > HANDSHAKE_TOLERANCE:
        raise UnusableError(f"the same sentence has ln P {before:.3f} and then {again.total:.3f}")
    count = len(again.tokens)
    if longer.tokens[:count] == again.tokens:
        beginning = sum(longer.log_probabilities[:count])
        if abs(beginning - again.total) > HANDSHAKE_TOLERANCE:
            raise UnusableError(
                f"the beginning of a text has ln P {again.total:.3f} or {beginning:.3f}, as the text goes on or not"
            )
