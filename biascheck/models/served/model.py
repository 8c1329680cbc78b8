"""A served model: ``biascheck.load_served``, its adapters, and how questions are put to the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, ClassVar, Literal, TypedDict

from biascheck.core.errors import EndpointError, UsageError
from biascheck.core.progress import announce, in_time, progress
from biascheck.core.secrets import in_use
from biascheck.core.store import CachedAnswers, cache_folder, digest_of
from biascheck.models.scoring.continuations import EMPTY, SENTENCE_REQUEST
from biascheck.models.scoring.cost import CostEstimate, active_estimate, made_up
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery
from biascheck.models.served.handshake import HANDSHAKE_TOLERANCE, TEXT_PROBES, Handshake, shake_hands
from biascheck.models.served.routes import NoAnswerError, Route, TooLongError, UnusableError
from biascheck.models.served.transport import Allowance, Endpoint, Patience, RejectedError, Transport

# Puts questions to a server: each distinct one once, several at a time, every answer kept as soon as it is
# there.

ServedQuestion = tuple[str | int, ...]
"""What is asked, in plain values: the kind of the question, then its texts and numbers."""
LONG = 60.0
ABOUT_THE_TEXT = (400, 413, 422)
"""What a server says of a text that it cannot read; anything else is about the server itself."""
FORMATS = {"generate": 2}
"""Of kinds of questions, 1 unless said here; raise it when a kept answer would no longer be the right one.

