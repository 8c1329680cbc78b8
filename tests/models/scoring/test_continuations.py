"""ln P(continuation | context) against the plain model, the boundary between the two, choices, chat, and writing on."""

from __future__ import annotations

from math import exp, log

import pytest
import torch

from biascheck.core.errors import ModelError, ScoreError, UsageError
from biascheck.models.base import capabilities_of
from biascheck.models.fakes import ContinuationTable, ReplyTable
from biascheck.models.local.loader import load
from biascheck.models.scoring.continuations import SENTENCE_REQUEST, ChoiceQuery, choose
from biascheck.models.scoring.queries import ContinuationQuery, Refusal, SentenceQuery
from support.oracle import query, sentence_score
from support.tiny import CAUSAL, MASKED, fresh_pair, loaded, pair

TEMPLATE = (
    "{% for turn in messages %}<{{ turn['role'] }}>{{ turn['content'] }}</{{ turn['role'] }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def read_on(model, before: list[int], tokens: list[int]) -> float:
    """Token after token, each read off a forward pass of its own."""
    total = 0.0
    for place, token in enumerate(tokens):
        with torch.no_grad():
            logits = model(torch.tensor([[*before, *tokens[:place]]])).logits[0, -1]
        total += float(logits.double().log_softmax(-1)[token])
    return total


def opening(tokenizer) -> list[int]:
    """What the tokenizer puts before a text by itself."""
    ids = tokenizer("My")["input_ids"]
    return ids[: len(ids) - len(tokenizer.encode("My", add_special_tokens=False))]


@pytest.mark.parametrize("family", CAUSAL)
@pytest.mark.parametrize(
    "cut", ["My son is a| nurse.", "My son| is a nurse at work", "The boyfriend of the| phlebotomist"]
)
def test_a_continuation_is_read_token_by_token_after_its_context(family, cut):
    model, tokenizer = pair(family)
    context, continuation = cut.split("|")
    whole = tokenizer.encode(context + continuation, add_special_tokens=False)
    known = tokenizer.encode(context, add_special_tokens=False)
    assert whole[: len(known)] == known  # a word ends where the context does
    [answer] = loaded(family).continuations([ContinuationQuery(context, continuation)])
    assert answer.pieces == len(whole) - len(known)
    expected = read_on(model, [*opening(tokenizer), *known], whole[len(known) :])
    assert answer.log_probability == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("family", CAUSAL)
def test_after_nothing_a_continuation_is_a_sentence(family):
    text = "My son is a nurse."
    model = loaded(family)
    [answer] = model.continuations([ContinuationQuery("", text)])
    [sentence] = model.likelihood([SentenceQuery(text)])
    assert answer.pieces == sentence.pieces
    expected = sentence_score(*pair(family), text)
    assert (answer.log_probability, sentence.log_probability) == pytest.approx((expected, expected), abs=1e-5)


@pytest.mark.parametrize("family", CAUSAL)
def test_a_token_that_covers_the_end_of_the_context_is_scored_whole(family):
    """ "nur" and "se" are one token together, so the boundary moves to where that token begins."""
    model = loaded(family)
    merged, apart, spaced = model.continuations(
        [
            ContinuationQuery(*cut.split("|"))
            for cut in ("My son is a nur|se.", "My son is a| nurse.", "My son is a |nurse.")
        ]
    )
    assert merged.pieces == apart.pieces == spaced.pieces
    assert merged.log_probability == pytest.approx(apart.log_probability, abs=1e-5)
    assert spaced.log_probability == pytest.approx(apart.log_probability, abs=1e-5)


def test_an_empty_continuation_is_refused():
    for family in ("gpt2", "bert-uncased"):
        [answer] = loaded(family).continuations([ContinuationQuery("My son", "")])
        assert answer == Refusal("the continuation is empty, so there is nothing to score; leave it out")


def test_a_text_that_is_too_long_is_refused():
    [answer] = loaded("gpt2").continuations([ContinuationQuery("My " * 80, "son")])
    assert isinstance(answer, Refusal)
    assert "this model reads at most 64" in answer.reason


@pytest.mark.parametrize("family", MASKED)
def test_a_continuation_of_one_token_is_what_a_masked_model_fills_in(family):
    model = loaded(family)
    [filled] = model.fill([query("My son", "son")])
    [continued] = model.continuations([ContinuationQuery("My", " son")])
    assert filled.pieces == continued.pieces == 1
    assert continued.log_probability == pytest.approx(filled.log_probability, abs=1e-5)


def test_the_tokens_of_a_word_are_masked_from_left_to_right_and_other_words_are_in_sight():
    model, tokenizer = pair("bert-uncased")
    ids = tokenizer("my boyfriend works")["input_ids"]
    mask = tokenizer.mask_token_id
    word = [place for place, name in enumerate(tokenizer.convert_ids_to_tokens(ids)) if 2 <= place < len(ids) - 2]
    assert len(word) > 2
    last = len(ids) - 2
    expected = 0.0
    for place in [*word, last]:
        later = {other for other in word if other >= place} if place in word else {last}
        seen = [mask if other in later else token for other, token in enumerate(ids)]
        with torch.no_grad():
            expected += float(model(torch.tensor([seen])).logits[0, place].log_softmax(-1)[ids[place]])
    [answer] = loaded("bert-uncased").continuations([ContinuationQuery("my ", "boyfriend works")])
    assert answer.pieces == len(word) + 1
    assert answer.log_probability == pytest.approx(expected, abs=1e-5)


def test_a_word_outside_the_vocabulary_of_a_masked_model_is_refused():
    [answer] = loaded("bert-uncased").continuations([ContinuationQuery("my son is a ", "☃")])
    assert answer == Refusal("'☃' is not in this model's vocabulary; choose another word or drop it")


# ---- choices


def test_shares_are_probabilities_among_the_options():
    model = ContinuationTable({("A:", " yes"): log(0.3), ("A:", " no"): log(0.1), ("B:", " yes"): log(0.2)})
    chosen, refused = choose(model, [ChoiceQuery("A:", (" yes", " no")), ChoiceQuery("B:", (" yes", " no"))])
    assert chosen.shares == pytest.approx((0.75, 0.25))
    assert chosen.log_probabilities == pytest.approx((log(0.3), log(0.1)))
    assert chosen.best == 0
    assert refused == Refusal("' no' is not in this model's table; add it or drop it")


def test_length_can_be_taken_out():
    """A long option of likely words loses as a whole and wins per token: e^-6 < e^-4, but e^-2 > e^-4."""
    model = ContinuationTable({("Q", " a b c"): -6.0, ("Q", " d"): -4.0})
    [whole] = choose(model, [ChoiceQuery("Q", (" a b c", " d"))])
    [token] = choose(model, [ChoiceQuery("Q", (" a b c", " d"))], length="per token")
    assert whole.shares[0] == pytest.approx(1 / (1 + exp(2)))
    assert token.shares[0] == pytest.approx(1 / (1 + exp(-2)))
    assert (whole.best, token.best) == (1, 0)


def test_a_tie_has_no_best_option():
    [choice] = choose(ContinuationTable(lambda _context, _option: -1.0), [ChoiceQuery("Q", ("a", "b"))])
    assert choice.best is None
    assert choice.shares == (0.5, 0.5)


def test_what_is_no_number_is_no_choice():
    with pytest.raises(ScoreError, match="cannot be compared"):
        choose(
            ContinuationTable(lambda _c, option: float("nan") if option == "b" else -1.0),
            [ChoiceQuery("Q", ("a", "b"))],
        )
    with pytest.raises(UsageError, match="two or more different options"):
        ChoiceQuery("Q", ("a", "a"))


# ---- chat


def chatting(family: str = "gpt2"):
    model, tokenizer = fresh_pair(family)
    tokenizer.chat_template = TEMPLATE
    return load((model, tokenizer), name="chatty"), model, tokenizer


def test_in_chat_the_context_is_the_users_turn_and_the_continuation_the_answer():
    adapter, model, tokenizer = chatting()
    chat = adapter.framed("chat")
    prompt = tokenizer.encode("<user>Is she a nurse?</user><assistant>", add_special_tokens=False)
    answer = tokenizer.encode("She is.", add_special_tokens=False)
    expected = read_on(model, prompt, answer)
    first, second = chat.continuations(
        [ContinuationQuery("Is she a nurse?", "She is."), ContinuationQuery("Is she a nurse?", "  She is.")]
    )
    assert first.log_probability == pytest.approx(expected, abs=1e-5)
    assert first == second
    assert first.pieces == len(answer)


def test_in_chat_a_sentence_is_the_answer_to_a_request_for_one():
    adapter, *_ = chatting()
    chat = adapter.framed("chat")
    texts = ["My son is a nurse.", "My daughter is a nurse."]
    sentences = chat.likelihood([SentenceQuery(text) for text in texts])
    continued = chat.continuations([ContinuationQuery(SENTENCE_REQUEST, text) for text in texts])
    assert sentences == continued
    raw = adapter.likelihood([SentenceQuery(text) for text in texts])
    assert all(abs(a.log_probability - b.log_probability) > 0.1 for a, b in zip(sentences, raw, strict=True))


def test_the_framing_is_part_of_what_a_model_is():
    adapter, *_ = chatting()
    chat = adapter.framed("chat")
    assert (adapter.framing, chat.framing) == ("raw", "chat")
    assert chat.fingerprint != adapter.fingerprint == chat.framed("raw").fingerprint
    assert chat.torch_model is adapter.torch_model
    assert (adapter.treatment, chat.treatment, chat.framed("raw").treatment) == ((), ("chat",), ())
    assert chat.framed("chat") is chat
    with pytest.raises(UsageError, match="'spoken' is not 'raw' or 'chat'"):
        adapter.framed("spoken")


def test_a_model_without_a_template_does_not_chat(tmp_path):
    assert "chats" not in capabilities_of(loaded("gpt2"))
    adapter, model, tokenizer = chatting()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert "chats" in capabilities_of(load(tmp_path, lazy=True))
    tokenizer.chat_template = None
    with pytest.raises(ModelError, match="has no chat template; use framing='raw'"):
        adapter.framed("chat").continuations([ContinuationQuery("a", "b")])


# ---- writing on


def greedy(model, tokenizer, ids: list[int], count: int) -> str:
    start = len(ids)
    for _ in range(count):
        with torch.no_grad():
            ids = [*ids, int(model(torch.tensor([ids])).logits[0, -1].argmax())]
        if ids[-1] == tokenizer.eos_token_id:
            break
    return tokenizer.decode(ids[start:], skip_special_tokens=True)


@pytest.mark.parametrize("family", ["gpt2", "llama", "qwen2"])
def test_writing_takes_the_most_probable_token_each_time(family):
    model, tokenizer = pair(family)
    prompts = ["My son", "The daughter of the plumber had a", "My son"]
    expected = [
        greedy(model, tokenizer, [*opening(tokenizer), *tokenizer.encode(p, add_special_tokens=False)], 6)
        for p in prompts
    ]
    assert loaded(family).generate(prompts, max_tokens=6) == expected


def test_the_models_own_settings_for_sampling_do_not_count():
    adapter, model, tokenizer = chatting()
    before = adapter.generate(["My son"], max_tokens=8)
    model.generation_config.do_sample, model.generation_config.repetition_penalty = True, 5.0
    kept = model.generation_config
    assert adapter.generate(["My son"], max_tokens=8) == before
    assert model.generation_config is kept
    prompt = tokenizer.encode("<user>My son</user><assistant>", add_special_tokens=False)
    assert adapter.framed("chat").generate(["My son"], max_tokens=8) == [greedy(model, tokenizer, prompt, 8)]


def test_what_leaves_no_room_to_write_is_refused():
    long, short = loaded("gpt2").generate(["My son " * 30, "My son"], max_tokens=10)
    assert isinstance(long, Refusal)
    assert isinstance(short, str)
    with pytest.raises(UsageError, match="at least one token"):
        loaded("gpt2").generate(["My son"], max_tokens=0)


def test_the_fakes_answer_as_they_are_told():
    table = ContinuationTable({("Q", "a"): -1.0}, chat={("Q", "a"): -3.0})
    asked = [ContinuationQuery("Q", "a")]
    assert [m.continuations(asked)[0].log_probability for m in (table, table.framed("chat"))] == [-1.0, -3.0]
    assert table.fingerprint != table.framed("chat").fingerprint
    assert ReplyTable({"Q": "yes of course"}).generate(["Q"], max_tokens=2) == ["yes of"]
    assert ReplyTable({}).generate(["Q"], max_tokens=2) == [Refusal("there is no reply to 'Q'; add one")]
