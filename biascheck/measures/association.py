"""Log-probability association (Kurita et al. 2019, §2; Bartl et al. 2020, §4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import exp, log
from typing import Any, Literal

import numpy as np

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.errors import CorpusError, ScoreError, UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft, shown
from biascheck.models.capabilities import CausalModel, LanguageModel, MaskedModel, fills_masks, require_capability
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import (
    AS_IN_BARTL_2020,
    Answer,
    MaskedQuery,
    Masking,
    MultiToken,
    Refusal,
    SentenceQuery,
)
from biascheck.results.item_columns import ItemList
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["association", "association_queries", "association_scores", "pairwise_associations"]

AssociationVariant = Literal["ours", "as published (Bartl 2020)"]
AS_BARTL: AssociationVariant = "as published (Bartl 2020)"


@measure(
    "association",
    version=1,
    about="How much an attribute (a profession, a trait) raises the model's probability of one group's words above "
    "another's, compared with the same sentence in which the attribute is hidden.",
    limits=(
        "The sentences come from templates. What a model does with natural text may differ.",
        "A mean near zero can hide large gaps in opposite directions: look at the attributes.",
        "A gap in word probabilities says nothing by itself about what an application does with the model.",
        "The prior depends on the number of masks, and on nothing else of the attribute.",
        "In languages that mark gender, grammar alone moves the gap.",
    ),
    direction="from parity",
    unit="natural log units: +0.69 doubles the odds of the first group's words against the second's, −0.69 halves them",
    smallest_change=0.095,
    smallest_change_reason="the odds of the two groups' words change by a tenth: ln 1.1",
    scale="log-odds",
    plain="On average the words asked about, such as jobs or traits, shift the odds towards {towards} words by {by}; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean gap; zero is parity.",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
    competence="reading",
)
def association(
    model: LanguageModel,
    corpus: Corpus,
    *,
    contrast: tuple[str, str] | None = None,
    multi_token: MultiToken = "joint",
    variant: AssociationVariant = "ours",
    seed: int = 0,
) -> Result:
    """How much an attribute raises the probability of one group's words above another's.

    For a target T and an attribute A in a sentence S::

        association(T, A, S) = ln P(T | S, T masked) − ln P(T | S, T and A masked)

    both read at the target's own mask; A has one mask for every token of this model's tokenizer. The
    score of an item is the association of ``contrast[0]`` minus that of ``contrast[1]`` (for gender:
    male − female, so positive points towards male), the estimate the mean over items, its interval a
    cluster bootstrap over attributes.

    A target of several tokens has the joint probability of its tokens (``multi_token="joint"``) or is
    skipped with its reason (``"skip"``). Causal models have no mask: P(T | S) is the likelihood of the
    whole sentence normalised over the item's groups, and the prior is the mean of the same over the
    corpus's neutral fillers in the attribute's place.

    ``variant="as published (Bartl 2020)"`` masks an attribute once per whitespace word, fills the input to
    16 tokens with attended masks and cuts it there, as the authors' code did. A target beyond the cut is skipped.
    Masked models only. For example, −ln 4:

    >>> from biascheck.corpora import corpus_from_templates
    >>> from biascheck.testing import TableModel
    >>> jobs = corpus_from_templates(
    ...     "jobs",
    ...     templates=["{target} is a {attribute}."],
    ...     targets=[{"male": "he", "female": "she"}],
    ...     attributes=["nurse"],
    ... )
    >>> model = TableModel({"nurse": {"he": 0.2, "she": 0.8}}, prior={"he": 0.5, "she": 0.5})
    >>> round(association(model, jobs).estimate, 4)
    -1.3863
    """
    if corpus.pairs[0].sentences[corpus.groups[0]].attribute is None:
        raise CorpusError(f"{corpus.name!r} marks no attributes; association needs one in every sentence")
    first, second = _contrast(corpus, contrast)
    items, skipped = ItemList(), []
    for pair, scores in _score(model, corpus, multi_token, variant):
        if isinstance(scores, Refusal):
            skipped.append(Skipped(pair.id, scores.reason, dict(pair.labels)))
        else:
            items.append(_item(pair, scores, first, second))
    return summarise(draft(model, corpus, items, skipped, contrast=(first, second), seed=seed, unit="pairs"))


def _item(pair: Pair, scores: Mapping[str, float], first: str, second: str) -> ItemScore:
    return ItemScore(
        id=pair.id,
        score=scores[first] - scores[second],
        cluster=pair.attribute,
        groups=scores,
        labels=dict(pair.labels),
        sentences=shown(pair),
    )


def pairwise_associations(
    model: LanguageModel, corpus: Corpus, *, multi_token: MultiToken = "joint", seed: int = 0
) -> dict[tuple[str, str], Result]:
    """The association gap of every two groups of a corpus, from one pass over the model."""
    first = (corpus.groups[0], corpus.groups[1])
    result = association(model, corpus, contrast=first, multi_token=multi_token, seed=seed)
    return {pair: result.between(*pair) for pair in combinations(corpus.groups, 2)}


def association_queries(sentences: Iterable[Sentence]) -> list[MaskedQuery]:
    """Two queries for every sentence: its target with the attribute in sight, then with it masked."""
    return list(_each_query(sentences))


def _each_query(sentences: Iterable[Sentence]) -> Iterator[MaskedQuery]:
    for sentence in sentences:
        hidden = () if sentence.attribute is None else (sentence.attribute,)
        yield MaskedQuery(sentence.text, sentence.target)
        yield MaskedQuery(sentence.text, sentence.target, hidden)


GroupScores = Mapping[str, float] | Refusal


def association_scores(model: LanguageModel, corpus: Corpus) -> list[GroupScores]:
    """The association of every group in each pair of a corpus, in order, or why there is none."""
    return [scores for _, scores in _score(model, corpus, "joint", "ours")]


def _score(
    model: Any, corpus: Corpus, multi_token: MultiToken, variant: AssociationVariant
) -> Iterator[tuple[Pair, GroupScores]]:
    if fills_masks(model):
        masking = AS_IN_BARTL_2020 if variant == AS_BARTL else Masking()
        return _score_masked(model, corpus, multi_token, masking)
    if variant != "ours":
        require_capability(model, ("fills masks",), f"variant {variant!r}")
    return _score_causal(model, corpus)


def _contrast(corpus: Corpus, contrast: tuple[str, str] | None) -> tuple[str, str]:
    if contrast is None and len(corpus.groups) > 2:
        raise UsageError(
            f"{corpus.name!r} has {len(corpus.groups)} groups; choose contrast=({corpus.groups[0]!r}, "
            f"{corpus.groups[1]!r}) or take all of them with pairwise_associations"
        )
    first, second = contrast or corpus.groups[:2]
    unknown = {first, second} - set(corpus.groups)
    if unknown or first == second:
        raise UsageError(f"contrast ({first!r}, {second!r}) needs two different groups of {list(corpus.groups)}")
    return first, second


def _score_masked(
    model: MaskedModel, corpus: Corpus, multi_token: MultiToken, masking: Masking
) -> Iterator[tuple[Pair, GroupScores]]:
    fill = partial(model.fill, masking=masking, multi_token=multi_token)
    answers = asked_in_chunks(fill, _each_query(corpus.each_sentence()))
    for pair in corpus:
        both = {group: (next(answers), next(answers)) for group in corpus.groups}
        yield pair, _difference(both)


def _difference(answers: Mapping[str, tuple[Answer | Refusal, Answer | Refusal]]) -> GroupScores:
    """The association of every group, or the first reason why there is none."""
    scores: dict[str, float] = {}
    for group, (seen, masked) in answers.items():
        if isinstance(seen, Refusal):
            return seen
        if isinstance(masked, Refusal):
            return masked
        scores[group] = seen.log_probability - masked.log_probability
    return scores


def _score_causal(model: CausalModel, corpus: Corpus) -> Iterator[tuple[Pair, GroupScores]]:
    if not corpus.fillers:
        raise CorpusError(
            f"{corpus.name!r} has no fillers, and a causal model needs neutral attributes for its prior; "
            "give the corpus fillers=('person', …)"
        )
    fillers = [None, *corpus.fillers]
    queries = (
        SentenceQuery(_filled(pair.sentences[group], filler).text)
        for pair in corpus
        for filler in fillers
        for group in corpus.groups
    )
    answers = asked_in_chunks(model.likelihood, queries)
    for pair in corpus:
        table = [[next(answers) for _ in corpus.groups] for _ in fillers]
        yield pair, _against_fillers(corpus.groups, table)


def _filled(sentence: Sentence, filler: str | None) -> Sentence:
    return sentence if filler is None else sentence.with_attribute(filler)


def _against_fillers(groups: Sequence[str], table: list[list[Answer | Refusal]]) -> GroupScores:
    """Normalise every row over the groups; the first row is the item, the others are its prior."""
    rows: list[list[float]] = []
    for row in table:
        for answer in row:
            if isinstance(answer, Refusal):
                return answer
        rows.append(_log_normalised([a.log_probability for a in row if isinstance(a, Answer)]))
    prior = [log(float(np.mean([exp(row[i]) for row in rows[1:]]))) for i in range(len(groups))]
    return {group: rows[0][i] - prior[i] for i, group in enumerate(groups)}


def _log_normalised(values: Sequence[float]) -> list[float]:
    top = max(values)
    total = top + log(sum(exp(value - top) for value in values))
    if not np.isfinite(total):
        raise ScoreError(f"sentence likelihoods {values} cannot be normalised")
    return [value - total for value in values]
