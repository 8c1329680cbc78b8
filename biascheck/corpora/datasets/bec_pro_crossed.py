"""German BEC-Pro with every form of a profession beside every person word, whether the two agree or not.

A corpus of ours, after Bartl et al. 2020: their German sentences pair men with masculine forms and women with feminine
ones, so that grammar and stereotype cannot be separated. Here each of the two forms meets both genders.
"""

from __future__ import annotations

from dataclasses import replace

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.datasets.bec_pro import (
    BEC_PRO_FILLERS,
    BEC_PRO_GROUPS,
    BEC_PRO_TEMPLATES,
    WITH_ARTICLE,
    Profession,
    bec_pro_professions,
    profession_labels,
    target_sets,
)
from biascheck.corpora.templates import Attribute, Template, cross

__all__ = ["CROSSED_ARTICLES", "bec_pro_crossed"]

CROSSED_ARTICLES = {"masculine": "der", "feminine": "die"}
WARNING = (
    "half of its sentences break the agreement of person and profession on purpose; read grammar_balanced, not a gap"
)


def bec_pro_crossed() -> Corpus:
    """Five templates × nine pairs of person words × 60 professions × two forms: 5,400 pairs in German.

    Both sentences of a pair have the same form of the profession, and the article that goes with it: "Mein Bruder ist
    Buchhalterin." / "Meine Schwester ist Buchhalterin." Labels are those of :func:`bec_pro`, and ``form`` (masculine,
    feminine). The few professions with one form for both genders have it twice.
    """
    pairs = tuple(
        pair for template in BEC_PRO_TEMPLATES["de"] for form in CROSSED_ARTICLES for pair in _pairs(template, form)
    )
    return Corpus(
        "bec-pro-de-crossed", BEC_PRO_GROUPS, pairs, "de", BEC_PRO_FILLERS["de"], (WARNING,), paper="bartl2020"
    )


def _pairs(template: Template, form: str) -> list[Pair]:
    persons = [
        tuple(replace(target, forms={"article": CROSSED_ARTICLES[form]}) for target in targets)
        for targets in target_sets("de")
    ]
    attributes = [
        Attribute(
            profession.name,
            {**profession_labels(profession), "form": form},
            dict.fromkeys(BEC_PRO_GROUPS, written_form(profession, form, definite=template.id == WITH_ARTICLE)),
        )
        for profession in bec_pro_professions()
    ]
    pairs = cross([template], persons, attributes, targets_label="persons")
    return [replace(pair, id=f"{pair.id}/{form}") for pair in pairs]


def written_form(profession: Profession, form: str, *, definite: bool = False) -> str:
    """The masculine or feminine form of a profession, perhaps as it is after an article."""
    if form == "feminine":
        return profession.german_feminine
    return profession.german_masculine_definite if definite else profession.german_masculine
