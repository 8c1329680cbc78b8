"""Before anything is measured: in which way can the server be asked, and can its figures be believed?

A route is taken only if, for sentences of our own, there is one finite log-probability for each token of the prompt,
the tokens spell the prompt, the same sentence has the same figure twice, the beginning of a sentence does not depend on
its end, and each sentence is more probable than its words in another order. Wrong figures must not become a finding: a
server that ignores ``echo`` gives every sentence the same score, which would read as perfect parity.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic

from biascheck.errors import ModelError
from biascheck.models.adapters.served.chat import ChatRoute
from biascheck.models.adapters.served.echo import EchoRoute
from biascheck.models.adapters.served.forced_tokens import ForcedTokensRoute
from biascheck.models.adapters.served.prompt_scores import PromptScoresRoute
from biascheck.models.adapters.served.routes import Route, RouteError
from biascheck.models.adapters.served.server_facts import ServerFacts, server_facts
from biascheck.models.adapters.served.token_scores import TooLongError, UnusableError
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["Handshake", "shake_hands"]

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
