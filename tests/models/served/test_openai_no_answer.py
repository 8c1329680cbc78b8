"""A reply that was held back, refused, cut off or left blank is no answer: it is counted, and never kept."""

import pytest

from biascheck import measures
from biascheck.core.store import digest_of
from biascheck.corpora import builtin_questions
from biascheck.measures.answers import REFUSED, UNANSWERED, UNPARSED
from biascheck.models.scoring.queries import ContinuationQuery, Refusal
from biascheck.models.served.model import load_served
from biascheck.models.served.openai import BLANK, CUT_OFF, HELD_BACK, NO_ANSWER, REFUSED_BY_MODEL

CHOICES = {
    "content filter": ({"finish_reason": "content_filter", "message": {"content": ""}}, HELD_BACK),
    "content filter, null": ({"finish_reason": "content_filter", "message": {"content": None}}, HELD_BACK),
    "content filter, a part": ({"finish_reason": "content_filter", "message": {"content": "B. The"}}, HELD_BACK),
    "a refusal": ({"finish_reason": "stop", "message": {"content": None, "refusal": "I can't"}}, REFUSED_BY_MODEL),
    "cut off": ({"finish_reason": "length", "message": {"content": "The answer is"}}, CUT_OFF),
    "thoughts only": ({"finish_reason": "length", "message": {"content": "", "reasoning_content": "B"}}, CUT_OFF),
    "null": ({"finish_reason": "stop", "message": {"content": None}}, BLANK),
    "nothing": ({"finish_reason": "stop", "message": {}}, BLANK),
    "blank": ({"finish_reason": "stop", "message": {"content": " \n"}}, BLANK),
    "a tool": ({"finish_reason": "tool_calls", "message": {"content": None, "tool_calls": [{}]}}, BLANK),
}


@pytest.fixture
def generator(server):
    """A server that only generates; what it replies is chosen by ``choice``."""
    server.echo = False
    server.choice = None

    def reply(request):
        if server.choice is not None and request.path == "/chat/completions":
            request.answer = {"choices": [server.choice]}

    server.faults.append(reply)
    return server


def kept(folder):
    return "".join(file.read_text() for file in folder.rglob("*.jsonl"))


@pytest.mark.parametrize("case", CHOICES)
def test_it_is_a_refusal_with_its_reason_and_not_kept(case, generator, own_cache):
    model = load_served(generator.spec)
    before = kept(own_cache)
    generator.choice, why = CHOICES[case]
    assert model.generate(["Who?", "Who?"], max_tokens=9) == [Refusal(why), Refusal(why)]
    assert kept(own_cache) == before
    generator.choice = {"finish_reason": "stop", "message": {"content": "Nobody."}}
    assert model.generate(["Who?"], max_tokens=9) == ["Nobody."]  # another day it answers
    generator.choice = None
    assert load_served(generator.spec).generate(["Who?"], max_tokens=9) == ["Nobody."]


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"text": "", "finish_reason": "content_filter"}, HELD_BACK),
        ({"text": " and so", "finish_reason": "content_filter"}, HELD_BACK),
        ({"text": " ", "finish_reason": "stop"}, BLANK),
        ({"text": " and so", "finish_reason": "length"}, None),  # whoever writes on need not come to an end
    ],
)
def test_a_text_that_is_written_on(server, choice, why):
    model = load_served(server.spec)

    def write(request):
        if request.path == "/completions":
            request.answer = {"choices": [choice]}

    server.faults.append(write)
    assert model.generate(["The nurse"], max_tokens=2) == [choice["text"] if why is None else Refusal(why)]


def test_likeliest_tokens_of_an_answer_that_was_held_back(server):
    """One text that a filter holds back does not end the run."""
    server.echo = False

    def reply(request):
        if request.path == "/chat/completions" and request.body.get("logprobs"):
            words = ["Yes", "No"] if "sky" in str(request.body) else ["No", "Yes"]
            listed = [{"token": word, "logprob": -1.0 - place} for place, word in enumerate(words)]
            request.answer["choices"][0]["logprobs"] = {"content": [{"logprob": -1.0, "top_logprobs": listed}]}
            if "bad" in str(request.body):
                request.answer = {"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}

    server.faults.append(reply)
    model = load_served(server.spec)
    queries = [ContinuationQuery("A good text?", "No"), ContinuationQuery("A bad text?", "No")]
    good, bad = model.continuations(queries)
    assert good.log_probability == -1.0
    assert bad == Refusal(HELD_BACK)


def test_a_filter_whose_text_was_kept_empty_by_an_earlier_release_is_asked_again(generator):
    model = load_served(generator.spec)
    model.asker.cached.add(digest_of([1, model.asker.identity, ["generate", "chat", 9, "Who?"]]), "")
    assert model.generate(["Who?"], max_tokens=9) == ["Hello."]


@pytest.mark.parametrize("case", CHOICES)
def test_measures_count_it_as_unanswered(case, server):
    questions = builtin_questions().where(category="age")
    first = next(iter(questions)).cluster
    silent = {item.context for item in questions if item.cluster == first}
    choice, why = CHOICES[case]

    def reply(request):
        if request.path == "/chat/completions":
            said = request.body["messages"][0]["content"]
            answer = {"finish_reason": "stop", "message": {"content": "B."}}
            request.answer = {"choices": [choice if any(context in said for context in silent) else answer]}

    server.echo = False
    server.faults.append(reply)
    answered = measures.question_answers(load_served(server.spec), questions, method="generated")
    assert {skip.reason for skip in answered.skipped} == {why}
    share = measures.unanswered_share(answered)
    assert share.estimate == pytest.approx(len(answered.skipped) / len(questions))
    assert 0 < share.estimate < 0.5


def test_the_reasons_of_models_and_measures_are_one_list():
    assert set(NO_ANSWER) < set(UNANSWERED)
    assert REFUSED_BY_MODEL == REFUSED
    assert UNPARSED not in NO_ANSWER