2 of texts: none is the empty text of a reply that a content filter held back, and none holds a key."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast and dear a server is: seconds and requests for one text, tokens of one character, texts at a time.

    The seconds are those of one text where as many as ``concurrency`` are asked at a time. ``price`` is that of a
    million tokens, in the currency of whoever states it.
    """

    seconds: float = 0.0
    requests: int = 1
    tokens: float = 0.25
    concurrency: int = 1
    price: float | None = None

    def estimate(self, questions: Sequence[ServedQuestion]) -> str:
        """What the questions will cost, in words."""
        tokens = self.tokens_of(questions)
        parts = [f"about {tokens:,.0f} tokens"]
        if self.price is not None:
            parts.append(f"about {tokens * self.price / 1e6:,.2f} at {self.price:g} for a million")
        return ", ".join([*parts, in_time(self.duration(len(questions)))])

    def tokens_of(self, questions: Sequence[ServedQuestion]) -> float:
        """About how many tokens the questions are."""
        return self.tokens * sum(len(part) for one in questions for part in one[1:] if isinstance(part, str))

    def duration(self, texts: int) -> float:
        """Seconds that so many texts will take."""
        return texts * self.seconds


@dataclass
class Asker:
    """Whom to ask, what is known already, and how many requests are allowed."""

    title: str
    identity: str
    cached: CachedAnswers
    allowance: Allowance = field(default_factory=Allowance)
    pace: Pace = field(default_factory=Pace)

    def answers(self, questions: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]) -> list[Any]:
        """The answer to each question, in order; only what is not kept is asked."""
        missing = self.missing(questions)
        if (estimate := active_estimate()) is not None:
            return self._estimated(estimate, questions, missing)
        found: dict[ServedQuestion, Any] = {}
        if missing:
            self.allowance.require(len(missing) * self.pace.requests, self.title)
            self._announce(missing, len(set(questions)) - len(missing))
            found = self._asked(missing, ask)
        return [found[one] if one in found else self.cached.get(self._key(one)) for one in questions]

    def _estimated(
        self, estimate: CostEstimate, questions: Sequence[ServedQuestion], missing: Sequence[ServedQuestion]
    ) -> list[Any]:
        """Count what would be asked, and make up answers; nothing is kept."""
        fresh = [one for one in missing if (self.identity, one) not in estimate.counted_questions]
        estimate.counted_questions.update((self.identity, one) for one in fresh)
        tokens = round(self.pace.tokens_of(fresh))
        estimate.add(self.title, inputs=len(fresh), tokens=tokens, seconds=self.pace.duration(len(fresh)))
        numbers = made_up(len(questions))
        return [
            "" if question[0] == "generate" else [float(number)]
            for question, number in zip(questions, numbers, strict=True)
        ]

    def missing(self, questions: Sequence[ServedQuestion]) -> list[ServedQuestion]:
        """The distinct questions that are not answered yet."""
        self.cached.refresh()
        unknown = {one for one in questions if self.cached.get(self._key(one)) is None}
        return sorted(unknown, key=lambda question: tuple(map(str, question)))  # what begins alike is asked together

    def _key(self, question: ServedQuestion) -> str:
        return digest_of([FORMATS.get(str(question[0]), 1), self.identity, list(question)])

    def _announce(self, missing: Sequence[ServedQuestion], known: int) -> None:
        if self.pace.duration(len(missing)) > LONG:
            announce(
                f"biascheck: {self.title}: {len(missing):,} texts to ask ({known:,} are known), "
                f"{self.pace.estimate(missing)}"
            )

    def _asked(
        self, missing: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]
    ) -> dict[ServedQuestion, Any]:
        stopped = Event()

        def asked(question: ServedQuestion) -> Any:
            if stopped.is_set():
                return None
            try:
                answer = ask(question)
            except BaseException:
                stopped.set()  # nobody else need try
                raise
            if not isinstance(answer, Refusal):  # another day the server may answer
                self.cached.add(self._key(question), in_use().masked_in(answer))
            return answer

        found: dict[ServedQuestion, Any] = {}
        with (
            ThreadPoolExecutor(self.pace.concurrency, thread_name_prefix="biascheck") as pool,
            progress(self.title, total=len(missing), unit="texts", about=None) as advance,
        ):
            futures = {pool.submit(asked, question): question for question in missing}
            try:
                for future in as_completed(futures):
                    found[futures[future]] = future.result()  # of one that was not asked: the failure comes, too
                    advance(1)
            except BaseException:
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)  # what runs now is still kept
                raise
        return found


def answered(read: Callable[[], Any], title: str) -> Any:
    """What a request gives; a text that the server cannot read is refused, wrong figures end the run.

    A reply that is no answer is a refusal, too, with its reason.
    """
    try:
        return read()
    except TooLongError as error:
        return Refusal(f"{error}; shorten the sentence")
    except NoAnswerError as error:
        return Refusal(str(error))
    except RejectedError as error:
        if error.status in ABOUT_THE_TEXT:
            return Refusal(f"the server refuses this text ({error}); change it or leave it out")
        raise
    except UnusableError as error:
        raise EndpointError(
            f"{title}: {error}. The handshake went well, so the server has changed since; no figure was made of this. "
            "Look at the server, then run again"
        ) from None


def as_answer(scores: list[float] | Refusal) -> Answer | Refusal:
    """The figures of the tokens of a text as one answer."""
    return scores if isinstance(scores, Refusal) else Answer(sum(scores), len(scores))


# Adapters for models behind an endpoint: one that scores text, one that also chats, one that only generates.


class ServedGenerator:
    """A model behind an endpoint that answers a user's turn, and gives no log-probabilities of a text of ours."""

    framing: Framing = "chat"

    def __init__(self, handshake: Handshake, asker: Asker, *, name: str) -> None:
        self.name = name
        self.handshake = handshake
        self.treatment: tuple[str, ...] = ()
        self.asker = asker

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def fingerprint(self) -> str:
        """A digest of what the server says of itself and of what it makes of a few sentences."""
        return self.asker.identity

    @property
    def about(self) -> dict[str, str]:
        """The model in words for a reader of its results."""
        route = self.handshake.route
        how = {"scored by": route.name, "opening token": route.opening} if route is not None else {}
        gives = ", ".join(self.handshake.abilities)
        return {**self.handshake.facts.in_words, **how, "endpoint gives": gives, "framing": self.framing}

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """What the model writes after each prompt; in chat framing, its answer to what the user said."""
        if max_tokens < 1:
            raise UsageError(f"max_tokens is {max_tokens}; ask for at least one token")
        chat = self.handshake.chat
        write = chat.reply if self.framing == "chat" else chat.text_after
        questions: list[ServedQuestion] = [("generate", self.framing, max_tokens, prompt) for prompt in prompts]
        return self._answers(questions, lambda question: write(str(question[-1]), max_tokens))

    def _answers(self, questions: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]) -> list[Any]:
        return self.asker.answers(questions, lambda question: answered(lambda: ask(question), self.name))


