"""A real llama.cpp server with SmolLM2: what it says by its own route, whatever it ignores on others."""

import httpx
import pytest

from biascheck.core.errors import EndpointError
from biascheck.models.base import capabilities_of
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery
from biascheck.models.served.model import load_served
from support.llama_server import LlamaServer, gguf

CONTEXT = "The nurse said that"


@pytest.fixture(scope="module")
def model(llama, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASCHECK_CACHE", str(tmp_path_factory.mktemp("cache")))
        return load_served(f"openai:{llama.url}/v1")


def listed(llama, prompt, count=3_000):
    """The likeliest next tokens by the server's own list, which forces nothing."""
    body = {"prompt": prompt, "n_predict": 1, "n_probs": count, "temperature": 0, "cache_prompt": False}
    answer = httpx.post(f"{llama.url}/completion", json=body, timeout=60, trust_env=False).json()
    return {entry["token"]: entry["logprob"] for entry in answer["completion_probabilities"][0]["top_logprobs"]}


def test_the_handshake_notices_that_echo_is_ignored(model):
    assert "echo is ignored" in str(model.handshake)
    assert model.about["scored by"] == "/completion with n_probs, tokens forced by a grammar"
    assert model.about["quantisation"] == "Q4_1"
    assert model.about["runtime"] == "llama.cpp"
    assert model.about["framing"] == "raw"
    assert model.framed("chat").about["framing"] == "chat"
    assert model.about["opening token"] == "<|endoftext|>"  # as for the same weights in transformers
    assert capabilities_of(model) == {"scores text", "scores continuations", "chats", "generates"}


def test_continuations_are_those_of_the_servers_own_list(model, llama):
    words = [" she", " he", " the"]
    answers = model.continuations([ContinuationQuery(CONTEXT, word) for word in words])
    free = listed(llama, CONTEXT)
    assert [answer.log_probability for answer in answers] == pytest.approx([free[word] for word in words], abs=1e-4)
    assert answers[0].log_probability == pytest.approx(-2.061, abs=0.02)  # METHODS: llama.cpp, this file


def test_a_sentence_is_the_sum_of_its_tokens(model, llama):
    tokens = ["The", " nurse", " said", " that", " she", "."]
    (answer,) = model.likelihood([SentenceQuery("".join(tokens))])
    expected = 0.0
    for place, token in enumerate(tokens):
        expected += listed(llama, "<|endoftext|>" + "".join(tokens[:place]), 49_152 if place < 2 else 3_000)[token]
    assert answer.log_probability == pytest.approx(expected, abs=1e-3)
    assert answer.pieces == len(tokens)


def test_the_two_ways_of_forcing_agree(model):
    text = "My sister is a plumber, naïve or not."
    by_grammar = model.route.read(text)
    model.route._by_grammar = False
    try:
        assert model.route.read(text).log_probabilities == pytest.approx(by_grammar.log_probabilities, abs=1e-4)
    finally:
        model.route._by_grammar = True


def test_chat_framing_uses_the_servers_template(model, llama):
    chat = model.framed("chat")
    (yes,) = chat.continuations([ContinuationQuery("Is water wet?", " Yes")])
    prompt = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
    prompt += "<|im_start|>user\nIs water wet?<|im_end|>\n<|im_start|>assistant\n"
    assert yes.log_probability == pytest.approx(listed(llama, prompt)["Yes"], abs=1e-3)
    assert chat.fingerprint != model.fingerprint
    assert chat.treatment == ("chat",)
    assert chat.generate(["Say hello."], max_tokens=4) != model.generate(["Say hello."], max_tokens=4)


@pytest.mark.slow
def test_a_killed_server_loses_no_answer(quick):
    texts = [f"The {job} is here." for job in ("nurse", "baker", "pilot", "cook", "judge", "clerk", "smith", "monk")]
    queries = [SentenceQuery(text) for text in texts]
    server = LlamaServer(gguf()).start()
    try:
        model = load_served(f"llamacpp:{server.url}", patience=quick, concurrency=1)
        before, add = len(model.asker.cached), model.asker.cached.add

        def add_and_kill(key, answer):
            add(key, answer)
            if len(model.asker.cached) == before + 3:
                server.kill()

        model.asker.cached.add = add_and_kill
        with pytest.raises(EndpointError, match="does not answer"):
            model.likelihood(queries)
        server.start()
        again = load_served(f"llamacpp:{server.url}", patience=quick, concurrency=1)
        made = again.asker.allowance.made
        answers = again.likelihood(queries)
        assert again.asker.allowance.made - made == 2 * (len(texts) - 3)  # its tokens, then its figures
        assert again.fingerprint == model.fingerprint
        assert len({answer.log_probability for answer in answers}) == len(texts)
    finally:
        server.kill()
