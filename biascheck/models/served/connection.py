"""One request and its answer, over connections that are kept: bounded in bytes and, over all reads, in seconds.

A time-out for each read ends no exchange with a server that sends a byte now and then, and a few hundred kilobytes of
gzip may unfold into gigabytes. Here the seconds are those of the whole exchange, from the connection to the last byte,
headers included; the bytes are counted while they arrive and while they are unfolded, never afterwards.

Nothing is followed: a server that redirects is not asked elsewhere, so that the key is sent to one address only.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import local
from time import monotonic
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from biascheck.core.errors import UsageError

LARGEST_ANSWER = 64 * 2**20
"""Bytes of an answer, unfolded. The largest that a server has reason to send are the figures of a prompt that fills a
context of 131,072 tokens, about 250 bytes each with their text and bytes (32 MB), and the list of a whole vocabulary of
262,144 tokens, about 110 bytes each (29 MB); this is twice as much."""
LARGEST_COMPLAINT = 2**18
"""Bytes that are read of an answer with an error; more of them say nothing more."""
MOST_CONNECTIONS = 100
IDLE_SECONDS = 5.0
USUAL_HEADERS = (("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate"), ("User-Agent", "biascheck"))
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")


class TooLargeError(Exception):
    """An answer of more bytes than can be read."""


class EncodingError(Exception):
    """An answer that is packed in a way that was not asked for, or damaged."""


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What came back: the status, the headers in lower case, and the body as bytes, unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ExchangeBounds:
    """How long and how large an exchange may be: seconds to connect, for one read, in all; bytes of the answer."""

    connect: float
    read: float
    seconds: float
    size: int = LARGEST_ANSWER


class Connection:
    """Connections to one server. Several threads may ask at a time."""

    def __init__(self, address: str, headers: Mapping[str, str], bounds: ExchangeBounds, *, trust_env: bool) -> None:
        self._headers = [*USUAL_HEADERS, *headers.items()]
        self._bounds = bounds
        self._clock = _Clock()
        self._pool = _pool(address, _BoundedBackend(self._clock), proxy_of(address) if trust_env else None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"  # the headers hold the key

    def request(self, method: str, url: str, content: bytes | None) -> RawAnswer:
        """The answer to a request; httpcore's errors where there is none, TooLargeError where it does not end."""
        bounds = self._bounds
        limits = {"connect": bounds.connect, "read": bounds.read, "write": bounds.read, "pool": bounds.seconds}
        place = httpx.URL(url)  # spells what is no ASCII, and puts brackets around IPv6
        headers = [("Host", place.netloc.decode()), *self._headers]
        headers += [] if content is None else [("Content-Type", "application/json")]
        target = httpcore.URL(scheme=place.raw_scheme, host=place.raw_host, port=place.port, target=place.raw_path)
        self._clock.start(bounds.seconds)
        with self._pool.stream(
            method, target, headers=headers, content=content, extensions={"timeout": limits}
        ) as response:
            named = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            chunks = response.iter_stream()
            encoding = named.get("content-encoding", "").strip().lower()
            if response.status == 200:
                return RawAnswer(200, named, _whole(chunks, encoding, bounds.size))
            return RawAnswer(response.status, named, _beginning(chunks, encoding))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


def _whole(chunks: Iterable[bytes], encoding: str, size: int) -> bytes:
    found, received = bytearray(), 0
    unpacked = _Unpacked(encoding)
    for chunk in chunks:
        received += len(chunk)  # what follows the end of packed data unfolds into nothing, and is not free either
        found += unpacked.of(chunk, size + 1 - len(found))
        if max(received, len(found)) > size:
            raise TooLargeError
    unpacked.finish()
    return bytes(found)


def _beginning(chunks: Iterable[bytes], encoding: str) -> bytes:
    """As much of a complaint as is of use; one that cannot be unpacked has no words."""
    found = bytearray()
    try:
        unpacked = _Unpacked(encoding)
        for chunk in chunks:
            found += unpacked.of(chunk, LARGEST_COMPLAINT - len(found))
            if len(found) >= LARGEST_COMPLAINT or unpacked.ended:
                break
    except EncodingError:
        pass
    return bytes(found)


