"""Tokens that become masks, checked one by one, and which queries are refused and why."""

from __future__ import annotations

import copy
import dataclasses

import pytest
import transformers as hf
from hypothesis import given, strategies as st

from biascheck.core.spans import Span
from biascheck.models.scoring.encode import Encoded, encode_masked, encode_sentences
from biascheck.models.scoring.queries import AS_IN_BARTL_2020, MaskedQuery, Masking, Refusal, SentenceQuery
from support.oracle import query, span_of
from support.tiny import CAUSAL, FAMILIES, MASKED, loaded, pair

PIECES = """
    [PAD] [UNK] [CLS] [SEP] [MASK] my this is a the works as at son daughter boy ##friend plumb ##er nurse phle
    ##bo ##tom ##ist speech - language path ##olog . , had good day and she he logo ##padin
"""
HAND_MADE = PIECES.split()


@pytest.fixture(scope="module")
def wordpiece():
    """A vocabulary written by hand, so that every token below can be read off it."""
    return hf.BertTokenizerFast(vocab={piece: number for number, piece in enumerate(HAND_MADE)})


def encode(tokenizer, asked, **options) -> Encoded | Refusal:
    [encoded] = encode_masked([asked], tokenizer, **options)
    return encoded


def names(tokenizer, encoded: Encoded) -> str:
    return " ".join(tokenizer.convert_ids_to_tokens(encoded.ids))


def reason(tokenizer, asked, **options) -> str:
    refusal = encode(tokenizer, asked, **options)
    assert isinstance(refusal, Refusal), refusal
    return refusal.reason


def test_the_target_alone(wordpiece):
    encoded = encode(wordpiece, query("My son is a nurse.", "son"))
    assert names(wordpiece, encoded) == "[CLS] my [MASK] is a nurse . [SEP]"
    assert encoded.positions == (2,)
    assert encoded.tokens == (HAND_MADE.index("son"),)


def test_one_mask_for_every_token_of_target_and_hidden_word(wordpiece):
    encoded = encode(wordpiece, query("My boyfriend is a phlebotomist.", "boyfriend", "phlebotomist"))
    assert names(wordpiece, encoded) == "[CLS] my [MASK] [MASK] is a [MASK] [MASK] [MASK] [MASK] . [SEP]"
    assert encoded.positions == (2, 3)
    assert [HAND_MADE[token] for token in encoded.tokens] == ["boy", "##friend"]


def test_a_hidden_word_before_the_target(wordpiece):
    encoded = encode(wordpiece, query("This phlebotomist had a boyfriend.", "boyfriend", "phlebotomist"))
    assert names(wordpiece, encoded) == "[CLS] this [MASK] [MASK] [MASK] [MASK] had a [MASK] [MASK] . [SEP]"
    assert encoded.positions == (8, 9)


def test_only_the_span_is_masked_not_the_word_elsewhere(wordpiece):
    text = "My son and the son."
    encoded = encode(wordpiece, MaskedQuery(text, Span(15, 18)))
    assert names(wordpiece, encoded) == "[CLS] my son and the [MASK] . [SEP]"
    assert encoded.positions == (5,)


def test_masks_as_bartl_2020_put_them(wordpiece):
    """One mask per whitespace word of the profession, then attended masks up to 16 tokens, after [SEP]."""
    asked = query("My son works as a speech-language pathologist.", "son", "speech-language pathologist")
    encoded = encode(wordpiece, asked, masking=AS_IN_BARTL_2020)
    assert names(wordpiece, encoded) == (
        "[CLS] my [MASK] works as a [MASK] [MASK] . [SEP] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK]"
    )
    assert len(encoded.ids) == 16
    assert encoded.positions == (2,)

    shown = encode(wordpiece, query(asked.text, "son"), masking=AS_IN_BARTL_2020)
    assert names(wordpiece, shown) == (
        "[CLS] my [MASK] works as a speech - language path ##olog ##ist . [SEP] [MASK] [MASK]"
    )