class ServedTokenLister(ServedGenerator):
    """A chat endpoint that lists the likeliest first tokens of an answer: it scores answers of one token among them."""

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P of an answer of one token to what the user said; what is not listed is refused, never guessed."""
        chat = self.handshake.chat
        questions: list[ServedQuestion] = [("first tokens", query.context) for query in queries]
        found = self._answers(questions, lambda question: chat.first_tokens(str(question[1])))
        return [self._listed(query, likely) for query, likely in zip(queries, found, strict=True)]

    def _listed(self, query: ContinuationQuery, likely: dict[str, float] | list[float] | Refusal) -> Answer | Refusal:
        if isinstance(likely, Refusal):
            return likely
        if isinstance(likely, list):  # made up, while a run is planned
            return as_answer(likely)
        wanted = query.continuation.lstrip()
        if wanted not in likely:
            return Refusal(
                f"{wanted!r} is not among the {len(likely)} likeliest tokens that the endpoint lists; use an endpoint "
                "with log-probabilities of the prompt"
            )
        return Answer(likely[wanted], 1)


class ServedModel(ServedGenerator):
    """A model behind an endpoint that gives the log-probabilities of a text."""

    kind: ClassVar[Literal["causal"]] = "causal"
    framing: Framing = "raw"

    @property
    def route(self) -> Route:
        """How the server is asked."""
        assert self.handshake.route is not None
        return self.handshake.route

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence after the opening token; in chat framing, as the answer to a request for a sentence."""
        if self.framing == "chat":
            return self.continuations([ContinuationQuery(SENTENCE_REQUEST, query.text) for query in queries])
        questions: list[ServedQuestion] = [("sentence", query.text) for query in queries]
        found = self._answers(questions, lambda question: list(self.route.read(str(question[1])).log_probabilities))
        return [as_answer(scores) for scores in found]

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P(continuation | context) of each query; in chat framing, of the answer to what the user said."""
        chat = self.framing == "chat"

        def ask(question: ServedQuestion) -> list[float]:
            return list(self.route.continuation(str(question[2]), str(question[3]), chat=chat))

        whole = [query for query in queries if query.continuation]
        questions: list[ServedQuestion] = [
            ("after", self.framing, query.context, query.continuation) for query in whole
        ]
        found = dict(zip(questions, self._answers(questions, ask), strict=True))
        return [
            as_answer(found["after", self.framing, query.context, query.continuation]) if query.continuation else EMPTY
            for query in queries
        ]


class ServedChatModel(ServedModel):
    """A served model with a chat template: what it scores can be framed as the answer to a user's turn."""

    def framed(self, framing: Framing) -> ServedChatModel:
        """The same endpoint, asked raw or by the chat template."""
        if framing not in ("raw", "chat"):
            raise UsageError(f"framing {framing!r} is not 'raw' or 'chat'")
        if framing == self.framing:
            return self
        other = ServedChatModel(self.handshake, self.asker, name=self.name)
        other.framing = framing
        named = tuple(one for one in self.treatment if one != "chat")
        other.treatment = (*named, "chat") if framing == "chat" else named
        return other

    @property
    def fingerprint(self) -> str:
        """A digest of what the server says and does and, unless it is raw, of the framing."""
        digest = self.asker.identity
        return digest if self.framing == "raw" else digest_of(["framing", self.framing, SENTENCE_REQUEST, digest])


# ``biascheck.load_served``: a model by the address of its server.

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
