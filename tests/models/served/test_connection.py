"""An exchange ends: after so many bytes, as they arrive and as they unfold, and after so many seconds in all."""

import gzip
import json
import socket
import threading
import time
import tracemalloc
import zlib
from contextlib import contextmanager
from dataclasses import replace

import httpcore
import pytest

from biascheck.core.errors import EndpointError
from biascheck.models.served.connection import (
    LARGEST_ANSWER,
    LARGEST_COMPLAINT,
    Connection,
    EncodingError,
    ExchangeBounds,
    TooLargeError,
)
from biascheck.models.served.model import load_served
from biascheck.models.served.transport import Endpoint, Transport

BOUNDS = ExchangeBounds(connect=5.0, read=5.0, seconds=20.0, size=10_000)
HEAD = b"HTTP/1.1 200 OK\r\n"
LONG_AGO = 200
"""Pieces of a quarter of a second's worth of patience each, after which a dripping server gives in."""


class Wire:
    """A server of raw bytes: ``send`` is called with a function that sends, for every request."""

    def __init__(self, send, host="127.0.0.1"):
        self._send = send
        self.requests = []
        self.sent = 0
        self.cut_off = 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.place = f"[{host}]" if ":" in host else host
        self.place += f":{self._listener.getsockname()[1]}"
        self.url = f"http://{self.place}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with connection:
            self.requests.append(connection.recv(65536))

            def send(data):
                connection.sendall(data)
                self.sent += len(data)

            try:
                self._send(send)
            except OSError:
                self.cut_off += 1

    def close(self):
        self._listener.close()


@contextmanager
def wire(send, *host):
    server = Wire(send, *host)
    try:
        yield server
    finally:
        server.close()


def whole(body, *headers):
    lines = [HEAD, *(f"{one}\r\n".encode() for one in headers), b"content-length: %d\r\n\r\n" % len(body)]
    return lambda send: send(b"".join(lines) + body)


def asked(server, bounds=BOUNDS):
    connection = Connection(server.url, {}, bounds, trust_env=False)
    try:
        return connection.request("GET", f"{server.url}/v1", None)
    finally:
        connection.close()


def deflated(data):
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packed.compress(data) + packed.flush()


PACKED = {
    "identity": lambda data: data,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": deflated,
}


@pytest.mark.parametrize("encoding", PACKED)
def test_answers_arrive_as_they_were(encoding):
    body = json.dumps(list(range(1000))).encode()
    with wire(whole(PACKED[encoding](body), f"content-encoding: {encoding}", "X-Word: yes")) as server:
        answer = asked(server)
    assert (answer.status, answer.body, answer.headers["x-word"]) == (200, body, "yes")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_server_is_told_its_name(host):
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with wire(whole(b"[]"), host) as server:
        asked(server)
        lines = server.requests[0].decode().split("\r\n")
        assert [line for line in lines if line.lower().startswith("host:")] == [f"Host: {server.place}"]


@pytest.mark.parametrize("encoding", PACKED)
def test_an_answer_of_the_largest_size_is_read_and_one_byte_more_is_not(encoding):
    for size, fits in ((BOUNDS.size, True), (BOUNDS.size + 1, False)):
        with wire(whole(PACKED[encoding](b"x" * size), f"content-encoding: {encoding}")) as server:
            if fits:
                assert asked(server).body == b"x" * size
            else:
                with pytest.raises(TooLargeError):
                    asked(server)


def test_an_endless_answer_is_cut_off():
    def forever(send):
        send(HEAD + b"\r\n")
        for _ in range(100_000):
            send(b"x" * 4096)

    with wire(forever) as server:
        with pytest.raises(TooLargeError):
            asked(server)
        _wait_for(lambda: server.cut_off)
    assert server.sent < 20_000_000  # what lay in the buffers of two sockets, of 400 MB


def test_what_follows_the_end_of_packed_data_counts_too():
    def forever(send):
        send(HEAD + b"content-encoding: gzip\r\n\r\n" + gzip.compress(b"{}"))
        for _ in range(100_000):
            send(b"x" * 4096)

    with wire(forever) as server, pytest.raises(TooLargeError):
        asked(server)