def test_a_profession_of_two_tokens_is_one_mask_in_bartl_2020(wordpiece):
    asked = query("My son is a plumber.", "son", "plumber")
    assert names(wordpiece, encode(wordpiece, asked)) == "[CLS] my [MASK] is a [MASK] [MASK] . [SEP]"
    per_word = encode(wordpiece, asked, masking=Masking(per="word"))
    assert names(wordpiece, per_word) == "[CLS] my [MASK] is a [MASK] . [SEP]"


def test_a_sentence_of_more_than_sixteen_tokens_is_cut_in_bartl_2020(wordpiece):
    text = "My son works as a speech-language pathologist and had a good day at the nurse."
    encoded = encode(wordpiece, query(text, "son"), masking=AS_IN_BARTL_2020)
    assert names(wordpiece, encoded) == (
        "[CLS] my [MASK] works as a speech - language path ##olog ##ist and had a good"
    )
    assert reason(wordpiece, query(text, "nurse"), masking=AS_IN_BARTL_2020) == (
        "the target lies beyond the 16 tokens that the published procedure reads"
    )


def _read_at(asked: MaskedQuery, word: str) -> MaskedQuery:
    return dataclasses.replace(asked, read_at=span_of(asked.text, word))


def test_reading_at_a_visible_word(wordpiece):
    """As when a published prior was read at the word left of the attribute."""
    asked = dataclasses.replace(query("My son works as a plumber.", "son", "plumber"), read_at=Span(16, 17))
    assert Span(16, 17).of(asked.text) == "a"
    encoded = encode(wordpiece, asked)
    assert names(wordpiece, encoded) == "[CLS] my [MASK] works as a [MASK] [MASK] . [SEP]"
    assert encoded.positions == (5,)
    assert encoded.tokens == (HAND_MADE.index("son"),)


@pytest.mark.parametrize(("masking", "last_mask"), [(Masking(), 7), (Masking(per="word"), 4)])
def test_reading_at_a_hidden_word_reads_its_last_mask(wordpiece, masking, last_mask):
    asked = _read_at(query("This is the phlebotomist, my son.", "son", "phlebotomist"), "phlebotomist")
    encoded = encode(wordpiece, asked, masking=masking)
    assert encoded.positions == (last_mask,)
    assert encoded.ids[last_mask] == HAND_MADE.index("[MASK]")
    assert HAND_MADE[encoded.ids[last_mask + 1]] == ","


def test_reading_at_a_visible_word_of_several_tokens_reads_its_last(wordpiece):
    asked = _read_at(query("My plumber is a son.", "son"), "plumber")
    encoded = encode(wordpiece, asked)
    assert HAND_MADE[encoded.ids[encoded.positions[0]]] == "##er"


def test_a_target_that_does_not_fit_where_it_is_read_is_refused(wordpiece):
    asked = _read_at(query("My phlebotomist is a son.", "phlebotomist"), ".")
    assert reason(wordpiece, asked) == "'phlebotomist' is 4 tokens, too many for the position it is read at; drop it"


def test_a_target_that_just_fits_is_read_and_one_token_more_is_refused(wordpiece):
    fits = encode(wordpiece, _read_at(query("The boyfriend is a nurse", "boyfriend"), "nurse"))
    assert fits.positions == (6, 7)
    assert len(fits.ids) == 8
    asked = _read_at(query("The pathologist is a nurse", "pathologist"), "nurse")
    assert reason(wordpiece, asked) == "'pathologist' is 3 tokens, too many for the position it is read at; drop it"


def test_the_sixteenth_token_is_read_in_bartl_2020_and_the_next_is_not(wordpiece):
    fifteenth = query("My " + "good " * 13 + "son.", "son")
    assert encode(wordpiece, fifteenth, masking=AS_IN_BARTL_2020).positions == (15,)
    sixteenth = query("My " + "good " * 14 + "son.", "son")
    assert "beyond the 16" in reason(wordpiece, sixteenth, masking=AS_IN_BARTL_2020)


