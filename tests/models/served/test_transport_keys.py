"""The key goes to one address, and comes back out of no error, log, description or cache, however it is repeated."""

import html
import json
import logging
import socket
import threading
from contextlib import contextmanager

import pytest

from biascheck.core.errors import BiascheckError, EndpointError, ModelError
from biascheck.core.secrets import MASK
from biascheck.models.scoring.queries import SentenceQuery
from biascheck.models.served.model import load_served
from biascheck.models.served.transport import LONGEST_MESSAGE, Endpoint, RejectedError, Transport
from support.escapes import every_escape, gone
from support.pretend_server import PretendServer

KEY = "sk-secret-0123456789abc"
ESCAPES = dict(every_escape(KEY))
BEGINNING = KEY[:9]
"""One character more than may stay of a key that was cut."""


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("BIASCHECK_API_KEY", KEY)
    return KEY


def transport_to(server, patience):
    return Transport(Endpoint.parse(server.spec), patience=patience)


def error_of(transport, url=""):
    with pytest.raises(BiascheckError) as caught:
        transport.get(url or f"{transport.endpoint.api}/models")
    return str(caught.value)


@pytest.mark.parametrize("name", ESCAPES)
def test_a_key_that_is_repeated_is_nowhere(name, server, quick, key, own_cache, caplog, capsys):
    """In what the server says of itself, in texts, in errors of every kind and in headers."""
    caplog.set_level(logging.DEBUG)
    echo = ESCAPES[name]

    def repeat(request):
        request.extra_headers = {"x-echo": echo.replace("\n", " "), "retry-after": "0"}
        said = str(request.body)
        if request.path == "/models":
            request.answer["data"][0]["meta"] = {"ftype": f"Q4 {echo}", echo: 1}
        elif "held" in said:
            request.answer["choices"][0]["message"] = {"content": f"It is {echo}."}
        elif "refused" in said:
            request.status, request.answer = 400, {"error": {"message": f"{'x ' * 90}wrong key {echo}", "code": echo}}
        elif "torn" in said:
            request.status, request.raw = 404, f'{{"error": "wrong key {echo}'.encode()
        elif "busy" in said:
            request.status, request.answer = 503, echo
        elif "spread" in said:
            request.answer["choices"][0]["logprobs"]["tokens"] = [*echo]

    server.faults.append(repeat)
    model = load_served(server.spec, patience=quick)
    told = [model.likelihood([SentenceQuery("It is refused.")]), model.handshake.chat.reply("held", 9)]
    told += [model.asker.answers([("generate", "held")], lambda _: model.handshake.chat.reply("held", 9))]
    for text in ("torn", "spread", "busy"):
        with pytest.raises(EndpointError) as failure:
            model.likelihood([SentenceQuery(text)])
        told.append(failure.value)
    told += [model.name, model.about, model.fingerprint, model, model.handshake, model.asker, vars(model)]
    told += [vars(model.handshake.chat._transport), caplog.text, *capsys.readouterr()]
    told += [json.loads(line) for file in own_cache.rglob("*.jsonl") for line in file.read_text().split("\n") if line]
    assert all(headers["Authorization"] == f"Bearer {key}" for headers in server.seen_headers)
    shown = [str(one).replace(f"'_key': '{KEY}'", "") for one in told]
    assert [one for one in shown if not gone(KEY, one) or echo in one] == []
    assert MASK in "".join(shown)


@pytest.mark.parametrize("name", ["plain", "JSON", "percent", "HTML in numbers", "b64encode after Bearer "])
def test_an_error_that_is_shortened_holds_no_part_of_a_key(name, server, quick, key):  # noqa: ARG001
    """The message is longer than what is shown of it, and the cut falls on every character of the key."""
    said = []

    def complain(request):
        request.status = 400
        request.raw = json.dumps({"error": {"message": f"{'x' * said[-1]} {ESCAPES[name]} was refused"}}).encode()

    server.faults.append(complain)
    transport = transport_to(server, quick)
    for before in range(LONGEST_MESSAGE - len(ESCAPES[name]) - 3, LONGEST_MESSAGE + 2):
        said.append(max(before, 0))
        message = error_of(transport)
        assert gone(BEGINNING, message), message
        assert len(message) < LONGEST_MESSAGE + 60


@pytest.mark.parametrize("name", ["plain", "JSON", "percent", "HTML in numbers"])
def test_an_error_that_the_server_cuts_holds_no_part_of_a_key(name, server, quick, key):  # noqa: ARG001
    said = []

    def complain(request):
        request.status, request.raw = 404, said[-1].encode()

    server.faults.append(complain)
    transport = transport_to(server, quick)
    whole = f'{{"error": {{"message": "wrong key {ESCAPES[name]}'
    for end in range(30, len(whole) + 1):
        for closing in ("", '"}}', '…"}}'):
            said.append(whole[:end] + closing)
            assert gone(BEGINNING, error_of(transport)), said[-1]


