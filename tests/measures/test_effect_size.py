"""Effect size between attribute sets, against hand-worked figures."""

from itertools import combinations
from math import log

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import CorpusError, UsageError
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import SentenceTable, TableModel

SIDE_A, SIDE_B = ("office", "salary", "career", "business"), ("home", "cousins", "wedding", "children")
AS_PUBLISHED = "as published (Kurita 2019)"
PRIOR = {"he": 0.5, "she": 0.5, "boys": 0.5, "girls": 0.5, "men": 0.5, "women": 0.5}


def corpus_of(template="{target} likes {attribute}.", targets=(("he", "she"),), name="likes"):
    attributes = [Attribute(w, labels={"side": "A"}) for w in SIDE_A] + [Attribute(w, {"side": "B"}) for w in SIDE_B]
    sets = [(Target(m, "male"), Target(f, "female")) for m, f in targets]
    return Corpus(name, ("male", "female"), cross([Template(template, "likes")], sets, attributes), fillers=("it",))


def table_of(gaps, prior=PRIOR):
    """A model whose association gap for each word is the given number: only the male probability moves."""
    return TableModel({w: {**prior, "he": prior["he"] * float(np.exp(g))} for w, g in gaps.items()}, prior)


GAPS = dict(zip(SIDE_A + SIDE_B, (0.5, 0.3, 0.4, -0.1, -0.6, -0.2, 0.1, -0.3), strict=True))


def test_effect_size_is_the_difference_in_standard_deviations():
    a, b = [GAPS[w] for w in SIDE_A], [GAPS[w] for w in SIDE_B]
    expected = (np.mean(a) - np.mean(b)) / np.std(a + b, ddof=1)
    result = biascheck.measures.effect_size(table_of(GAPS), corpus_of())
    assert result.estimate == pytest.approx(expected)
    assert result.effect_size == result.estimate
    assert (result.n, result.unit) == (8, "attributes")


def test_p_is_exact_over_all_partitions_of_the_attributes():
    values = np.array(list(GAPS.values()))
    observed = abs(values[:4].mean() - values[4:].mean())
    extreme = 0
    for chosen in combinations(range(8), 4):
        rest = [i for i in range(8) if i not in chosen]
        extreme += abs(values[list(chosen)].mean() - values[rest].mean()) >= observed - 1e-12
    assert biascheck.measures.effect_size(table_of(GAPS), corpus_of()).p == pytest.approx(extreme / 70)


def test_attributes_are_averaged_over_templates_before_they_are_compared():
    corpus = Corpus(
        "two", ("male", "female"), (*corpus_of().pairs, *_renamed(corpus_of("{target} wants {attribute}.")))
    )
    result = biascheck.measures.effect_size(table_of(GAPS), corpus)
    assert result.n == 8
    assert result.estimate == pytest.approx(biascheck.measures.effect_size(table_of(GAPS), corpus_of()).estimate)


def _renamed(corpus):
    from dataclasses import replace

    return [replace(pair, id=f"other/{pair.id}") for pair in corpus.pairs]


def test_as_published_pools_rows_and_sums_plural_targets():
    corpus = corpus_of("{target} like {attribute}.", targets=(("boys", "girls"), ("men", "women")))
    table = {w: {"boys": 0.2, "girls": 0.1, "men": 0.3, "women": 0.1 + 0.01 * n} for n, w in enumerate(GAPS)}
    model = TableModel(table, PRIOR)
    result = biascheck.measures.effect_size(model, corpus, variant=AS_PUBLISHED)
    assert result.n == 8
    first = result.items[0]
    assert first.groups == pytest.approx({"male": log(0.5 / 1.0), "female": log(0.2 / 1.0)})
    assert result.provenance.variant == AS_PUBLISHED


def test_as_published_reads_the_prior_left_of_the_attribute():
    model = table_of(GAPS)
    biascheck.measures.effect_size(model, corpus_of(), variant=AS_PUBLISHED)
    read = {query.read_at.of(query.text) for query in model.asked if query.read_at}
    assert read == {"likes"}


def test_ours_reads_the_prior_at_the_target():
    model = table_of(GAPS)
    biascheck.measures.effect_size(model, corpus_of())
    assert all(query.read_at is None for query in model.asked)


def test_a_corpus_without_two_sides_is_refused():
    pairs = tuple(p for p in corpus_of().pairs if p.labels["side"] == "A")
    with pytest.raises(CorpusError, match=r"has sides \['A'\].*side='A' and side='B'"):
        biascheck.measures.effect_size(table_of(GAPS), Corpus("half", ("male", "female"), pairs))


def test_as_published_is_refused_for_causal_models():
    with pytest.raises(UsageError, match="needs a model that fills masks"):
        biascheck.measures.effect_size(SentenceTable(lambda _: -1.0), corpus_of(), variant=AS_PUBLISHED)