def test_several_tokens_can_be_skipped(wordpiece):
    asked = query("My phlebotomist is a nurse.", "phlebotomist")
    assert reason(wordpiece, asked, multi_token="skip") == (
        "'phlebotomist' is 4 tokens for this model; choose multi_token='joint' or drop it"
    )
    assert isinstance(encode(wordpiece, query("My son is a nurse.", "son"), multi_token="skip"), Encoded)
    hidden = query("My son is a phlebotomist.", "son", "phlebotomist")
    assert isinstance(encode(wordpiece, hidden, multi_token="skip"), Encoded)


@pytest.mark.parametrize("asked", [query("My zebra is a nurse.", "zebra"), query("My son is a zebra.", "son", "zebra")])
def test_an_unknown_word_is_refused(wordpiece, asked):
    expected = "'zebra' is not in this model's vocabulary; choose another word or drop it"
    assert reason(wordpiece, asked) == expected


def test_an_unknown_word_elsewhere_is_no_obstacle(wordpiece):
    encoded = encode(wordpiece, query("My son is a zebra.", "son"))
    assert names(wordpiece, encoded) == "[CLS] my [MASK] is a [UNK] . [SEP]"


def test_a_word_of_white_space_leaves_no_token(wordpiece):
    assert reason(wordpiece, MaskedQuery("My son  works.", Span(6, 8))) == (
        "'  ' leaves no token with this tokenizer; spell it differently or drop it"
    )


def test_a_sentence_too_long_is_refused_not_cut(wordpiece):
    asked = query("My son is a nurse.", "son")
    assert isinstance(encode(wordpiece, asked, max_length=8), Encoded)
    expected = "8 tokens, and this model reads at most 7; shorten the sentence"
    assert reason(wordpiece, asked, max_length=7) == expected


def test_spans_that_overlap_are_refused(wordpiece):
    text = "My son works as a speech-language pathologist."
    asked = MaskedQuery(text, span_of(text, "pathologist"), (span_of(text, "speech-language pathologist"),))
    assert reason(wordpiece, asked) == (
        "'speech-language pathologist' and 'pathologist' overlap and cannot be masked apart; give them separate spans"
    )


def _unigram(*pieces: str):
    specials = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    letters = [(letter, -9.0) for letter in "▁.MyTheworksonxz"]
    vocabulary = dict(specials + letters + [(piece, -1.0) for piece in pieces])
    return hf.XLMRobertaTokenizerFast(vocab=[*vocabulary.items(), ("<mask>", 0.0)])


def test_a_token_that_crosses_the_edge_is_refused():
    tokenizer = _unigram("▁My", "▁son.", "▁works")
    assert tokenizer.tokenize("My son.") == ["▁My", "▁son."]
    assert reason(tokenizer, query("My son.", "son")) == (
        "token '▁son.' crosses the edge of 'son'; rephrase so that a space separates them"
    )
    assert (
        names(tokenizer, encode(tokenizer, query("My son .", "son"))) == "<s> ▁My <mask> <mask> <mask> <mask> ▁ . </s>"
    )


def test_a_part_of_a_token_is_refused(wordpiece):
    expected = "token 'nurse' crosses the edge of 'nur'; rephrase so that a space separates them"
    assert reason(wordpiece, query("My nurse works.", "nur")) == expected


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("xyz works", "<s> <mask> <mask> ▁works </s>"),
        ("My xyz works", "<s> ▁My <mask> <mask> ▁works </s>"),
        ("My  xyz.", "<s> ▁My <mask> <mask> . </s>"),
    ],
)
def test_a_space_mark_cut_off_its_word_belongs_to_the_word(text, masked):
    tokenizer = _unigram("▁My", "▁works", "xyz")
    assert tokenizer.tokenize(" xyz") == ["▁", "xyz"]
    encoded = encode(tokenizer, query(text, "xyz"))
    assert names(tokenizer, encoded) == masked
    assert tokenizer.convert_ids_to_tokens(encoded.tokens) == ["▁", "xyz"]


