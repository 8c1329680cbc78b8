"""Strategies: Hypothesis draws sentences that differ in who they are about, and nothing else.

Each example is a :class:`biascheck.corpora.Pair` with the spans of its sentences. Use them in
:func:`biascheck.assert_invariant`, which searches in batches, or in an ordinary test with ``@given``. They need
Hypothesis: ``pip install 'pytest-biascheck[worst-cases]'``.
"""

from biascheck.strategies.pair_strategies import from_corpus, from_table, sentences, templates, texts
from biascheck.strategies.sampling import sample
from biascheck.strategies.value_strategies import attributes, described, names, people, pronouns, terms

__all__ = [
    "attributes",
    "described",
    "from_corpus",
    "from_table",
    "names",
    "people",
    "pronouns",
    "sample",
    "sentences",
    "templates",
    "terms",
    "texts",
]
