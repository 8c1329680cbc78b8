"""CrowS-Pairs in float64, against the rule of the paper written down once more with plain transformers and torch.

Nothing of the package computes the expected figures: the file is read by csv, the model by transformers, and each
shared token is masked in an input of its own.
"""

import csv
import difflib
from dataclasses import replace

import pytest

import biascheck
from biascheck import measures
from biascheck.core.store import cache_folder
from biascheck.corpora import builtin_preferences, published_preferences
from biascheck.models.local.bundled import materialise_minilm_mlm
from biascheck.models.scoring.pseudo_likelihood import PseudoQuery, TokenScores, encode_pseudo

PAIRS = 120
ALIGNED_ONE_WAY = "1129"
"""Of the 1,508 pairs, the one whose tokens are aligned otherwise when its two sentences change places."""


@pytest.fixture(scope="module")
def ours():
    return biascheck.load("minilm-mlm", dtype="float64")


@pytest.fixture(scope="module")
def plain():
    """The weights and the tokenizer, as transformers reads them from the folder."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = materialise_minilm_mlm(cache_folder() / "models")
    model = AutoModelForMaskedLM.from_pretrained(folder).double().eval()
    return model, AutoTokenizer.from_pretrained(folder)


def shared_places(first, second):
    matcher = difflib.SequenceMatcher(None, [str(token) for token in first], [str(token) for token in second])
    equal = [op for op in matcher.get_opcodes() if op[0] == "equal"]
    return [p for op in equal for p in range(op[1], op[2])], [p for op in equal for p in range(op[3], op[4])]


def sentence_score(ids, places, model, mask):
    """The sum of ln P of the shared tokens, the outer two of which are [CLS] and [SEP]: one input for each."""
    import torch

    inputs = torch.tensor([ids] * (len(places) - 2))
    rows = torch.arange(len(inputs))
    columns = torch.tensor(places[1:-1])
    inputs[rows, columns] = mask
    with torch.no_grad():
        states = model.bert(input_ids=inputs).last_hidden_state[rows, columns]
        logits = model.cls(states)
    assert logits.dtype == torch.float64
    return float(torch.log_softmax(logits, dim=-1)[rows, torch.tensor(ids)[columns]].sum())


def by_the_paper(row, model, tokenizer):
    """The scores of sent_more and sent_less; the sentence about the disadvantaged group is the first to be aligned."""
    names = ("sent_more", "sent_less") if row["stereo_antistereo"] == "stereo" else ("sent_less", "sent_more")
    ids = [tokenizer.encode(row[name]) for name in names]
    places = shared_places(*ids)
    mask = tokenizer.mask_token_id
    scores = {name: sentence_score(*one, model, mask) for name, *one in zip(names, ids, places, strict=True)}
    return scores["sent_more"], scores["sent_less"]


def compared(data, plain, ours, chosen):
    """The largest difference of a sentence score, and how many pairs are preferred otherwise."""
    with (data / "crows_pairs" / "crows_pairs_anonymized.csv").open(encoding="utf-8", newline="") as file:
        rows = {row[""]: row for row in csv.DictReader(file)}
    pairs = published_preferences(data)
    names = [f"crows-{name}" for name in chosen(sorted(rows, key=int))]
    part = type(pairs)("some", tuple(item for item in pairs if item.id in names))
    result = measures.preference_share(ours, part, variant="as published (Nangia 2020)")
    assert (result.n, result.skipped) == (len(names), ())
    worst, otherwise = 0.0, []
    for item in result.items:
        more, less = by_the_paper(rows[item.id.removeprefix("crows-")], *plain)
        worst = max(worst, abs(item.groups["more"] - more), abs(item.groups["less"] - less))
        if (item.score > 0) != (round(more, 3) > round(less, 3)):
            otherwise.append(item.id)
    return worst, otherwise


@pytest.mark.slow
def test_a_hundred_and_twenty_published_pairs_agree(shared_data, plain, ours):
    """Every twelfth or thirteenth pair of the file, and the one that can be aligned in two ways."""
    worst, otherwise = compared(
        shared_data,
        plain,
        ours,
        lambda names: [*(names[n * len(names) // PAIRS] for n in range(PAIRS)), ALIGNED_ONE_WAY],
    )
    assert otherwise == []
    assert worst < 1e-9


def test_a_few_published_pairs_agree(shared_data, plain, ours):
    worst, otherwise = compared(shared_data, plain, ours, lambda names: [names[5], names[700], ALIGNED_ONE_WAY])
    assert otherwise == []
    assert worst < 1e-9


class Words:
    """A tokenizer whose tokens are words, each of one letter."""

    mask_token_id = 0

    def __call__(self, text, **_options):
        return {
            "input_ids": [ord(word) for word in text.split()],
            "offset_mapping": [(2 * place, 2 * place + 1) for place in range(len(text.split()))],
            "special_tokens_mask": [0] * len(text.split()),
        }


@pytest.mark.parametrize(("first", "second"), [("b a c a b", "a b c b a"), ("a b a c", "c a b"), ("a b", "a b")])
def test_two_sentences_have_one_alignment(first, second):
    queries = [PseudoQuery(first, second), PseudoQuery(second, first, second=True)]
    of_first, of_second = ([one.tokens[0] for one in masked] for masked in encode_pseudo(queries, Words()))
    places = shared_places(first.split(), second.split())
    assert of_first == [ord(first.split()[place]) for place in places[0]]
    assert of_second == of_first


class Asked:
    """A masked model that finds every token as likely, and remembers what it was asked."""

    name, fingerprint = "asked", "0"

    def __init__(self):
        self.queries = []

    def pseudo_likelihood(self, queries):
        self.queries += queries
        return [TokenScores((-1.0,)) for _ in queries]


def test_the_sentence_about_the_disadvantaged_group_comes_first():
    pairs = builtin_preferences().sample_clusters(6)
    for direction, second in (("stereo", [False, True]), ("antistereo", [True, False])):
        model = Asked()
        labelled = replace(
            pairs, items=tuple(replace(pair, labels={**pair.labels, "direction": direction}) for pair in pairs)
        )
        measures.preference_share(model, labelled)
        assert [query.second for query in model.queries if query.shared_with is not None] == second * len(pairs)
