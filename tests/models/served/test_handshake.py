"""A server is measured only if its figures are those of a language model; whatever else it does is refused."""

import math
import re

import pytest

from biascheck.core.errors import ModelError
from biascheck.models.base import capabilities_of, in_framing
from biascheck.models.scoring.continuations import SENTENCE_REQUEST
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery
from biascheck.models.served.model import load_served
from support.pretend_server import OPENING, PretendServer, tokens_of

TEXTS = ["He works as a nurse.", "She works as a nurse.", "The children had a good day, today."]
DIALECTS = ("openai", "vllm", "llamacpp")


def scores(model, texts=TEXTS):
    return [answer.log_probability for answer in model.likelihood([SentenceQuery(text) for text in texts])]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_likelihood_is_that_of_the_server(dialect):
    with PretendServer(dialect) as server:
        model = load_served(server.spec)
        answers = model.likelihood([SentenceQuery(text) for text in TEXTS])
        assert [answer.log_probability for answer in answers] == pytest.approx(list(map(server.likelihood, TEXTS)))
        assert [answer.pieces for answer in answers] == [len(tokens_of(text)) for text in TEXTS]
        assert {"scores text", "scores continuations", "generates"} <= capabilities_of(model)
        assert "prompt log-probabilities" in str(model.handshake)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_continuation_is_scored_after_its_context(dialect):
    with PretendServer(dialect) as server:
        model = load_served(server.spec)
        answers = model.continuations(
            [
                ContinuationQuery("He works", " as a nurse."),
                ContinuationQuery("", "He works as a nurse."),
                ContinuationQuery("He wor", "ks as a nurse."),  # a token that holds the end of the context, too
                ContinuationQuery("He", ""),
            ]
        )
        tokens = tokens_of("He works as a nurse.")
        assert answers[0].log_probability == pytest.approx(sum(server.figures(tokens, start=2)))
        assert answers[0].pieces == 4
        assert answers[1].log_probability == pytest.approx(server.likelihood("He works as a nurse."))
        assert answers[2].log_probability == pytest.approx(sum(server.figures(tokens, start=1)))
        assert "empty" in answers[3].reason


def test_in_chat_framing_the_continuation_answers_the_user():
    with PretendServer("llamacpp") as server:
        chat = load_served(server.spec).framed("chat")
        (sentence,) = chat.likelihood([SentenceQuery(TEXTS[0])])
        (answer,) = chat.continuations([ContinuationQuery("What does he do?", " He works as a nurse.")])
        for found, said in ((sentence, SENTENCE_REQUEST), (answer, "What does he do?")):
            prompt = tokens_of(f"{OPENING}user: {said}{OPENING}")
            expected = sum(server.figures([*prompt, *tokens_of(TEXTS[0])], start=len(prompt)))
            assert found.log_probability == pytest.approx(expected)
        assert chat.framed("raw").fingerprint != chat.fingerprint


def test_an_endpoint_that_only_chats_is_asked_in_chat_framing_and_stays_what_it_is():
    with PretendServer() as server:
        server.echo = False
        model = load_served(server.spec)
        assert in_framing(model, "chat") is in_framing(model, "auto") is model


def test_a_server_that_opens_texts_itself_gets_no_second_opening_token():
    with PretendServer(opens=True) as server:
        model = load_served(server.spec)
        scores(model)
        assert model.about["opening token"] == "<s>"
        assert not [prompt for prompt in server.prompts if OPENING in prompt]


def test_one_without_token_grammars_is_asked_token_by_token():
    with PretendServer("llamacpp") as server:
        server.grammar = False
        model = load_served(server.spec)
        assert scores(model) == pytest.approx(list(map(server.likelihood, TEXTS)))
        assert "logit_bias" in model.about["scored by"]


def test_a_text_that_is_too_long_is_refused_and_no_error():
    with PretendServer("llamacpp") as server:
        long, short = load_served(server.spec).likelihood([SentenceQuery("word " * 80), SentenceQuery("A word.")])
        assert re.search("at most 64", long.reason)
        assert short.pieces == 3


def test_an_endpoint_that_only_chats_says_so_and_scores_nothing():
    with PretendServer() as server:
        server.echo = False
        model = load_served(server.spec)
        assert model.handshake.abilities == ("generation only",)
        assert "echo is ignored" in str(model.handshake)
        assert capabilities_of(model) == {"generates"}
        assert model.generate(["Hello?"], max_tokens=3) == ["Hello."]


def listing(change=lambda entries, _: entries):
    """An endpoint that lists the likeliest first tokens: "Yes" with 1/2 and "No" with 1/4, or the other way round."""

    def fault(request):
        if request.path == "/chat/completions" and request.body.get("logprobs"):
            words = ["Yes", "No"] if "sky" in str(request.body) else ["No", "Yes"]
            entries = [{"token": word, "logprob": -math.log(2 << place)} for place, word in enumerate(words)]
            first = {**entries[0], "top_logprobs": change(entries, request)}
            request.answer["choices"][0]["logprobs"] = {"content": [first]}

    return fault


def test_an_endpoint_with_the_likeliest_tokens_scores_answers_of_one_token():
    with PretendServer() as server:
        server.echo = False
        server.faults.append(listing())
        model = load_served(server.spec)
        assert model.handshake.abilities == ("top-k only", "generation")
        assert capabilities_of(model) == {"scores continuations", "generates"}
        asked = server.asked.total()
        queries = [ContinuationQuery("Is the sky green?", answer) for answer in (" Yes", " No", " Maybe")]
        yes, no, maybe = model.continuations(queries)
        assert (yes.log_probability, no.log_probability) == pytest.approx((-math.log(2), -math.log(4)))
        assert "'Maybe' is not among the 2 likeliest tokens" in maybe.reason
        assert server.asked.total() == asked + 1  # three options, one question