@pytest.mark.parametrize("family", [name for name in MASKED if FAMILIES[name].pieces != "wordpiece"])
def test_a_trained_space_mark_is_masked_with_its_word_and_no_other(family):
    _, tokenizer = pair(family)
    assert tokenizer.tokenize(" boyfriend")[0] in ("▁", "Ġ")
    encoded = encode(tokenizer, query("My boyfriend is a nurse.", "boyfriend"))
    pieces = tokenizer.tokenize("My boyfriend is a nurse.")
    rest = [name for name in tokenizer.convert_ids_to_tokens(encoded.ids)[1:-1] if name != tokenizer.mask_token]
    assert rest == tokenizer.tokenize("My") + tokenizer.tokenize(" is a nurse.")
    assert len(encoded.ids) - 2 == len(pieces)
    assert tokenizer.convert_ids_to_tokens(encoded.tokens) == tokenizer.tokenize(" boyfriend")


@pytest.mark.parametrize("gap", ["  ", "   ", "\n", " \n"])
@pytest.mark.parametrize("family", ["roberta", "modernbert"])
def test_white_space_of_the_text_is_not_part_of_the_word_after_it(family, gap):
    """Byte BPE keeps every space and line break as a token; only the word's own space goes under the mask."""
    _, tokenizer = pair(family)
    text = f"My{gap}son is a nurse."
    encoded = encode(tokenizer, query(text, "son"))
    pieces = tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])
    word = "Ġson" if gap.endswith(" ") else None
    expected = [word] if word else tokenizer.tokenize("son")
    assert tokenizer.convert_ids_to_tokens(encoded.tokens) == expected
    start = pieces.index(expected[0])
    pieces[start : start + len(expected)] = [tokenizer.mask_token] * len(expected)
    assert tokenizer.convert_ids_to_tokens(encoded.ids) == pieces


def test_accents_that_the_tokenizer_strips_do_not_shift_the_span(wordpiece):
    for text in ("My Logopädin works.", "My Logopa\u0308din works."):
        word = text.split()[1]
        encoded = encode(wordpiece, query(text, word))
        assert names(wordpiece, encoded) == "[CLS] my [MASK] [MASK] works . [SEP]"
        assert [HAND_MADE[token] for token in encoded.tokens] == ["logo", "##padin"]


@pytest.mark.parametrize("family", ["roberta", "modernbert"])
@pytest.mark.parametrize("word", ["Haushälterin", "Logopädin", "überärztin"])
def test_a_letter_of_two_bytes_is_masked_whole(family, word):
    """Both bytes of ä have the same offsets; each of them is a token and becomes a mask."""
    _, tokenizer = pair(family)
    text = f"The son is a {word} at work."
    encoded = encode(tokenizer, query(text, "son", word))
    pieces = tokenizer.tokenize(f" {word}")
    assert {"Ã", "Ä"} & set("".join(pieces))
    expected = [
        *tokenizer.tokenize("The"),
        tokenizer.mask_token,
        *tokenizer.tokenize(" is a"),
        *[tokenizer.mask_token] * len(pieces),
        *tokenizer.tokenize(" at work."),
    ]
    assert tokenizer.convert_ids_to_tokens(encoded.ids)[1:-1] == expected
    as_target = encode(tokenizer, query(text, word))
    assert tokenizer.convert_ids_to_tokens(as_target.tokens) == pieces


SENTENCE_WORDS = ["My", "son", "daughter", "boyfriend", "nurse", "plumber", "phlebotomist", "The", "man", "work"]


