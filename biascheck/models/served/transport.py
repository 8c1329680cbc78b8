"""Requests to a server: with retries, bounds, a budget, and a key that nobody else gets to see."""

from __future__ import annotations

import json
import logging
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from biascheck.core.errors import EndpointError, ModelError, UsageError
from biascheck.core.secrets import KEYS, in_use, key_in_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from biascheck.models.served.connection import Connection, RawAnswer


# How many requests may be made: a budget that no retry and no second measure can exceed.


class Allowance:
    """Counts requests, and refuses the one that is too many. Every attempt counts, since a server may bill each."""

    def __init__(self, most: int | None = None) -> None:
        if most is not None and most < 1:
            raise UsageError(f"a budget of {most} requests allows none; give 1 or more, or leave it out")
        self.most = most
        self.made = 0
        self._lock = Lock()

    def spend(self) -> None:
        """Count one request."""
        with self._lock:
            if self.most is not None and self.made >= self.most:
                raise EndpointError(
                    f"the budget of {self.most:,} requests is spent. Every answer so far is kept: run again with "
                    "another budget (--bias-max-requests), and only what is missing is asked"
                )
            self.made += 1

    def require(self, requests: int, what: str) -> None:
        """Refuse work that cannot be finished before anything is spent on it."""
        if self.most is not None and self.made + requests > self.most:
            raise EndpointError(
                f"{what} needs {requests:,} requests, and {self.most - self.made:,} of the budget of {self.most:,} "
                "are left; nothing was asked. Raise --bias-max-requests, or measure a smaller corpus"
            )


# The address of a served model: ``openai:http://host:port/v1#name``, ``vllm:…``, ``llamacpp:…``.

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


TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504, 529)
FAULTY = (500, 502)
KEPT = "Every answer so far is kept: once the server is back, the same command asks only what is missing"
LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for, in seconds, and how often it is asked again."""

    attempts: int = 6
    attempts_at_first: int = 2
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_retry_after: float = 300.0
    timeout: float = 120.0
    connect: float = 10.0
    deadline: float = 300.0
    """For one attempt in all: a server that sends a byte now and then never exceeds ``timeout``."""


class RejectedError(EndpointError):
    """A request that the server understood and turned down; asking again would not help."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(in_use().masked(message))
        self.status = status


class _TransientError(Exception):
    """A failure that may pass: worth another attempt, after ``wait`` seconds if the server said so."""

    def __init__(self, reason: str, wait: float | None = None, status: int = 0) -> None:
        super().__init__(reason)
        self.wait = wait
        self.status = status


