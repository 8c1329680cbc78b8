"""Effect size of the association gap between two attribute sets (Kurita et al. 2019, §3.2, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, log
from typing import Any, Literal

import numpy as np

from biascheck import stats
from biascheck.core.errors import CorpusError, UsageError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.measures.association import association
from biascheck.measures.gaps import means_of_attributes
from biascheck.measures.measure import derived_measure, draft, measure
from biascheck.models.base import LanguageModel, require_capability
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, MaskedQuery, MultiToken, Refusal
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

EffectVariant = Literal["ours", "as published (Kurita 2019)"]
AS_KURITA: EffectVariant = "as published (Kurita 2019)"


@measure(
    "effect size",
    version=1,
    about="How far apart two sets of attributes (career and family, say) lie on the association gap, in standard "
    "deviations.",
    limits=(
        "With eight attributes per set the interval is about two wide: a small margin is out of its reach.",
        "It compares two sets. A model that leans the same way for both reads as zero.",
        "Standardised: tiny gaps that are very regular give a large effect.",
    ),
    statistic="standardised_difference",
    direction="from parity",
    unit="standard deviations",
    smallest_change=0.2,
    smallest_change_reason="a small effect by Cohen (1988)",
    plain="The first set of words leans more towards {towards} words than the second: by {by} standard "
    "deviations; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "set A minus set B in standard deviations of these gaps: positive means that set A leans towards {first} more than "
    "set B does.",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
    competence="reading",
)
def effect_size(
    model: LanguageModel,
    corpus: Corpus,
    *,
    multi_token: MultiToken = "joint",
    variant: EffectVariant = "ours",
    seed: int = 0,
) -> Result:
    """How far apart two sets of attributes lie on the association gap, in standard deviations.

    The gap of an attribute is the mean of its association gaps over templates and target pairs. With A
    and B the gaps of the two sets (career and family, say)::

        d = (mean A − mean B) / standard deviation of A ∪ B  (n − 1)

    Positive: set A leans towards the corpus's first group more than set B does. The p-value is two-sided,
    from permuting attributes between the sets: exact where the partitions can be enumerated. The standard deviation is
    of both sets together, so this is not Cohen's d; with equal sets it stays below 2.

    Pairs carry the label ``side``, "A" or "B"; the corpus has two groups. ``kurita_weat(category)`` gives the corpora:
    1 flowers and insects, 3 white and black (A pleasant, B unpleasant), 6 career and family, 7 math and arts,
    8 science and arts.

    ``variant="as published (Kurita 2019)"`` does what the authors' code did: one row for every template and
    attribute, the rows pooled as if independent; the probabilities of several targets of a template summed
    before the logarithm; the prior read at the word left of the attribute; p without the +1. It reproduces
    their procedure, not their figures, some of which cannot be reproduced (see the errata).

    Source: Kurita et al. 2019, §3.2, Table 3.
    """
    _require_sides(corpus)
    if variant == AS_KURITA:
        items, skipped = _pooled_rows(model, corpus)
    else:
        gaps = association(model, corpus, multi_token=multi_token, seed=seed)
        items, skipped = means_of_attributes(gaps.items), list(gaps.skipped)
    contrast = (corpus.groups[0], corpus.groups[1])
    form = draft(
        model,
        corpus,
        items,
        skipped,
        contrast=contrast,
        seed=seed,
        unit="attributes" if variant == "ours" else "rows",
    )
    result = summarise(form)
    return _with_published_p(result) if variant == AS_KURITA else result


def _with_published_p(result: Result) -> Result:
    """The authors' p of k / n, which can reach zero; a valid permutation p is (k + 1) / (n + 1)."""
    sides = [np.array([item.score for item in result.items if item.side == side]) for side in ("A", "B")]
    rng = np.random.default_rng(result.seed)
    return replace(result, p=stats.permute_two_samples(sides[0], sides[1], rng=rng, plus_one=False).p)


def _require_sides(corpus: Corpus) -> None:
    sides = {str(pair.labels.get("side")) for pair in corpus}
    if sides != {"A", "B"}:
        raise CorpusError(
            f"{corpus.name!r} has sides {sorted(sides)}; an effect size compares two sets of attributes, "
            "labelled side='A' and side='B'"
        )
    if len(corpus.groups) != 2:
        raise CorpusError(f"{corpus.name!r} has {len(corpus.groups)} groups; an effect size is of the gap between two")


def _pooled_rows(model: Any, corpus: Corpus) -> tuple[list[ItemScore], list[Skipped]]:
    """One item for every template and attribute, as the authors pooled them."""
    require_capability(model, ("fills masks",), f"variant {AS_KURITA!r}")
    rows: dict[tuple[str, str], list[Pair]] = {}
    for pair in corpus:
        rows.setdefault((str(pair.labels.get("template")), pair.attribute), []).append(pair)
    queries = [query for pairs in rows.values() for query in _row_queries(pairs, corpus.groups)]
    answers = asked_in_chunks(model.fill, queries)
    items: list[ItemScore] = []
    skipped: list[Skipped] = []
    for (template, attribute), pairs in rows.items():
        name = f"{template}/{attribute}"
        table = {group: [(next(answers), next(answers)) for _ in pairs] for group in corpus.groups}
        scores = _summed(table)
        if isinstance(scores, Refusal):
            skipped.append(Skipped(name, scores.reason, dict(pairs[0].labels)))
        else:
            items.append(_row_item(name, scores, pairs[0], corpus.groups))
    return items, skipped


