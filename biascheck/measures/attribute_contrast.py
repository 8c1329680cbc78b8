"""Difference of the association gap between two attribute sets, in log-odds (after Kurita et al. 2019, §3.2)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.corpora.corpus import Corpus
from biascheck.errors import UsageError
from biascheck.measures.attribute_means import means_of_attributes
from biascheck.measures.derivation import derived_measure
from biascheck.measures.effect_size import effect_size
from biascheck.models.capabilities import LanguageModel
from biascheck.models.scoring.queries import MultiToken
from biascheck.results.result import Result

__all__ = ["attribute_contrast", "attribute_contrast_of"]

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
    ``kurita_weat(category, extended=True)``. :func:`assert_contrast_within` judges it. An example:

    >>> from biascheck.corpora import kurita_weat
    >>> from biascheck.testing import TableModel
    >>> even = {"he": 0.25, "she": 0.25, "men": 0.1, "women": 0.1, "boys": 0.1, "girls": 0.1}
    >>> model = TableModel({"business": {**even, "he": 0.5}}, prior=even)
    >>> contrast = attribute_contrast(model, kurita_weat(6)).estimate
    >>> round(contrast, 4)  # twice the odds in half of the sentences of one word of eight: ln 2 / 2 / 8
    0.0433
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
