"""Requests to a server: with retries, a time-out, a budget, and a key that nobody else gets to see."""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from biascheck.core.errors import EndpointError, ModelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx


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


KEYS = ("BIASCHECK_API_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key; the first that is set counts."""
HIDDEN = "[key]"
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


class RejectedError(EndpointError):
    """A request that the server understood and turned down; asking again would not help."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
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
        self._key = next((os.environ[name] for name in KEYS if os.environ.get(name)), "")
        self._client: httpx.Client | None = None
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
        if self._client is not None:
            self._client.close()

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
        import httpx

        self.allowance.spend()
        try:
            response = self._connection().request(method, url, json=body)
            text = response.text
        except httpx.TimeoutException as error:
            raise _TransientError(f"no answer in time ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise _TransientError(self._hidden(str(error)) or type(error).__name__) from None
        self._refuse_status(response, text)
        try:
            return json.loads(self._hidden(text))
        except ValueError:
            raise _TransientError("the answer is not JSON") from None

    def _connection(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
                    timeout=httpx.Timeout(self._patience.timeout, connect=self._patience.connect),
                    trust_env=not self.endpoint.is_local,  # no proxy between two processes of one machine
                )
            return self._client

    def _refuse_status(self, response: httpx.Response, text: str) -> None:
        status = response.status_code
        if status == 200:
            return
        said = f"HTTP {status}: {self._hidden(_message(text))}"
        if status in TRANSIENT:
            wait = _retry_after(response.headers.get("retry-after"))
            if wait is not None and wait > self._patience.longest_retry_after:
                raise self._give_up(f"{said}; it asks to wait {wait:,.0f} seconds", 1)
            raise _TransientError(said, wait, status)
        if status in (401, 403):
            given = f"the key in {' or '.join(KEYS)}" if self._key else f"a request without a key; set {KEYS[0]}"
            raise ModelError(f"{self.endpoint} refuses {given} ({said})")
        raise RejectedError(f"{self.endpoint}: {said}", status)

    def _wait(self, error: _TransientError, attempt: int) -> float:
        """What the server asked for; else at random up to a bound that doubles with every attempt."""
        if error.wait is not None:
            return error.wait
        bound = self._patience.first_wait * 2 ** (attempt - 1)
        return random.uniform(0.0, min(bound, self._patience.longest_wait))

    def _give_up(self, reason: str, attempts: int) -> EndpointError:
        tried = f" after {attempts} attempts" if attempts > 1 else ""
        self._given_up = (
            f"{self.endpoint} does not answer{tried} ({reason}). {KEPT}"
            if self._has_answered
            else f"{self.endpoint} cannot be reached ({reason}); check the address and that the server runs"
        )
        return EndpointError(self._given_up)

    def _hidden(self, text: str) -> str:
        """A text of the server without the key, should it repeat it."""
        return text.replace(self._key, HIDDEN) if self._key else text


def _message(text: str) -> str:
    """What a server says about an error, in one short line."""
    try:
        document = json.loads(text)
        error = document.get("error", document) if isinstance(document, dict) else document
        said = error.get("message", error) if isinstance(error, dict) else error
    except ValueError:
        said = text
    line = " ".join(str(said).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[:LONGEST_MESSAGE]}…"


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
