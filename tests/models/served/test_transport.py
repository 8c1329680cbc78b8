"""Servers are slow, busy, cut off and killed. Each is survived with the right figure, or ends the run in one line."""

import json
import logging
import threading
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from biascheck.core.errors import EndpointError, ModelError, UsageError
from biascheck.models.scoring.queries import SentenceQuery
from biascheck.models.served.model import load_served
from support.pretend_server import PretendServer

TEXTS = [f"He works as a {job}." for job in ("nurse", "baker", "pilot", "cook", "judge", "clerk")]
QUERIES = [SentenceQuery(text) for text in TEXTS]
KEY = "sk-secret-0123456789"


def scores(model, queries=QUERIES):
    return [answer.log_probability for answer in model.likelihood(queries)]


def every(count, break_it):
    """A fault that breaks every so many scoring requests; asking again succeeds."""

    def fault(request):
        if request.path == "/completions" and request.number % count == 0:
            break_it(request)

    return fault


def status(code, **headers):
    def break_it(request):
        request.status, request.answer = code, {"error": {"message": "later"}}
        request.extra_headers = {name.replace("_", "-"): value for name, value in headers.items()}

    return break_it


def cut(request):
    """The connection ends in the middle of the answer."""
    request.sent = True
    request.handler.send_response(200)
    request.handler.send_header("content-length", "1000")
    request.handler.end_headers()
    request.handler.wfile.write(b'{"choices": [')
    request.handler.close_connection = True


def drop(request):
    """The connection ends without an answer."""
    request.sent = True
    request.handler.close_connection = True


def no_json(request):
    request.raw = b"<html>gateway</html>"


def hang(request):
    request.sent = True
    threading.Event().wait(1.5)
    request.handler.close_connection = True


PASSING = {
    "busy (429)": status(429),
    "busy, with the seconds to wait": status(429, Retry_After="0.01"),
    "busy, with the date to wait for": status(429, Retry_After=format_datetime(datetime.now(UTC), usegmt=True)),
    "overloaded (503)": status(503),
    "failing (500)": status(500),
    "cut off": cut,
    "dropped": drop,
    "no JSON": no_json,
}


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_survived_with_the_right_figures(fault, server, quick):
    server.faults.append(every(3, PASSING[fault]))
    model = load_served(server.spec, patience=quick)
    assert scores(model) == pytest.approx(list(map(server.likelihood, TEXTS)))


def test_a_hanging_request_is_given_up_and_made_again(server, quick):
    model = load_served(server.spec, patience=replace(quick, timeout=0.4))
    server.faults.append(every(5, hang))
    assert scores(model) == pytest.approx(list(map(server.likelihood, TEXTS)))


@pytest.fixture
def waits(monkeypatch):
    """Nobody sleeps: the seconds are noted, each as long as chance could make it."""
    noted = []
    monkeypatch.setattr("biascheck.models.served.transport.time.sleep", noted.append)
    monkeypatch.setattr("biascheck.models.served.transport.random.uniform", lambda _low, high: high)
    return noted


def test_the_waits_double_up_to_a_bound_and_then_the_server_is_given_up(server, quick, waits):
    model = load_served(server.spec, patience=replace(quick, attempts=6, first_wait=0.5, longest_wait=3.0))
    server.faults.append(every(1, status(503)))
    with pytest.raises(EndpointError, match="does not answer after 6 attempts"):
        model.likelihood(QUERIES[:1])
    assert waits == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_a_server_that_says_how_long_is_waited_for_so_long(server, quick, waits):
    model = load_served(server.spec, patience=replace(quick, attempts=3))
    server.faults.append(every(1, status(429, Retry_After="7")))
    with pytest.raises(EndpointError, match="does not answer after 3 attempts"):
        model.likelihood(QUERIES[:1])
    assert waits == [7.0, 7.0]


def test_a_server_that_asks_for_an_hour_is_not_waited_for(server, quick):
    model = load_served(server.spec, patience=quick)
    server.faults.append(every(1, status(429, Retry_After="3600")))
    with pytest.raises(EndpointError, match="asks to wait 3,600 seconds"):
        scores(model)


