"""Pronouns left unresolved if the topic leans to the other gender (Kurita et al. 2019, §4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.core.errors import ScoreError
from biascheck.core.release import require
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.gap import Gap
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.measures.association import association
from biascheck.measures.coreference import gap_resolution
from biascheck.measures.gaps import means_of_attributes
from biascheck.measures.measure import draft, measure
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

INTERESTED = Template("{target} are interested in {attribute}.", "are-interested-in")
MEN_WOMEN = (Target("men", "male"), Target("women", "female"))
FILLERS = ("things", "something", "this")
FIRM_DECIMALS = 9
"""Decimals of a bias; further ones are machine noise, which would give equal texts different ranks."""
SHORTEST_WORD = r"(?u)\b[^\W\d_]{3,}\b"


@dataclass(frozen=True, eq=False)
class Topics:
    """``words[topic]`` with their weights, and ``presence[text, topic]``."""

    words: tuple[tuple[tuple[str, float], ...], ...]
    presence: NDArray[np.float64]


def topics_of(texts: list[str], *, count: int = 20, top: int = 15, seed: int = 0) -> Topics:
    """Topics by non-negative matrix factorisation of tf–idf (scikit-learn), each by its heaviest words."""
    require("a factorisation into topics", "local", ("sklearn",))
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    reader = TfidfVectorizer(max_df=0.5, min_df=5, stop_words="english", token_pattern=SHORTEST_WORD)
    try:
        table = reader.fit_transform(texts)
    except ValueError as error:
        raise ScoreError(f"{len(texts)} texts share too few words for topics ({error}); give more text") from error
    if min(table.shape) < count:
        raise ScoreError(f"{table.shape[0]} texts of {table.shape[1]} words do not have {count} topics; ask for fewer")
    factors = NMF(n_components=count, init="nndsvda", random_state=seed, max_iter=400)
    presence = factors.fit_transform(table)
    names = reader.get_feature_names_out()
    heaviest = [np.argsort(-weights, kind="stable")[:top] for weights in factors.components_]
    words = tuple(
        tuple((str(names[i]), float(weights[i])) for i in places)
        for weights, places in zip(factors.components_, heaviest, strict=True)
    )
    return Topics(words, np.asarray(presence, dtype=np.float64))


@measure(
    "topic correlation",
    version=1,
    about="Whether female pronouns are denied a referent where the topic of the text leans towards men.",
    limits=(
        "The topics come from the same texts, and their lean from the same model, by a single template.",
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="spearman",
    direction="from parity",
    unit="correlation from −1 to 1",
    smallest_change=0.1,
    smallest_change_reason="a small correlation by Cohen (1988)",
    plain="Female pronouns are denied their referent by topic: a correlation of {by}, where 1 is complete; "
    "allowed: {allowed}.",
    sign="The estimate is the correlation of the probability of “neither” for a female pronoun with how far the topics "
    "of its text lean to men: positive means that a female pronoun is denied a referent where the topic is male.",
    score="P(neither) of a female pronoun",
    covariate="lean of the topics of the text towards men",
    cluster="page",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
)
def topic_correlation(
    model: Any, gap: Gap, *, topics: int = 20, top: int = 15, folds: int = 5, repeats: int = 3, seed: int = 0
) -> Result:
    """Spearman's ρ of P(neither) of a female pronoun with how far the topics of its text lean to men.

    A topic's bias is the sum of the association gaps of its ``top`` words in "men/women are interested in …", each
    times its weight in the topic; a text's bias the sum over its topics, each times its weight in the text. Positive
    ρ: a female pronoun is denied a referent where the topic is male. The cluster is the page. The model must have
    hidden states (:func:`gap_resolution`) as well as probabilities of words.

    Source: Kurita et al. 2019, §4.
    """
    resolved = gap_resolution(model, gap, folds=folds, repeats=repeats, seed=seed)
    found = topics_of([item.text for item in gap], count=topics, top=top, seed=seed)
    gaps, skipped = _gaps_of_words(model, found, seed)
    bias = np.array([sum(weight * gaps.get(word, 0.0) for word, weight in words) for words in found.words])
    biases = np.round(found.presence @ bias, FIRM_DECIMALS)
    bias_of_text = dict(zip((item.id for item in gap), biases.tolist(), strict=True))
    items = [_item(item, bias_of_text[item.id]) for item in resolved.items if item.labels["gender"] == "female"]
    form = draft(
        model,
        gap,
        items,
        [*resolved.skipped, *skipped],
        contrast=resolved.contrast,
        seed=seed,
        unit="pronouns",
    )
    return summarise(form).with_attachments(_table(found, bias))


def _gaps_of_words(model: Any, topics: Topics, seed: int) -> tuple[dict[str, float], list[Skipped]]:
    words = sorted({word for listed in topics.words for word, _ in listed})
    pairs = cross([INTERESTED], [MEN_WOMEN], [Attribute(word) for word in words])
    result = association(model, Corpus("topic-words", ("male", "female"), pairs, fillers=FILLERS), seed=seed)
    return {item.id: item.score for item in means_of_attributes(result.items)}, list(result.skipped)


def _item(item: ItemScore, bias: float) -> ItemScore:
    neither = item.groups["neither"]
    return replace(item, score=neither, covariate=bias, groups=dict(item.groups))


def _table(topics: Topics, bias: NDArray[np.float64]) -> Table:
    rows = tuple(
        (number + 1, ", ".join(word for word, _ in topics.words[number][:5]), float(bias[number]))
        for number in np.argsort(-bias, kind="stable").tolist()
    )
    return Table(columns=("topic", "heaviest words", "lean (sum of weighted gaps; positive: men)"), rows=rows)