@given(words=st.lists(st.sampled_from(SENTENCE_WORDS), min_size=2, max_size=8), data=st.data())
@pytest.mark.parametrize("family", ["bert-uncased", "bert-cased", "roberta", "xlm-roberta", "deberta-v2"])
def test_masking_changes_only_the_masked_tokens(family, words, data):
    _, tokenizer = pair(family)
    text = " ".join(words) + "."
    chosen = data.draw(st.lists(st.integers(0, len(words) - 1), min_size=1, max_size=3, unique=True))
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    spans = [Span(starts[place], starts[place] + len(words[place])) for place in chosen]

    encoded = encode(tokenizer, MaskedQuery(text, spans[0], tuple(spans[1:])))

    plain = tokenizer(text)["input_ids"]
    assert len(encoded.ids) == len(plain)
    masked = [i for i, token in enumerate(encoded.ids) if token == tokenizer.mask_token_id]
    assert all(encoded.ids[i] == plain[i] for i in range(len(plain)) if i not in masked)
    counts = [len(tokenizer.tokenize(span.of(text) if span.start == 0 else f" {span.of(text)}")) for span in spans]
    assert len(masked) == sum(counts)
    assert set(encoded.positions) <= set(masked)
    assert encoded.tokens == tuple(plain[i] for i in encoded.positions)
    assert len(encoded.tokens) == counts[0]


@pytest.mark.parametrize("family", CAUSAL)
def test_a_sentence_opens_with_one_opening_token(family):
    _, tokenizer = pair(family)
    [encoded] = encode_sentences([SentenceQuery("My son works.")], tokenizer)
    pieces = tokenizer.convert_tokens_to_ids(tokenizer.tokenize("My son works."))
    assert encoded == Encoded((tokenizer.bos_token_id, *pieces), tuple(range(len(pieces))), tuple(pieces))


def test_a_tokenizer_without_an_opening_token_opens_with_its_end_of_text():
    _, tokenizer = pair("gpt2")
    vocabulary = tokenizer.get_vocab()
    end = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer, eos_token="<|endoftext|>")
    none = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer)
    [encoded] = encode_sentences([SentenceQuery("son")], end)
    [refusal] = encode_sentences([SentenceQuery("son")], none)
    assert encoded.ids[0] == vocabulary["<|endoftext|>"]
    assert refusal.reason == ("the tokenizer has neither an opening nor an end-of-text token to start a sentence from")


def test_a_chat_marker_does_not_open_a_sentence():
    backend = copy.deepcopy(pair("gpt2")[1].backend_tokenizer)
    backend.add_special_tokens(["<|im_start|>"])
    names = {"bos_token": "<|im_start|>", "eos_token": "<|im_start|>"}
    chat = hf.PreTrainedTokenizerFast(tokenizer_object=backend, **names)
    [plain] = encode_sentences([SentenceQuery("son")], chat)
    chat.chat_template = "{% for m in messages %}<|im_start|>{{ m['role'] }}{% endfor %}"
    [encoded] = encode_sentences([SentenceQuery("son")], chat)
    assert plain.ids[0] == chat.convert_tokens_to_ids("<|im_start|>")
    assert encoded.ids[0] == chat.convert_tokens_to_ids("<|endoftext|>")
    assert encoded.ids[1:] == plain.ids[1:]


def test_a_sentence_too_long_for_a_causal_model_is_refused():
    [refusal] = loaded("gpt2").likelihood([SentenceQuery("son" + " son" * 64)])
    assert refusal.reason.endswith("tokens, and this model reads at most 64; shorten the sentence")


def test_more_sentences_than_one_chunk_keep_their_order(wordpiece, monkeypatch):
    monkeypatch.setattr("biascheck.models.scoring.encode.ENCODING_CHUNK", 2)
    words = ["son", "nurse", "daughter", "plumber", "son"]
    found = list(encode_masked([query(f"My {word}.", word) for word in words], wordpiece))
    assert [HAND_MADE[encoded.tokens[0]] for encoded in found] == ["son", "nurse", "daughter", "plumb", "son"]