def test_nobody_there_is_one_line(quick):
    with PretendServer() as gone:
        spec = gone.spec
    with pytest.raises(EndpointError, match=r"cannot be reached .*check the address"):
        load_served(spec, patience=quick)


def test_figures_that_turn_wrong_after_the_handshake_end_the_run(server, quick):
    model = load_served(server.spec, patience=quick)

    def wrong(request):
        if request.path == "/completions":
            request.answer["choices"][0]["logprobs"]["token_logprobs"][-1] = float("nan")

    server.faults.append(wrong)
    with pytest.raises(EndpointError, match=r"a log-probability is nan.*no figure was made of this"):
        scores(model)


def test_a_text_that_the_server_refuses_is_an_item_without_a_score(server, quick):
    model = load_served(server.spec, patience=quick)

    def refuse(request):
        if "pilot" in str(request.body):
            request.status, request.answer = 400, {"error": {"message": "content filter"}}

    server.faults.append(refuse)
    answers = model.likelihood(QUERIES)
    assert ["content filter" in getattr(answer, "reason", "") for answer in answers] == [
        "pilot" in text for text in TEXTS
    ]


# Nothing is paid for twice.


def test_each_distinct_text_is_asked_once_and_kept(server):
    model = load_served(server.spec)
    before = server.asked["/completions"]
    scores(model, [*QUERIES, *QUERIES])
    assert server.asked["/completions"] - before == len(TEXTS)
    again = load_served(server.spec)
    before = server.asked["/completions"]
    assert scores(again) == pytest.approx(list(map(server.likelihood, TEXTS)))
    assert server.asked["/completions"] == before


def test_without_keeping_it_is_asked_again(server, own_cache):
    scores(load_served(server.spec, cache_answers=False))
    assert not own_cache.exists()


def test_a_server_that_dies_in_the_middle_loses_nothing(server, quick):
    model = load_served(server.spec, patience=quick, concurrency=1)
    answered_before = server.asked["/completions"]

    def die_later(request):
        if server.asked["/completions"] > answered_before + 3:
            drop(request)

    server.faults.append(die_later)
    with pytest.raises(EndpointError, match=r"does not answer after 6 attempts.*asks only what is missing"):
        scores(model)
    with pytest.raises(EndpointError, match="does not answer"):  # at once: no more attempts
        scores(model)
    server.faults.clear()
    again = load_served(server.spec, patience=quick, concurrency=1)
    before = server.asked["/completions"]
    assert scores(again) == pytest.approx(list(map(server.likelihood, TEXTS)))
    assert server.asked["/completions"] - before == len(TEXTS) - 3