def test_tokens_that_spell_the_key_together_are_no_way_out(server, quick, key):
    """No single token holds a key; an error joins them, and cuts what it joined."""
    model = load_served(server.spec, patience=quick)
    for before in range(20, 62):

        def spell(request, before=before):
            if request.path == "/completions":
                request.answer["choices"][0]["logprobs"] = {
                    "tokens": ["x" * before, *key],
                    "token_logprobs": [-1.0] * (1 + len(key)),
                }
                request.answer["usage"] = {}

        server.faults[:] = [spell]
        with pytest.raises(EndpointError, match="the tokens spell") as failure:
            model.likelihood([SentenceQuery(f"A text, number {before}.")])
        assert gone(BEGINNING, str(failure.value))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status, server, quick, key):
    with PretendServer() as elsewhere:

        def redirect(request):
            request.status, request.answer = status, {}
            request.extra_headers["location"] = f"{elsewhere.url}/v1/models?key={KEY}"

        server.faults.append(redirect)
        message = error_of(transport_to(server, quick))
        assert "redirects to http://127.0.0.1" in message
        assert "name its address" in message
        assert key not in message
        assert elsewhere.seen_headers == []


@contextmanager
def proxy(answer=b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n"):
    """A proxy that lets nobody pass; the requests that it was sent."""
    seen = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                seen.append(connection.recv(65536).decode())
                connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", seen
    finally:
        listener.close()


@pytest.fixture
def no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_on_the_way_to_a_safe_address_is_not_told_the_key(quick, key, monkeypatch):
    with proxy() as (place, seen):
        monkeypatch.setenv("HTTPS_PROXY", f"http://user:pass-word-9@{place}")
        message = error_of(Transport(Endpoint.parse("openai:https://model.invalid/v1#a"), patience=quick))
    assert seen[0].startswith("CONNECT model.invalid:443 ")
    assert "Proxy-Authorization: Basic" in seen[0]
    assert key not in "".join(seen)
    assert "pass-word-9" not in message


@pytest.mark.usefixtures("no_proxies")
def test_what_a_proxy_repeats_is_masked(quick, key, monkeypatch):
    body = json.dumps({"error": f"user, pass-word-9, {html.escape(KEY)}"}).encode()
    with proxy(b"HTTP/1.1 400 No\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)) as (place, seen):
        monkeypatch.setenv("all_proxy", f"http://user:pass-word-9@{place}")
        message = error_of(Transport(Endpoint.parse("openai:http://model.invalid/v1#a"), patience=quick))
    assert f"user, {MASK}, {MASK}" in message
    assert f"Authorization: Bearer {key}" in seen[0]  # an address without TLS: whoever is on the way reads all


@pytest.mark.usefixtures("no_proxies", "key")
@pytest.mark.parametrize("names", [{"http_proxy": "{}"}, {"ALL_PROXY": "http://{}", "NO_PROXY": ""}])
def test_no_proxy_stands_between_two_processes_of_one_machine(server, quick, monkeypatch, names):
    with proxy() as (place, seen):
        for name, value in names.items():
            monkeypatch.setenv(name, value.format(place))
        transport_to(server, quick).get(f"{server.url}/v1/models")
    assert seen == []


@pytest.mark.usefixtures("no_proxies", "key")
def test_a_host_that_no_proxy_names_is_asked_itself(quick, monkeypatch):
    with proxy() as (place, seen):
        monkeypatch.setenv("http_proxy", f"http://{place}")
        monkeypatch.setenv("no_proxy", "model.invalid")
        error_of(Transport(Endpoint.parse("openai:http://model.invalid/v1#a"), patience=quick))
    assert seen == []


@pytest.mark.parametrize("kind", ["ftp", "socks5"])
@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_that_cannot_be_used_is_one_line(quick, monkeypatch, kind):
    monkeypatch.setenv("http_proxy", f"{kind}://user:pass-word-9@127.0.0.1:1")
    message = error_of(Transport(Endpoint.parse("openai:http://model.invalid/v1#a"), patience=quick))
    assert "pass-word-9" not in message


def test_a_key_from_a_file_may_end_with_a_line(server, quick, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    transport_to(server, quick).get(f"{server.url}/v1/models")
    assert server.seen_headers[-1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("bad", ["sk-sécret-0123456789", "sk-secret\n-0123456789"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(server, quick, monkeypatch, bad):
    monkeypatch.setenv("OPENAI_API_KEY", bad)
    with pytest.raises(ModelError, match="no header can hold") as refused:
        transport_to(server, quick)
    assert gone(bad, str(refused.value))


def test_a_refusal_keeps_its_status(server, quick, key):
    server.faults.append(lambda request: setattr(request, "status", 422))
    with pytest.raises(RejectedError) as refused:
        transport_to(server, quick).get(f"{server.url}/v1/models")
    assert refused.value.status == 422
    assert key not in str(refused.value)