def bomb(size):
    """So many zeros, a thousand times smaller."""
    packed = zlib.compressobj(9, wbits=31)
    parts = [packed.compress(b"0" * 2**20) for _ in range(size // 2**20)]
    return b"".join([*parts, packed.flush()])


def test_a_gzip_bomb_is_not_unfolded():
    """400 MB from 400 kB: no more is held than what an answer may have, and a chunk."""
    with wire(whole(bomb(400 * 2**20), "content-encoding: gzip")) as server:
        tracemalloc.start()
        try:
            with pytest.raises(TooLargeError):
                asked(server, replace(BOUNDS, size=2**20))
            assert tracemalloc.get_traced_memory()[1] < 6 * 2**20
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip,gzip,gzip", "br", "zstd", "unknown"])
def test_layers_and_other_ways_of_packing_are_refused(encoding):
    with wire(whole(gzip.compress(bomb(2**26)), f"content-encoding: {encoding}")) as server:
        with pytest.raises(EncodingError, match="packed as"):
            asked(server)
        assert b"accept-encoding: gzip, deflate\r\n" in server.requests[0].lower()


@pytest.mark.parametrize(("body", "why"), [(b"no gzip", "damaged"), (gzip.compress(b"x" * 99)[:-9], "ends too early")])
def test_damaged_packing_is_noticed(body, why):
    with wire(whole(body, "content-encoding: gzip")) as server, pytest.raises(EncodingError, match=why):
        asked(server)


def test_of_a_complaint_the_beginning_is_read():
    def forever(send):
        send(b"HTTP/1.1 500 No\r\n\r\n")
        for _ in range(100_000):
            send(b"x" * 4096)

    with wire(forever) as server:
        answer = asked(server)
        _wait_for(lambda: server.cut_off)
    assert (answer.status, answer.body) == (500, b"x" * LARGEST_COMPLAINT)


DRIPS = {
    "the body": (HEAD + b"content-length: 1000\r\n\r\n", b"x"),
    "a body in chunks": (HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "the headers": (HEAD, b"x: y\r\n"),
    "one header": (HEAD + b"x: ", b"y"),
    "the status": (b"HTTP/1.1 200 ", b"O"),
    "promises of an answer": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("what", DRIPS)
def test_a_dripping_server_is_left(what):
    """Each piece comes in time, and the last one never does; the deadline is that of all of them."""
    first, piece = DRIPS[what]

    def drip(send):
        send(first)
        for _ in range(LONG_AGO):
            send(piece)
            time.sleep(0.05)

    with wire(drip) as server:
        with pytest.raises(httpcore.TimeoutException):
            asked(server, replace(BOUNDS, seconds=0.3))
        _wait_for(lambda: server.cut_off)
    assert server.sent < len(first) + LONG_AGO * len(piece)  # it was cut off


def test_the_deadline_is_that_of_one_exchange_not_of_a_connection():
    with wire(whole(b"[]")) as server:
        connection = Connection(server.url, {}, replace(BOUNDS, seconds=1.0), trust_env=False)
        for _ in range(4):
            assert connection.request("GET", f"{server.url}/v1", None).body == b"[]"
            time.sleep(0.4)
        connection.close()


# The same, as the run sees it.


def test_an_answer_that_is_too_large_ends_the_run_and_is_asked_for_once(server, quick):
    def swell(request):
        if request.path == "/models":
            request.raw = bomb(LARGEST_ANSWER + 2**20)
            request.extra_headers["content-encoding"] = "gzip"

    server.faults.append(swell)
    with pytest.raises(EndpointError, match=r"openai:http.*/v1/models is larger than 64 MiB.*Check that the address"):
        load_served(server.spec, patience=quick)
    assert server.asked["/models"] == 1


def test_a_dripping_server_is_asked_again_and_then_given_up(quick):
    def drip(send):
        send(HEAD + b"content-length: 1000\r\n\r\n")
        for _ in range(LONG_AGO):
            send(b" ")
            time.sleep(0.05)

    with wire(drip) as server:
        transport = Transport(Endpoint.parse(f"openai:{server.url}/v1#a"), patience=replace(quick, deadline=0.3))
        with pytest.raises(
            EndpointError, match=r"openai:http.* cannot be reached \(no answer in time.*check the address"
        ):
            transport.get(f"{server.url}/v1/models")
        assert len(server.requests) == quick.attempts_at_first


def test_an_answer_that_nests_too_deep_is_no_answer(server, quick):
    server.faults.append(lambda request: setattr(request, "raw", b"[" * 100_000))
    with pytest.raises(EndpointError, match="not JSON"):
        load_served(server.spec, patience=quick)


def _wait_for(happened):
    for _ in range(1000):
        if happened():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")