class Transport:
    """JSON over HTTP to one endpoint. Once the endpoint is given up, every later request fails at once."""

    def __init__(self, endpoint: Endpoint, *, patience: Patience | None = None, allowance: Allowance | None = None):
        self.endpoint = endpoint
        self.allowance = allowance or Allowance()
        self._patience = patience or Patience()
        self._key = _checked_key()
        self._secrets = in_use()
        self._connections: Connection | None = None
        self._lock = Lock()
        self._given_up = ""
        self._has_answered = False

    def __repr__(self) -> str:
        return f"Transport({str(self.endpoint)!r})"

    def get(self, url: str) -> Any:
        """The JSON document at an address."""
        return self._asked("GET", url, None)

    def post(self, url: str, body: dict[str, Any]) -> Any:
        """The JSON answer to a document."""
        return self._asked("POST", url, body)

    def close(self) -> None:
        """Close the connections."""
        if self._connections is not None:
            self._connections.close()

    def _asked(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        if self._given_up:
            raise EndpointError(self._given_up)
        patience = self._patience
        attempts = patience.attempts if self._has_answered else patience.attempts_at_first
        try:
            answer = self._tried(attempts, lambda: self._once(method, url, body))
        except _TransientError as error:
            if error.status in FAULTY:  # the server is there, and cannot do this
                raise RejectedError(f"{self.endpoint}: {error}, {attempts} times. {KEPT}", error.status) from None
            raise self._give_up(str(error), attempts) from None
        self._has_answered = True
        return answer

    def _tried(self, attempts: int, ask: Callable[[], Any]) -> Any:
        """The answer of one of so many attempts; the last one's failure is raised."""
        for attempt in range(1, attempts):
            try:
                return ask()
            except _TransientError as error:
                time.sleep(self._wait(error, attempt))
        return ask()

    def _once(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        import httpcore

        from biascheck.models.served.connection import EncodingError, TooLargeError

        self.allowance.spend()
        content = None if body is None else json.dumps(body, allow_nan=False).encode()
        try:
            return self._read(self._connection().request(method, url, content))
        except httpcore.TimeoutException as error:
            raise _TransientError(f"no answer in time ({str(error) or type(error).__name__})") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            said = str(error) or type(error).__name__
            raise _TransientError(self._secrets.shortened(said, LONGEST_MESSAGE)) from None
        except EncodingError as error:
            said = self._secrets.shortened(f"the answer cannot be unpacked: {error}", LONGEST_MESSAGE)
            raise _TransientError(said) from None
        except TooLargeError:
            raise EndpointError(self._too_large(url)) from None

    def _connection(self) -> Connection:
        from biascheck.models.served.connection import Connection, ExchangeBounds

        patience = self._patience
        with self._lock:
            if self._connections is None:
                self._connections = Connection(
                    self.endpoint.api,
                    {"Authorization": f"Bearer {self._key}"} if self._key else {},
                    ExchangeBounds(patience.connect, patience.timeout, patience.deadline),
                    trust_env=not self.endpoint.is_local,  # no proxy between two processes of one machine
                )
                _mask_logs()
            return self._connections

    def _read(self, answer: RawAnswer) -> Any:
        """The document in an answer, without the key should the server repeat it."""
        text = self._secrets.masked(answer.body.decode("utf-8", "replace")) if answer.status != 200 else ""
        self._refuse_status(answer, text)
        try:
            return self._secrets.masked_in(json.loads(answer.body))
        except (ValueError, RecursionError):
            raise _TransientError("the answer is not JSON") from None

    def _refuse_status(self, answer: RawAnswer, text: str) -> None:
        status = answer.status
        if status == 200:
            return
        if 300 <= status < 400:
            raise RejectedError(self._redirected(answer), status)
        said = f"HTTP {status}: {self._message(text)}"
        if status in TRANSIENT:
            wait = _retry_after(answer.headers.get("retry-after"))
            if wait is not None and wait > self._patience.longest_retry_after:
                raise self._give_up(f"{said}; it asks to wait {wait:,.0f} seconds", 1)
            raise _TransientError(said, wait, status)
        if status in (401, 403):
            given = f"the key in {' or '.join(KEYS)}" if self._key else f"a request without a key; set {KEYS[0]}"
            raise ModelError(self._secrets.masked(f"{self.endpoint} refuses {given} ({said})"))
        raise RejectedError(f"{self.endpoint}: {said}", status)

    def _redirected(self, answer: RawAnswer) -> str:
        there = self._secrets.shortened(answer.headers.get("location", "another address"), LONGEST_MESSAGE)
        return (
            f"{self.endpoint}: HTTP {answer.status}: it redirects to {there}. Nobody is asked there, so that the key "
            "goes nowhere else; if that is the server, name its address"
        )

    def _too_large(self, url: str) -> str:
        from biascheck.models.served.connection import LARGEST_ANSWER

        return self._secrets.masked(
            f"{self.endpoint}: the answer of {urlsplit(url).path} is larger than {LARGEST_ANSWER // 2**20} MiB, more "
            "than the figures of any text, and was not read to its end. Check that the address is that of a model's "
            "server, and that it lists no more than it is asked for"
        )

    def _wait(self, error: _TransientError, attempt: int) -> float:
        """What the server asked for; else at random up to a bound that doubles with every attempt."""
        if error.wait is not None:
            return error.wait
        bound = self._patience.first_wait * 2 ** (attempt - 1)
        return random.uniform(0.0, min(bound, self._patience.longest_wait))

    def _give_up(self, reason: str, attempts: int) -> EndpointError:
        tried = f" after {attempts} attempts" if attempts > 1 else ""
        self._given_up = self._secrets.masked(
            f"{self.endpoint} does not answer{tried} ({reason}). {KEPT}"
            if self._has_answered
            else f"{self.endpoint} cannot be reached ({reason}); check the address and that the server runs"
        )
        return EndpointError(self._given_up)

    def _message(self, text: str) -> str:
        """What a server says about an error, in one short line."""
        try:
            document = self._secrets.masked_in(json.loads(text))
            error = document.get("error", document) if isinstance(document, dict) else document
            said = error.get("message", error) if isinstance(error, dict) else error
        except (ValueError, RecursionError):
            said = text
        return self._secrets.shortened(" ".join(str(said).split()), LONGEST_MESSAGE)


def _checked_key() -> str:
    """The key to send; one that no header can hold is refused here, since every later error would repeat it."""
    key = key_in_use()
    if not (key.isascii() and key.isprintable()):
        raise ModelError(f"the key in {' or '.join(KEYS)} has characters that no header can hold; copy it anew")
    return key


LOGGERS = ("connection", "http11", "http2", "proxy", "socks")


def _mask_logs() -> None:
    """Let httpcore, which logs the headers of answers at the level DEBUG, log them without the key."""
    for name in LOGGERS:
        logger = logging.getLogger(f"httpcore.{name}")
        if _masked_record not in logger.filters:
            logger.addFilter(_masked_record)


def _masked_record(record: logging.LogRecord) -> bool:
    said = record.getMessage()
    if (masked := in_use().masked(said)) != said:
        record.msg, record.args = masked, ()
    return True


def _retry_after(value: str | None) -> float | None:
    """The seconds that a server asks to wait: a number, or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