@pytest.mark.parametrize(
    "wrong",
    [
        lambda entries, _: entries[:1],
        lambda entries, _: entries[::-1],
        lambda entries, _: [{**one, "logprob": -0.1} for one in entries],
        lambda entries, _: [{**one, "logprob": math.nan} for one in entries],
        lambda entries, request: [{**one, "logprob": one["logprob"] - request.number} for one in entries],
        lambda *_: [{"token": "Yes", "logprob": -1.0}, {"token": "No", "logprob": -2.0}],
    ],
    ids=["one", "order", "above one", "not a number", "changing", "whatever is asked"],
)
def test_a_wrong_list_of_tokens_is_not_used(wrong):
    with PretendServer() as server:
        server.echo = False
        server.faults.append(listing(wrong))
        model = load_served(server.spec)
        assert model.handshake.abilities == ("generation only",)
        assert capabilities_of(model) == {"generates"}


# What a server may do wrong with its figures. None of them may be measured.


def numbers_of(request):
    """The list of figures in an answer, whichever the dialect; None where there is none."""
    if not isinstance(request.answer, dict):
        return None
    if "completion_probabilities" in request.answer:
        return request.answer["completion_probabilities"]
    choice = (request.answer.get("choices") or [{}])[0]
    return choice.get("prompt_logprobs") or (choice.get("logprobs") or {}).get("token_logprobs")


def changed(change):
    """A fault that changes every figure: (place, figure, request) → figure."""

    def fault(request):
        entries = numbers_of(request)
        for place, entry in enumerate(entries or []):
            if entry is None:
                continue
            if isinstance(entry, float):
                entries[place] = change(place, entry, request)
            else:
                inner = entry if "logprob" in entry else next(iter(entry.values()))
                inner["logprob"] = change(place, inner["logprob"], request)

    return fault


def one_figure_less(request):
    if entries := numbers_of(request):
        entries.pop()


def one_figure_more(request):
    if entries := numbers_of(request):
        entries.append(entries[-1])


def no_figures(request):
    if entries := numbers_of(request):
        entries.clear()


def other_tokenizer(request):
    """Tokens are single characters in what is shown, though words are scored."""
    if request.path == "/tokenize":
        request.answer["tokens"] = [number + 1 for number in request.answer["tokens"]]
    if request.path == "/completions" and request.answer and "logprobs" in request.answer["choices"][0]:
        shown = request.answer["choices"][0]["logprobs"]
        shown["tokens"] = [token.upper() for token in shown["tokens"]]


def backwards(request):
    if entries := numbers_of(request):
        if isinstance(entries[-1], float):
            entries[1:] = entries[:0:-1]
        elif "logprob" in entries[-1]:
            figures = [entry["logprob"] for entry in entries]
            for entry, figure in zip(entries, reversed(figures), strict=True):
                entry["logprob"] = figure + 0.5 * len(figures) * (figure < -2)


WRONG = {
    "not a number": changed(lambda *_: math.nan),
    "infinite": changed(lambda *_: -math.inf),
    "above zero": changed(lambda *_: 1.5),
    "text": changed(lambda *_: "-1.0"),
    "null": changed(lambda *_: None),
    "the same for every token": changed(lambda *_: -3.0),
    "zero, as of a sampler without a choice": changed(lambda *_: 0.0),
    "another one every time": changed(lambda _, figure, request: figure - 0.01 * (request.number % 7) - 0.001),
    "dependent on what follows": changed(lambda _, figure, request: figure - 0.2 * len(numbers_of(request))),
    "one too few": one_figure_less,
    "one too many": one_figure_more,
    "none": no_figures,
    "of another tokenizer": other_tokenizer,
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_figures_are_refused_before_anything_is_measured(dialect, wrong, quick):
    with PretendServer(dialect) as server:
        server.faults.append(WRONG[wrong])
        model = load_served(server.spec, patience=quick)
        assert capabilities_of(model) == {"generates"}, str(model.handshake)
        assert model.handshake.refused
        server.on_chat_completions = None
        with pytest.raises(ModelError, match="cannot be measured"):
            load_served(server.spec, patience=quick)


def test_an_ignored_echo_with_as_many_tokens_is_noticed():
    """The worst case: the server generates, and what comes back has the right shape."""

    def generated(request):
        if request.path == "/completions" and request.body.get("echo"):
            shown = request.answer["choices"][0]["logprobs"]
            shown["tokens"] = [" and" for _ in shown["tokens"]]

    with PretendServer() as server:
        server.faults.append(generated)
        model = load_served(server.spec)
        assert "scores text" not in capabilities_of(model)
        assert "not the prompt" in str(model.handshake)


def test_an_unknown_name_lists_what_there_is():
    with PretendServer(names=("small", "large")) as server:
        with pytest.raises(ModelError, match="the server has: small, large"):
            load_served(f"openai:{server.url}/v1#medium")
        with pytest.raises(ModelError, match="name the model after #; the server has several: small, large"):
            load_served(f"openai:{server.url}/v1")


def test_other_weights_under_the_same_name_are_another_model():
    with PretendServer() as server:
        before = load_served(server.spec)
        again = load_served(server.spec)
        server.lean = lambda _before, token: -0.3 if token == " the" else 0.0
        after = load_served(server.spec)
        server.lean = lambda _before, token: -0.001 if token == " the" else 0.0  # the last digits of another day
        later = load_served(server.spec)
    assert before.fingerprint == again.fingerprint == later.fingerprint
    assert after.fingerprint != before.fingerprint
