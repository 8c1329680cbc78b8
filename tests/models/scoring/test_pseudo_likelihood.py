"""Pseudo-log-likelihood, against an independent computation with the model's own weights, normalised in float64."""

import difflib

import numpy as np
import pytest

import biascheck
from biascheck import corpora, measures
from biascheck.core.spans import Span
from biascheck.models.scoring.pseudo_likelihood import PseudoQuery
from biascheck.models.wrappers import RecordedScores
from support.published_sets import preferences

CLOSE = 1e-4
"""Sums of twenty logits in float32 differ by 1e-5 between processors; a token more or less makes 0.01."""


@pytest.fixture(scope="module")
def minilm():
    return biascheck.load("minilm-mlm")


@pytest.fixture(scope="module")
def minilm_in_double():
    return biascheck.load("minilm-mlm", dtype="float64")


def one_at_a_time(loaded):
    """One masked input at a time, normalised and added up in float64: nothing of our encoding, batching or engine."""
    import torch

    model, tokenizer = loaded.torch_model.eval(), loaded.tokenizer

    def log_probability(ids, place, hidden=()):
        masked = torch.tensor([ids])
        masked[0, [place, *hidden]] = tokenizer.mask_token_id
        with torch.no_grad():
            row = model(input_ids=masked, attention_mask=torch.ones_like(masked)).logits[0, place]
        return float(torch.log_softmax(row.double(), dim=-1)[ids[place]])

    return tokenizer, log_probability


@pytest.fixture(scope="module")
def in_double(minilm):
    """The default weights in float32, normalised in float64."""
    return one_at_a_time(minilm)


@pytest.fixture(scope="module")
def all_in_double(minilm_in_double):
    """The whole forward pass in float64."""
    return one_at_a_time(minilm_in_double)


def authors_scores(pair, tokenizer, log_probability):
    """metric.py of CrowS-Pairs: shared tokens by difflib on the ids, the first and the last of them left out."""
    first, second = (tokenizer.encode(text) for text in (pair.more, pair.less))
    matcher = difflib.SequenceMatcher(None, [str(x) for x in first], [str(x) for x in second])
    shared = [op for op in matcher.get_opcodes() if op[0] == "equal"]
    left = [x for op in shared for x in range(op[1], op[2])]
    right = [x for op in shared for x in range(op[3], op[4])]
    assert len(left) == len(right)
    return [
        sum(log_probability(ids, place) for place in places[1:-1]) for ids, places in ((first, left), (second, right))
    ]


@pytest.mark.slow
def test_all_pairs_score_and_a_hundred_agree_with_the_authors_rule(minilm, in_double, shared_data):
    pairs = preferences(shared_data)
    result = measures.preference_share(minilm, pairs)
    assert (result.n, result.skipped) == (1508, ())
    assert result.competence.passed
    scores = {f"{item.id}/{group}": score for item in result.items for group, score in item.groups.items()}
    published = measures.preference_share(
        RecordedScores("the same", scores), pairs, variant="as published (Nangia 2020)"
    )
    scored = {item.id: item for item in result.items}
    rounded = {item.id: item for item in published.items}
    chosen = [pairs.items[place] for place in np.random.default_rng(0).permutation(1508)[:100]]
    for pair in chosen:
        more, less = authors_scores(pair, *in_double)
        assert scored[pair.id].groups == pytest.approx({"more": more, "less": less}, abs=CLOSE)
        if abs(more - less) > 0.002:  # below it the last digits decide which way both are rounded
            assert (rounded[pair.id].score > 0) == (more > less)
    share = np.mean([round(i.groups["more"], 3) > round(i.groups["less"], 3) for i in result.items])
    assert published.estimate == pytest.approx(share)


def test_a_few_pairs_of_our_own_agree_in_float64(minilm_in_double, all_in_double):
    pairs = corpora.builtin_preferences().sample_clusters(6, seed=2)
    agree_in_float64(pairs.items, measures.preference_share(minilm_in_double, pairs), all_in_double)


def agree_in_float64(chosen, result, computed):
    for pair, item in zip(chosen, result.items, strict=True):
        more, less = authors_scores(pair, *computed)
        assert item.groups == pytest.approx({"more": more, "less": less}, abs=1e-9)
        assert (round(item.groups["more"], 3) > round(item.groups["less"], 3)) == (round(more, 3) > round(less, 3))


def test_a_few_pairs_of_our_own_agree_with_the_authors_rule(minilm, in_double):
    pairs = corpora.builtin_preferences().sample_clusters(12, seed=1)
    result = measures.preference_share(minilm, pairs)
    for pair, item in zip(pairs, result.items, strict=True):
        more, less = authors_scores(pair, *in_double)
        assert item.groups == pytest.approx({"more": more, "less": less}, abs=CLOSE)


TEXT = "Grandfather overslept, unfortunately."


def test_whole_sentences_and_words_from_left_to_right(minilm, in_double):
    tokenizer, log_probability = in_double
    ids = tokenizer.encode(TEXT)
    words = tokenizer(TEXT).word_ids()
    assert max(map(words.count, set(words) - {None})) > 1, "the text needs a word of several tokens"
    whole, by_word, blank = minilm.pseudo_likelihood(
        [
            PseudoQuery(TEXT),
            PseudoQuery(TEXT, order="within word"),
            PseudoQuery(TEXT, span=Span(12, 37), order="left to right"),
        ]
    )
    inside = range(1, len(ids) - 1)
    assert whole.total == pytest.approx(sum(log_probability(ids, place) for place in inside), abs=CLOSE)
    rest = {place: [p for p in inside if p > place and words[p] == words[place]] for place in inside}
    assert by_word.total == pytest.approx(sum(log_probability(ids, p, rest[p]) for p in inside), abs=CLOSE)
    assert by_word.total < whole.total  # the rest of a word gives it away
    offsets = tokenizer(TEXT, return_offsets_mapping=True)["offset_mapping"]
    filled = [place for place in inside if offsets[place][0] >= 12]
    expected = [log_probability(ids, p, [q for q in filled if q > p]) for p in filled]
    assert blank.log_probabilities == pytest.approx(expected, abs=CLOSE)
    assert blank.mean_probability == pytest.approx(np.mean(np.exp(expected)), abs=CLOSE)


def test_a_text_that_shares_no_token_is_refused(minilm):
    (answer,) = minilm.pseudo_likelihood([PseudoQuery("yes", shared_with="no")])
    assert answer.reason == "the text leaves no token to score"
