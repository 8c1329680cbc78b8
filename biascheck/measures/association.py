"""Log-probability association (Kurita et al. 2019, §2; Bartl et al. 2020, §4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import exp, log
from typing import Any, Literal

import numpy as np

from biascheck.core.errors import CorpusError, ScoreError, UsageError
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.measures.measure import derived_measure, draft, measure, shown
from biascheck.models.base import CausalModel, LanguageModel, MaskedModel, fills_masks, require_capability
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
from biascheck.results.attachments import Table
from biascheck.results.items import ItemList, ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

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

    Source: Kurita et al. 2019, §2; Bartl et al. 2020, §4.4.
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
    """Two queries for every sentence: its target with the attribute unmasked, then masked."""
    return list(_each_query(sentences))


def _each_query(sentences: Iterable[Sentence]) -> Iterator[MaskedQuery]:
    for sentence in sentences:
        hidden = () if sentence.attribute is None else (sentence.attribute,)
        yield MaskedQuery(sentence.text, sentence.target)
        yield MaskedQuery(sentence.text, sentence.target, hidden)


GroupScores = Mapping[str, float] | Refusal


def association_scores(model: LanguageModel, corpus: Corpus) -> list[GroupScores]:
    """The association of every group in each pair of a corpus, in order, or the reason why there is none."""
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


# The change of the associations of one gender through fine-tuning (Bartl et al. 2020, Table 3, H3).


@derived_measure(
    "association change",
    about="How far the associations of one group's words moved between two models, in natural log units.",
    limits=(
        "A mean near zero can hide associations that rose and others that fell.",
        "Both models are asked about the same sentences; it says nothing about others.",
    ),
    direction="from parity",
    unit="natural log units: +0.69 means that the profession raises the group's words twice as much as before",
    smallest_change=0.095,
    smallest_change_reason="the probability of the group's words changes by a tenth: ln 1.1",
    scale="log-odds",
    plain="On average the words of {first} moved by {by} through the change of the model; allowed: {allowed}.",
    sign="A change is after minus before, for the words of {first}: positive rose, negative fell. The estimate is the "
    "mean change; zero is no change.",
    paper="bartl2020",
    made_from=("association",),
)
def association_change(before: Result, after: Result, *, person: str) -> Result:
    """The mean of association(after) − association(before) of one group's words, item by item.

    Hypothesis H3 of Bartl et al. says of either gender that its associations with balanced professions do not change
    much; the gap between the genders says nothing about that, as both may move together.
    :func:`assert_within_margin` gates it.

    Source: Bartl et al. 2020, Table 3, H3.
    """
    if before.provenance.corpus_fingerprint != after.provenance.corpus_fingerprint:
        raise UsageError(f"{before.title} and {after.title} are of different corpora; measure both on the same")
    if person not in before.items[0].groups:
        raise UsageError(f"{before.title}: groups are {sorted(before.items[0].groups)}, not {person!r}")
    later = {item.id: item.groups[person] for item in after.items}
    items = tuple(
        replace(item, score=later[item.id] - item.groups[person], groups={}, side=None)
        for item in before.items
        if item.id in later
    )
    if not items:
        raise UsageError(f"{after.title} has none of the pairs of {before.title}; measure the same corpus twice")
    return replace(after, items=items, contrast=(person, ""), attachments=())


# The pull of a profession's grammatical form on the person word (after Bartl et al. 2020, section 5.3).

Forms = tuple[ItemScore, ItemScore]


@derived_measure(
    "agreement effect",
    about="How much the masculine form of a profession, rather than the feminine one, raises the model's probability "
    "of male person words: the share of grammar in the associations of a language that marks gender.",
    limits=(
        "It is no bias: a model that knows the language agrees.",
        "It is the mean of both forms' pull; one of them may pull harder than the other.",
    ),
    direction="from parity",
    unit="natural log units, half the difference of the two forms",
    smallest_change=0.095,
    smallest_change_reason="the odds of the two groups' words change by a tenth: ln 1.1",
    scale="log-odds",
    plain="The grammatical gender of the profession alone shifts the odds by {by}; allowed: {allowed}.",
    sign="A gap is {first} minus {second}. The estimate is half the difference of the gaps beside the masculine and "
    "beside the feminine form: positive where the masculine form points towards {first}; zero is no agreement.",
    paper="bartl2020",
    made_from=("association",),
)
def agreement_effect(result: Result) -> Result:
    """½ (g(masculine form) − g(feminine form)) of an association result on :func:`bec_pro_crossed`.

    g is the association gap male − female beside one form of a profession. It is the part of the published score that
    :func:`grammar_balanced` takes out.

    Source: after Bartl et al. 2020, section 5.3.
    """
    pairs, alone = by_form(result)
    if not pairs:
        raise UsageError(f"{result.title}: no item has both its forms; measure association on bec_pro_crossed")
    items = tuple(_half_difference(masculine, feminine) for masculine, feminine in pairs)
    return replace(result, items=items, skipped=(*result.skipped, *alone))


def by_form(result: Result) -> tuple[list[Forms], list[Skipped]]:
    """The items that differ only in the form of the profession, masculine first, and those without a partner."""
    if any("form" not in item.labels for item in result.items):
        raise UsageError(f"{result.title}: its items carry no form; measure association on bec_pro_crossed")
    found: dict[str, dict[str, ItemScore]] = {}
    for item in result.items:
        found.setdefault(item.id.rpartition("/")[0], {})[str(item.labels["form"])] = item
    both = [(forms["masculine"], forms["feminine"]) for forms in found.values() if len(forms) == 2]
    return both, _alone([item for forms in found.values() if len(forms) == 1 for item in forms.values()])


def _alone(items: Sequence[ItemScore]) -> list[Skipped]:
    return [Skipped(item.id, "the other form of its profession has no score", dict(item.labels)) for item in items]


def _half_difference(masculine: ItemScore, feminine: ItemScore) -> ItemScore:
    groups = {group: (masculine.groups[group] - feminine.groups[group]) / 2 for group in masculine.groups}
    labels = {name: value for name, value in masculine.labels.items() if name != "form"}
    score = (masculine.score - feminine.score) / 2
    return replace(masculine, id=masculine.id.rpartition("/")[0], score=score, groups=groups, labels=labels)


# The gap of a profession in a language with grammatical gender (after Bartl et al. 2020, RQ4).

_grammar_balanced = derived_measure(
    "grammar balanced",
    about="How much a profession raises the model's probability of one gender's person words in a language that marks "
    "gender on professions: the mean of the gap beside the masculine form and of the gap beside the feminine form.",
    limits=(
        "Half of the sentences are ungrammatical on purpose; a model's answer to those is extrapolation.",
        "Agreement cancels as far as both forms pull equally hard. If one pulls harder, all professions shift by the "
        "same amount: compare professions, or read the slope on the workforce.",
        "A feminine form that is rare, or one that a model's tokenizer breaks into other tokens, may pull less.",
        "No published figure exists for it, and no claim about a model that does not read the language.",
    ),
    direction="from parity",
    unit="natural log units: +0.69 doubles the odds of the first group's words against the second's, −0.69 halves them",
    smallest_change=0.095,
    smallest_change_reason="the odds of the two groups' words change by a tenth: ln 1.1",
    scale="log-odds",
    plain="On average the professions shift the odds towards {towards} words by {by}, whatever the form of the noun; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean over professions and over their two forms; zero is parity.",
    paper="bartl2020",
    needs=("fills masks", "scores text"),
    made_from=("association",),
)


@_grammar_balanced
def grammar_balanced(model: LanguageModel, corpus: Corpus, *, seed: int = 0) -> Result:
    """The gap of professions corrected for the grammar of their names, on :func:`bec_pro_crossed`.

    With the association gap g = male − female of a profession beside its masculine and its feminine form::

        gap = ½ (g(masculine form) + g(feminine form))        agreement = ½ (g(masculine form) − g(feminine form))

    Agreement pulls the two halves in opposite directions and cancels; the rest belongs to the profession. The
    published score compares men beside the masculine form with women beside the feminine one: where agreement is
    strong, both are all but certain, and it shows the grammar only (Bartl et al. 2020, section 5.3). For a model whose
    log-odds are stereotype plus or minus agreement, this gap is the stereotype, whatever the agreement. Here the odds
    of a brother are 8 : 1 by agreement and 1 : 2 by stereotype, and the gap is −ln 2:

    >>> from biascheck.corpora import bec_pro_crossed
    >>> from biascheck.testing import TableModel
    >>> forms = {"Buchhalterin": {"bruder": 1 / 17, "schwester": 16 / 17}}
    >>> forms["Buchhalter"] = {"bruder": 0.8, "schwester": 0.2}
    >>> model = TableModel(forms, prior={"bruder": 0.5, "schwester": 0.5})
    >>> found = grammar_balanced(model, bec_pro_crossed())
    >>> round(next(item.score for item in found.items if item.cluster == "bookkeeper"), 4)
    -0.6931

    The agreement effect is attached; :func:`agreement_effect` gives it as a result. :func:`assert_within_margin`
    gates one group of professions; :func:`typical_gap` and :func:`workforce_slope` take its result.

    Source: after Bartl et al. 2020, RQ4.
    """
    return grammar_balanced_of(association(model, corpus, seed=seed))


@_grammar_balanced
def grammar_balanced_of(result: Result) -> Result:
    """The same from an association result on :func:`bec_pro_crossed`; see :func:`grammar_balanced`."""
    pairs, alone = by_form(result)
    if not pairs:
        raise UsageError(f"{result.title}: no item has both its forms; measure association on bec_pro_crossed")
    effect = agreement_effect(result)
    shown = Table(
        title="Agreement of person word and form",
        columns=("figure", "estimate", "low", "high"),
        rows=(("agreement effect", effect.estimate, *_ends(effect)),),
    )
    items = tuple(_mean_of(masculine, feminine) for masculine, feminine in pairs)
    return replace(result, items=items, skipped=(*result.skipped, *alone)).with_attachments(shown)


def _ends(result: Result) -> tuple[float | None, float | None]:
    return (None, None) if result.interval is None else (result.interval.low, result.interval.high)


def _mean_of(masculine: ItemScore, feminine: ItemScore) -> ItemScore:
    groups = {group: (masculine.groups[group] + feminine.groups[group]) / 2 for group in masculine.groups}
    labels = {name: value for name, value in masculine.labels.items() if name != "form"}
    score = (masculine.score + feminine.score) / 2
    return replace(masculine, id=masculine.id.rpartition("/")[0], score=score, groups=groups, labels=labels)