class _Unpacked:
    """Undoes one layer of gzip or deflate, no further than asked for. Layers upon layers are a trick to be refused."""

    def __init__(self, encoding: str) -> None:
        if encoding not in ENCODINGS:
            raise EncodingError(f"it is packed as {encoding!r}")
        self._encoding = encoding
        self._unpack: Any = None

    @property
    def ended(self) -> bool:
        """Whether whatever follows is not part of the answer."""
        return self._unpack is not None and self._unpack.eof

    def of(self, chunk: bytes, most: int) -> bytes:
        """What a chunk unfolds into, at most so many bytes (1 or more) of it; the rest of the chunk is lost."""
        if self._encoding in ("", "identity"):
            return chunk[:most]
        if self.ended or not chunk:
            return b""
        if self._unpack is None:
            self._unpack = zlib.decompressobj(self._window(chunk))
        try:
            return bytes(self._unpack.decompress(chunk, most))
        except zlib.error as error:
            raise EncodingError(f"it is damaged ({error})") from None

    def finish(self) -> None:
        """Refuse packed data that ends too early."""
        if self._unpack is not None and not self._unpack.eof:
            raise EncodingError("it ends too early")

    def _window(self, chunk: bytes) -> int:
        """What zlib expects: a header of gzip, one of zlib, or none; "deflate" names either of the last two."""
        if self._encoding != "deflate":
            return zlib.MAX_WBITS | 16
        return zlib.MAX_WBITS if chunk[0] & 0x0F == 8 else -zlib.MAX_WBITS


# One deadline for everything that an exchange does on the network.


class _Clock:
    """The moment at which the exchange of a thread must have ended."""

    def __init__(self) -> None:
        self._ends = local()

    def start(self, seconds: float) -> None:
        """Begin an exchange of this thread."""
        self._ends.at = monotonic() + seconds

    def left(self, timeout: float | None, late: type[Exception]) -> float:
        """The seconds that one step may take; ``late`` where none are left."""
        left = float(self._ends.at) - monotonic()
        if left <= 0:
            raise late("the answer takes too long in all")
        return left if timeout is None else min(timeout, left)


class _BoundedStream(httpcore.NetworkStream):
    """A stream whose every step ends by the deadline of the thread that takes it."""

    PIECE = 2**16

    def __init__(self, stream: httpcore.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), self.PIECE):
            self._stream.write(buffer[start : start + self.PIECE], self._clock.left(timeout, httpcore.WriteTimeout))

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        return _BoundedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._clock)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _BoundedBackend(httpcore.NetworkBackend):
    """Opens such streams."""

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._backend = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *more: Any, **options: Any) -> Any:
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        return _BoundedStream(self._backend.connect_tcp(host, port, left, *more, **options), self._clock)


# Proxies, as the environment names them.


def proxy_of(address: str) -> str | None:
    """The proxy on the way to an address: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, unless NO_PROXY names the host."""
    parts = urlsplit(address)
    if proxy_bypass(parts.netloc.rpartition("@")[2]) or proxy_bypass(parts.hostname or ""):
        return None
    found = getproxies()
    proxy = found.get(parts.scheme) or found.get("all")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _pool(address: str, backend: httpcore.NetworkBackend, proxy: str | None) -> httpcore.ConnectionPool:
    how: dict[str, Any] = {
        "max_connections": MOST_CONNECTIONS,
        "keepalive_expiry": IDLE_SECONDS,
        "network_backend": backend,
    }
    if "https" in (urlsplit(address).scheme, urlsplit(proxy or "").scheme):
        how["ssl_context"] = httpx.create_ssl_context()  # with the certificates that SSL_CERT_FILE names
    return httpcore.ConnectionPool(**how) if proxy is None else _proxied(urlsplit(proxy), how)


def _proxied(proxy: SplitResult, how: dict[str, Any]) -> httpcore.ConnectionPool:
    auth = (unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    place = f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}"
    if proxy.scheme == "http":
        return httpcore.HTTPProxy(place, proxy_auth=auth, **how)
    if proxy.scheme == "https":
        return httpcore.HTTPProxy(place, proxy_auth=auth, proxy_ssl_context=how["ssl_context"], **how)
    if proxy.scheme not in ("socks5", "socks5h"):
        raise UsageError(f"the proxy that the environment names is of the kind {proxy.scheme!r}; use http or socks5")
    try:
        return httpcore.SOCKSProxy(place.replace("socks5h:", "socks5:"), proxy_auth=auth, **how)
    except RuntimeError as error:
        raise UsageError(f"the proxy that the environment names speaks SOCKS: pip install socksio ({error})") from None