def _row_item(name: str, scores: Mapping[str, float], pair: Pair, groups: Sequence[str]) -> ItemScore:
    return ItemScore(
        id=name,
        score=scores[groups[0]] - scores[groups[1]],
        cluster=name,
        groups=scores,
        side=str(pair.labels["side"]),
        labels=dict(pair.labels),
    )


def _row_queries(pairs: Sequence[Pair], groups: Sequence[str]) -> list[MaskedQuery]:
    queries: list[MaskedQuery] = []
    for group in groups:
        for pair in pairs:
            sentence = pair.sentences[group]
            hidden = () if sentence.attribute is None else (sentence.attribute,)
            queries.append(MaskedQuery(sentence.text, sentence.target))
            queries.append(
                MaskedQuery(sentence.text, sentence.target, hidden, read_at=_word_left_of_attribute(sentence))
            )
    return queries


def _word_left_of_attribute(sentence: Sentence) -> Span:
    if sentence.attribute is None:
        raise CorpusError(f"{sentence.text!r} marks no attribute")
    before = sentence.text[: sentence.attribute.start].rstrip()
    return Span(before.rfind(" ") + 1, len(before))


def _summed(
    table: Mapping[str, list[tuple[Answer | Refusal, Answer | Refusal]]],
) -> Mapping[str, float] | Refusal:
    scores: dict[str, float] = {}
    for group, answers in table.items():
        seen = masked = 0.0
        for answer, prior in answers:
            if isinstance(answer, Refusal):
                return answer
            if isinstance(prior, Refusal):
                return prior
            seen += exp(answer.log_probability)
            masked += exp(prior.log_probability)
        scores[group] = log(seen) - log(masked)
    return scores


# Difference of the association gap between two attribute sets, in log-odds (after Kurita et al. 2019, §3.2).

_attribute_contrast = derived_measure(
    "attribute contrast",
    about="How much more one set of attributes (career) raises the odds of one group's words than another set does "
    "(family): the difference of the mean association gaps, in log-odds.",
    limits=(
        "It compares two sets. A model that leans the same way for both reads as zero.",
        "Single words may lean far in either direction while the means of both sets agree: look at the attributes.",
        "With eight attributes per set the interval is wide; kurita_weat(category, extended=True) has 60 or more.",
        "The sentences come from templates. What a model does with natural text may differ.",
    ),
    statistic="difference",
    direction="from parity",
    smallest_change=0.095,
    smallest_change_reason="the odds of the two groups' words change by a tenth: ln 1.1",
    unit="natural log units: +0.69 means that set A doubles the odds of the first group's words compared with set B",
    scale="log-odds",
    plain="The first set of words shifts the odds towards {towards} words by {by} more than the "
    "second; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean gap of set A minus that of set B: positive means that set A leans towards {first} more than set B does; "
    "zero is parity.",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
    made_from=("effect size", "association"),
)


@_attribute_contrast
def attribute_contrast(
    model: LanguageModel, corpus: Corpus, *, multi_token: MultiToken = "joint", seed: int = 0
) -> Result:
    """How much more one set of attributes raises the odds of one group's words than another set does.

    The gap of an attribute is the mean of its association gaps over templates and target pairs. With A and B the gaps
    of the two sets::

        contrast = mean A − mean B    (natural log units)

    Positive: set A leans towards the corpus's first group more than set B does. It is the numerator of
    :func:`effect_size` and keeps its scale: a model whose gaps are all tiny has a tiny contrast, whereas its effect
    size may be anything. The interval is a bootstrap of attributes within each set; p, two-sided, is from permuting
    attributes between the sets.

    Pairs carry the label ``side``, "A" or "B"; the corpus has two groups, as in ``kurita_weat(category)`` and
    ``kurita_weat(category, extended=True)``. :func:`assert_contrast_within` gates it. An example:

    >>> from biascheck.corpora import kurita_weat
    >>> from biascheck.testing import TableModel
    >>> even = {"he": 0.25, "she": 0.25, "men": 0.1, "women": 0.1, "boys": 0.1, "girls": 0.1}
    >>> model = TableModel({"business": {**even, "he": 0.5}}, prior=even)
    >>> contrast = attribute_contrast(model, kurita_weat(6)).estimate
    >>> round(contrast, 4)  # twice the odds in half of the sentences of one word of eight: ln 2 / 2 / 8
    0.0433

    Source: after Kurita et al. 2019, §3.2.
    """
    return attribute_contrast_of(effect_size(model, corpus, multi_token=multi_token, seed=seed))


@_attribute_contrast
def attribute_contrast_of(result: Result) -> Result:
    """The contrast of an :func:`effect_size` or :func:`association` result, without another pass over the model.

    The items of an association result need the label ``side``; see :func:`attribute_contrast`.
    """
    if result.measure == "effect size" and result.provenance.variant != "ours":
        raise UsageError(
            f"{result.title}: the variant {result.provenance.variant!r} pools rows of templates, which are not "
            "independent; measure it with variant='ours'"
        )
    items = tuple(means_of_attributes(result.items))
    sides = sorted({str(item.side) for item in items})
    if sides != ["A", "B"]:
        raise UsageError(
            f"{result.title}: its attributes have sides {sides}; a contrast compares two sets of attributes, "
            "labelled side='A' and side='B'"
        )
    return replace(result, items=items, unit="attributes")