def test_half_a_line_and_a_forged_one_are_asked_again(server, own_cache):
    model = load_served(server.spec, concurrency=1)
    scores(model)
    (file,) = (own_cache / "answers").glob("*.jsonl")
    lines = file.read_text().split("\n")
    *_, last, _ = (place for place, line in enumerate(lines) if line)
    lines[last] = lines[last].replace("-5.0", "-4.0", 1)
    lines[-2] = lines[-2][: len(lines[-2]) // 2]
    file.write_text("\n".join(lines[:-1]))
    again = load_served(server.spec)
    before = server.asked["/completions"]
    assert scores(again) == pytest.approx(list(map(server.likelihood, TEXTS)))
    assert server.asked["/completions"] - before == 2


def test_two_processes_can_share_what_they_keep(server):
    first, second = (load_served(server.spec) for _ in range(2))
    scores(first)
    before = server.asked["/completions"]
    scores(second)
    assert server.asked["/completions"] == before


# Budgets and estimates.


def test_work_beyond_the_budget_is_refused_before_it_begins(server):
    needed = _requests_of_a_handshake(server)
    model = load_served(server.spec, max_requests=needed + 3)
    before = server.asked.total()
    with pytest.raises(EndpointError, match=r"needs 6 requests, and 3 of the budget of \d+ are left; nothing was"):
        scores(model)
    assert server.asked.total() == before


def test_retries_count_and_stop_at_the_budget(server, quick):
    needed = _requests_of_a_handshake(server)
    model = load_served(server.spec, max_requests=needed + 7, patience=quick, concurrency=1)
    server.faults.append(every(1, status(500)))
    with pytest.raises(EndpointError, match="500"):
        scores(model)
    with pytest.raises(EndpointError, match="1 of the budget"):
        scores(model)
    assert model.asker.allowance.made == needed + 6


def _requests_of_a_handshake(server):
    return load_served(server.spec).asker.allowance.made


@pytest.mark.parametrize("option", [{"max_requests": 0}, {"concurrency": 0}])
def test_a_budget_of_nothing_is_a_mistake(server, option):
    with pytest.raises(UsageError, match="give 1 or more"):
        load_served(server.spec, **option)


def test_a_long_run_is_announced_with_tokens_price_and_time(server, monkeypatch):
    model = load_served(server.spec, price=2.0, concurrency=2)
    model.asker.pace = replace(model.asker.pace, seconds=30.0)
    said = []
    monkeypatch.setattr("biascheck.models.served.model.announce", said.append)
    scores(model)
    tokens = sum(len(text) for text in TEXTS) * model.asker.pace.tokens
    assert said == [
        f"biascheck: pretend: 6 texts to ask (0 are known), about {tokens:.0f} tokens, "
        "about 0.00 at 2 for a million, about 3 min"
    ]
    assert 0.15 < model.asker.pace.tokens < 0.35


# The key.


def test_the_key_reaches_the_server_and_nothing_else(server, monkeypatch, own_cache, caplog, capsys, quick):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("BIASCHECK_API_KEY", KEY)

    def chatty(request):  # a server that repeats the key wherever it can
        if request.path == "/models":
            request.answer["data"][0]["meta"] = {"ftype": f"Q4 {KEY}"}
        if "judge" in str(request.body):
            request.status, request.answer = 400, {"error": {"message": f"wrong key {KEY}"}}
        if "clerk" in str(request.body):
            request.status, request.answer = 404, {"error": {"message": f"{request.headers}"}}

    server.faults.append(chatty)
    model = load_served(server.spec, patience=quick)
    answers = model.likelihood(QUERIES[:-1])
    with pytest.raises(EndpointError) as failure:
        model.likelihood(QUERIES)
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.seen_headers)
    kept = "".join(file.read_text() for file in own_cache.rglob("*") if file.is_file())
    told = [kept, caplog.text, *capsys.readouterr(), str(failure.value), str(answers), str(model.about)]
    told += [model.fingerprint, repr(model), str(model.handshake), repr(model.asker), repr(vars(model))]
    assert kept
    assert not [one for one in told if KEY in one]


def test_a_refused_key_names_the_variable_and_not_the_key(server, monkeypatch):
    server.faults.append(lambda request: status(401)(request))
    with pytest.raises(ModelError, match="request without a key; set BIASCHECK_API_KEY"):
        load_served(server.spec)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ModelError, match="the key in BIASCHECK_API_KEY or OPENAI_API_KEY") as refused:
        load_served(server.spec)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    "spec",
    [
        f"openai:http://user:{KEY}@127.0.0.1/v1#name",
        f"openai:https://127.0.0.1/v1?key={KEY}#name",
        f"vllm:http:///{KEY}",
    ],
)
def test_a_key_in_the_address_is_refused_and_not_repeated(spec):
    with pytest.raises(UsageError) as refused:
        load_served(spec)
    assert KEY not in str(refused.value)


def test_kept_answers_hold_no_sentence(server, own_cache):
    scores(load_served(server.spec))
    kept = "".join(file.read_text() for file in own_cache.rglob("*.jsonl"))
    assert "works" not in kept
    assert json.loads(kept.strip().splitlines()[-1])[1]
