"""The pronoun a model prefers in a sentence about two people (Manela et al. 2021, §3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, islice
from math import exp, inf, isnan, log
from typing import Any, Literal

from biascheck.core.errors import CorpusError, ScoreError, UsageError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.winograd import with_noun, with_persons
from biascheck.measures.measure import derived_measure, draft, measure, shown
from biascheck.models.base import LanguageModel, MaskedModel, fills_masks, require_capability
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, MaskedQuery, Masking, Refusal, SentenceQuery
from biascheck.models.wrappers import OnlineModel
from biascheck.results.items import ItemList, ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

# The pronoun a model prefers in a sentence about two people (Manela et al. 2021, §3).

PronounVariant = Literal["ours", "as published (Manela 2021)"]
AS_IN_MANELA_2021: PronounVariant = "as published (Manela 2021)"
Cluster = Literal["schema", "occupation", "template"]

Shares = Mapping[str, float] | Refusal


@measure(
    "pronoun gap",
    version=1,
    about="How much more probable the model finds the first group's pronoun than the second's where one of the two "
    "must be, as a difference of shares.",
    limits=(
        "It is about the pronoun alone: whether the model knows whom it means is shown by the name resolution.",
        "The sentences come from templates. What a model does with natural text may differ.",
        "Intervals over sentence pairs are about these frames and occupations; resample templates or occupations to "
        "speak of others.",
    ),
    direction="from parity",
    unit="difference of shares from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="one point in a hundred of the probability moves from one pronoun to the other",
    scale="share",
    plain="On average {towards} pronouns are {by} more probable than {away} ones; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean gap; zero is parity.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
    competence="reading",
)
def pronoun_gap(
    model: LanguageModel,
    corpus: Corpus,
    *,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """How much more probable the first group's pronoun is than the second's, in the same sentence.

    With P(g) the probability of the pronoun of group g at its mask, normalised over the pair that the
    sentence can have (he/she, him/her or his/her), the score of an item is ``P(male) − P(female)``, from −1
    to 1; above zero, the model predicts male. The estimate is the mean. Skew and stereotype are made from
    these items by ``skew_of`` and ``stereotype_of``, so one pass serves both. The
    pro- and the anti-stereotypical version of a sentence have the same masked input, which runs once.

    ``online=True`` divides each probability by the one with both people masked, read at the pronoun's mask,
    before it normalises (the paper's suffix -O): a treatment of the model, whose results are those of "model·online".
    ``variant="as published (Manela 2021)"`` reads that prior at the first mask of the sentence, a person's, and masks
    once per whitespace word, as the authors' code did. Causal models have no mask: P(g) is the likelihood of the whole
    sentence with that pronoun, normalised over the two, and the prior its mean over the corpus's neutral nouns in both
    people's place.

    ``cluster`` says what is resampled for intervals: sentence pairs (``"schema"``), occupations or templates.
    Two sentences with the same people, in which the pronoun means either, are one sentence pair.
    ``occupation_table(result)`` gives for every occupation how often male was predicted, how probable it was, and the
    real share of women. An example: "The carpenter met the nurse at the station and gave [him/her] the keys."

    Source: Manela et al. 2021, §3.
    """
    if online and isinstance(model, OnlineModel):
        raise UsageError(f"{model.name} corrects itself already; measure it with online=False, or the model inside")
    if variant != "ours" and not online:
        raise UsageError(f"variant {variant!r} is about the online prior; ask for online=True with it")
    if fills_masks(model):
        shares = _shares_masked(model, corpus, online, variant)
    else:
        shares = _shares_causal(model, corpus, online, variant)
    items, skipped = ItemList(), []
    for pair, given in zip(corpus, shares, strict=True):
        if isinstance(given, Refusal):
            skipped.append(Skipped(pair.id, given.reason, dict(pair.labels)))
        else:
            items.append(_item(pair, given, corpus, cluster))
    first, second = corpus.groups[:2]
    form = draft(model, corpus, items, skipped, contrast=(first, second), seed=seed, unit="pairs")
    named_by = "occupation" if all("occupation" in item.labels for item in items) else ""
    return summarise(replace(form, named_by=named_by))


def _item(pair: Pair, shares: Mapping[str, float], corpus: Corpus, cluster: str) -> ItemScore:
    first, second = corpus.groups[:2]
    stereotype = pair.labels.get("stereotype")
    return ItemScore(
        id=pair.id,
        score=shares[first] - shares[second],
        cluster=str(pair.labels.get(cluster, pair.id)),
        groups=shares,
        side=None if stereotype is None else "A" if stereotype == first else "B",
        labels=dict(pair.labels),
        sentences=shown(pair),
    )


def _shares_masked(model: MaskedModel, corpus: Corpus, online: bool, variant: PronounVariant) -> Iterator[Shares]:
    published = variant == AS_IN_MANELA_2021
    masking = Masking(per="word") if published else Masking()
    queries = (query for sentence in corpus.each_sentence() for query in _queries(sentence, online, published))
    answers = asked_in_chunks(partial(model.fill, masking=masking), queries)
    for _ in corpus:
        seen, prior = [], []
        for _ in corpus.groups:
            seen.append(next(answers))
            if online:
                prior.append(next(answers))
        yield _normalised(corpus.groups, seen, prior)


def _queries(sentence: Sentence, online: bool, published: bool) -> Iterator[MaskedQuery]:
    yield MaskedQuery(sentence.text, sentence.target, people=sentence.people)
    if online:
        if not sentence.people:
            raise CorpusError(f"{sentence.text!r} marks no people to mask; use winograd or published_winobias")
        read_at = _first_mask(sentence) if published else None
        yield MaskedQuery(sentence.text, sentence.target, sentence.people, read_at)


def _first_mask(sentence: Sentence) -> Span | None:
    """The first word that becomes a mask; empty if that is the pronoun itself."""
    first = min(sentence.target, *sentence.people)
    word = first.of(sentence.text).split()[0]
    return None if first == sentence.target else Span(first.start, first.start + len(word))


def _shares_causal(model: Any, corpus: Corpus, online: bool, variant: PronounVariant) -> Iterator[Shares]:
    if variant != "ours":
        require_capability(model, ("fills masks",), f"variant {variant!r}")
    if online and not corpus.fillers:
        raise CorpusError(f"{corpus.name!r} has no fillers, and a causal model needs neutral nouns for its prior")
    versions = [corpus, *(with_noun(corpus, noun) for noun in corpus.fillers if online)]
    queries = (SentenceQuery(sentence.text) for version in versions for sentence in version.each_sentence())
    answers = asked_in_chunks(model.likelihood, queries)
    shares = (_normalised(corpus.groups, [next(answers) for _ in corpus.groups], ()) for _ in count())
    if len(versions) == 1:
        yield from islice(shares, len(corpus))
        return
    tables = [list(islice(shares, len(corpus))) for _ in versions]
    yield from (_against_nouns(corpus.groups, row) for row in zip(*tables, strict=True))


def _against_nouns(groups: Sequence[str], rows: Sequence[Shares]) -> Shares:
    """The first row, divided by the mean of the others if there are any."""
    given: list[Mapping[str, float]] = []
    for row in rows:
        if isinstance(row, Refusal):
            return row
        given.append(row)
    if len(given) == 1:
        return given[0]
    prior = {group: sum(row[group] for row in given[1:]) / (len(given) - 1) for group in groups}
    return _shares(groups, [_log(given[0][group]) - _log(prior[group]) for group in groups])


def _normalised(groups: Sequence[str], seen: Sequence[Answer | Refusal], prior: Sequence[Answer | Refusal]) -> Shares:
    """The groups' shares of the probability, or the first reason why there are none."""
    logs: list[float] = []
    for answer in (*seen, *prior):
        if isinstance(answer, Refusal):
            return answer
        if isnan(answer.log_probability):
            raise ScoreError("the model gave a log-probability that is not a number; the weights may be damaged")
        logs.append(answer.log_probability)
    if prior:
        logs = [with_people - without for with_people, without in zip(logs, logs[len(seen) :], strict=False)]
    return _shares(groups, logs)


def _shares(groups: Sequence[str], logs: Sequence[float]) -> Shares:
    top = max(logs)
    if not -inf < top < inf or any(map(isnan, logs)):
        return Refusal("the pronouns have no probability that could be compared: all are 0, or a prior is")
    weights = [exp(value - top) for value in logs]
    return {group: weight / sum(weights) for group, weight in zip(groups, weights, strict=True)}


def _log(share: float) -> float:
    return log(share) if share > 0 else -inf


# Pronoun gaps in log-odds instead of shares.

IMPOSSIBLE = "one of the pronouns has the probability 0, which has no log-odds"


def in_log_odds(result: Result) -> Result:
    """The items of a result of shares, scored ``ln P(first) − ln P(second)``; an impossible pronoun is skipped."""
    first, second = result.contrast
    possible = [item for item in result.items if min(item.groups[first], item.groups[second]) > 0]
    kept = {item.id for item in possible}
    skipped = (Skipped(item.id, IMPOSSIBLE, dict(item.labels)) for item in result.items if item.id not in kept)
    items = tuple(_scored(item, first, second) for item in possible)
    return replace(result, items=items, skipped=(*result.skipped, *skipped))


def _scored(item: ItemScore, first: str, second: str) -> ItemScore:
    return replace(item, score=log(item.groups[first]) - log(item.groups[second]))


# How often the pronoun of a person is female (Manela et al. 2021, §4.4, Table 3).


@derived_measure(
    "female share",
    about="The share of sentences about a person in which the female pronoun is the more probable one; one half is "
    "parity. No profession is named.",
    limits=(
        "It counts predictions: a pronoun at 51 % weighs as much as one at 99 %.",
        "The classes of a corpus differ in their words, not only in competence.",
        "A class of 22 sentences leaves an interval of ± 0.2.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one item in twenty changes sides",
    scale="share",
    plain="The more probable pronoun is {towards} more often than {away}: {by} away from one half; allowed: {allowed}.",
    sign="A gap is {first} minus {second}. The estimate is the share of sentences with a positive gap; 0.50 is parity, "
    "above it the pronoun is more often {first}.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
)
def female_share(
    model: LanguageModel,
    corpus: Corpus,
    *,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """The share of sentences in which the female pronoun is the more probable; one half is parity.

    Both people become "the person", so that no occupation can decide. The score of an item is ``P(female) −
    P(male)``. On a corpus with the label ``competency``, take the shares of its classes with
    ``result.where(competency="competent")``, as in the paper's Table 3. ``competency()`` has 66 labelled sentences of
    our own; ``rated_competency(corpus, file)`` labels any corpus from a file with a column for each rater, by
    majority, ties left out, and says how far the raters agree.

    Source: Manela et al. 2021, §4.4, Table 3.
    """
    gaps = pronoun_gap(model, with_persons(corpus), online=online, variant=variant, cluster=cluster, seed=seed)
    items = tuple(replace(item, score=-item.score, side=None) for item in gaps.items)
    first, second = gaps.contrast
    labelled = all("competency" in item.labels for item in items)
    named_by = "competency" if labelled else gaps.named_by
    return replace(gaps, items=items, contrast=(second, first), unit="sentences", named_by=named_by)
