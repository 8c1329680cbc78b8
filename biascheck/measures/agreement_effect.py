"""How hard the form of a profession pulls at the person word (after Bartl et al. 2020, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result

__all__ = ["agreement_effect", "by_form"]

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
    """
    pairs, alone = by_form(result)
    if not pairs:
        raise UsageError(f"{result.title}: no item has both its forms; measure association on bec_pro_crossed")
    items = tuple(_half_difference(masculine, feminine) for masculine, feminine in pairs)
    return replace(result, items=items, skipped=(*result.skipped, *alone))


def by_form(result: Result) -> tuple[list[Forms], list[Skipped]]:
    """The items that differ in the form of the profession only, masculine first, and those without a partner."""
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
