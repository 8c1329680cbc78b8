"""On llama.cpp a text that begins like an earlier one is asked only from where it departs, and has the same figures."""

import re

import httpx
import pytest
from hypothesis import given, strategies as st

from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery
from biascheck.models.served.llamacpp import KnownBeginnings
from biascheck.models.served.model import load_served
from support.pretend_server import OPENING, PretendServer, tokens_of

TEXTS = ["He works as a nurse.", "He works as a worker.", "He works.", "She works as a worker.", "He works as a nurse"]
IDS = st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple)


def figure_of(before, ids):
    """Some figure that depends on every token before it."""
    return -1.0 - hash((before, ids)) % 1000


@given(st.lists(st.tuples(st.sampled_from([(0,), (0, 1)]), IDS), max_size=12), IDS, st.integers(1, 30))
def test_what_is_known_of_a_text_is_its_longest_beginning_that_was_kept(kept, asked, limit):
    known, all_of_them = KnownBeginnings(limit), KnownBeginnings()
    prefixes = set()
    for before, ids in kept:
        figures = [figure_of(before, ids[: place + 1]) for place in range(len(ids))]
        known.add(before, ids, figures)
        all_of_them.add(before, ids, figures)
        prefixes |= {(before, ids[: place + 1]) for place in range(len(ids))}
    for before in ((0,), (0, 1)):
        expected = []
        for place in range(len(asked)):
            if (before, asked[: place + 1]) not in prefixes:
                break
            expected.append(figure_of(before, asked[: place + 1]))
        assert all_of_them.of(before, asked) == tuple(expected)
        found = known.of(before, asked)  # it may have forgotten, but never errs
        assert found == tuple(expected[: len(found)])


def forced(server):
    """Notes how many tokens each completion forces, and whether kept states may be used."""
    seen = []

    def note(request):
        if request.path == "/completion":
            count = len(re.findall(r"<\[\d+\]>", request.body.get("grammar", ""))) or 1
            seen.append((count, request.body["cache_prompt"]))

    server.faults.append(note)
    return seen


def likelihoods(model):
    return [answer.log_probability for answer in model.likelihood([SentenceQuery(text) for text in TEXTS])]


@pytest.mark.parametrize("grammar", [True, False], ids=["grammar", "logit_bias"])
def test_each_beginning_is_asked_once(grammar):
    with PretendServer("llamacpp") as server:
        server.grammar = grammar
        model = load_served(server.spec, concurrency=1)
        seen = forced(server)
        assert likelihoods(model) == pytest.approx(list(map(server.likelihood, TEXTS)))
        beginnings = {tuple(tokens_of(text)[: place + 1]) for text in TEXTS for place in range(len(tokens_of(text)))}
        assert sum(count for count, _ in seen) == len(beginnings)
        assert all(kept for _, kept in seen)


def test_the_prompt_of_a_chat_is_kept_by_the_server():
    with PretendServer("llamacpp") as server:
        chat = load_served(server.spec, concurrency=1).framed("chat")
        seen = forced(server)
        answers = chat.continuations([ContinuationQuery("What does he do?", text) for text in TEXTS])
        prompt = tokens_of(f"{OPENING}user: What does he do?{OPENING}")
        for answer, text in zip(answers, TEXTS, strict=True):
            expected = sum(server.figures([*prompt, *tokens_of(text)], start=len(prompt)))
            assert answer.log_probability == pytest.approx(expected)
        assert all(kept for _, kept in seen)


def other_figures(request):
    for entry in request.answer["completion_probabilities"]:
        entry["logprob"] -= 0.01


def no_figures(request):
    del request.answer["completion_probabilities"]


def refused(request):
    request.status, request.answer = 400, {"error": {"message": "no such option"}}


@pytest.mark.parametrize("fault", [other_figures, no_figures, refused])
def test_a_server_that_reads_otherwise_after_a_kept_beginning_is_asked_the_whole_text(fault):
    def worse(request):
        if request.path == "/completion" and request.body["cache_prompt"]:
            fault(request)

    with PretendServer("llamacpp") as server:
        server.faults.append(worse)
        model = load_served(server.spec, concurrency=1)
        seen = forced(server)
        assert likelihoods(model) == pytest.approx(list(map(server.likelihood, TEXTS)))
        assert [count for count, _ in seen] == [len(tokens_of(text)) for text in sorted(TEXTS)]
        assert not any(kept for _, kept in seen)


@pytest.mark.parametrize(
    "text", ["My sister is a naïve 🙂 judge.", "이모 is a judge.", "日本", "My sister is a nurse."]
)
def test_a_real_server_gives_the_figures_of_its_own_list(llama, text):
    """Also of tokens that are only part of a character, which cannot be forced by a grammar."""
    model = load_served(f"llamacpp:{llama.url}", concurrency=1, cache_answers=False)
    route = model.route
    shared = route.read(text.replace("🙂", "🙃")), route.read(text)
    assert route._beginnings is not None
    route._beginnings = None
    anew = route.read(text)
    assert shared[1].log_probabilities == pytest.approx(anew.log_probabilities, abs=1e-5)
    ids = route.ids_of(text)
    for place, token in enumerate(ids):
        body = {"prompt": [route.first, *ids[:place]], "n_predict": 1, "n_probs": 49_152, "cache_prompt": False}
        body["logit_bias"] = [[route.ids_of(".")[0], 1e4]]  # a list is withheld while a character is not whole
        answer = httpx.post(f"{llama.url}/completion", json=body, timeout=60, trust_env=False).json()
        listed = {entry["id"]: entry["logprob"] for entry in answer["completion_probabilities"][0]["top_logprobs"]}
        assert anew.log_probabilities[place] == pytest.approx(listed[token], abs=1e-4)
