"""The gap of a profession where its name has a gender of its own (after Bartl et al. 2020, RQ4)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.corpora.corpus import Corpus
from biascheck.errors import UsageError
from biascheck.measures.agreement_effect import agreement_effect, by_form
from biascheck.measures.association import association
from biascheck.measures.derivation import derived_measure
from biascheck.models.capabilities import LanguageModel
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["grammar_balanced", "grammar_balanced_of"]

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
    """The gap of professions with the grammar of their names taken out, on :func:`bec_pro_crossed`.

    With the association gap g = male − female of a profession beside its masculine and its feminine form::

        gap = ½ (g(masculine form) + g(feminine form))        agreement = ½ (g(masculine form) − g(feminine form))

    Agreement pulls the two halves in opposite directions and cancels; what is left belongs to the profession. The
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
    judges one group of professions, :func:`typical_gap` and :func:`workforce_slope` take it further.
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
