"""What each measure tells, and what it cannot."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits", "limits_of"]


@dataclass(frozen=True)
class Limits:
    """A measure in plain words: what it is about, its limits, and what its gaps are counted in."""

    about: str
    limits: tuple[str, ...]
    unit: str = ""


_GAP = "natural log units: +0.69 doubles the odds of the first group's words against the second's, −0.69 halves them"

_LIMITS = {
    "association": Limits(
        about="How much an attribute (a profession, a trait) raises the model's probability of one group's words "
        "above another's, compared with the same sentence in which the attribute is hidden.",
        limits=(
            "The sentences come from templates. What a model does with natural text may differ.",
            "A mean near zero can hide large gaps in opposite directions: look at the attributes below.",
            "A gap in word probabilities says nothing by itself about what an application does with the model.",
            "In languages that mark gender, grammar alone moves the gap.",
        ),
        unit=_GAP,
    ),
    "effect size": Limits(
        about="How far apart two sets of attributes (career and family, say) lie on the association gap, in standard "
        "deviations.",
        limits=(
            "With eight attributes a side the interval is about two wide: a small margin is out of its reach.",
            "It compares two sets. A model that leans the same way for both reads as zero.",
            "Standardised: tiny gaps that are very regular give a large effect.",
        ),
        unit="standard deviations",
    ),
    "positive share": Limits(
        about="The share of attributes that lean towards the first group; one half is parity.",
        limits=(
            "It counts directions and ignores sizes: a tiny gap in the same direction everywhere reads as 1.",
            "The attributes of a list are a sample of nothing but that list.",
        ),
        unit="share from 0 to 1",
    ),
    "workforce correlation": Limits(
        about="Whether the gap of a profession follows the real share of women in it. A gap is male minus female, so "
        "a model that mirrors the workforce has a negative correlation.",
        limits=(
            "A model can mirror the workforce with gaps too small to matter: ranks ignore sizes.",
            "The workforce figures belong to one country and one year.",
            "Whether a model should mirror the workforce is a question of its use, not of this figure.",
        ),
        unit="correlation from −1 to 1",
    ),
}

_SKEW = Limits(
    about="How much better the model predicts one gender's pronouns than the other's in sentences about two people at "
    "work, whatever the occupation: half the differences of F1 on pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero, and it does not say which gender is preferred. The gaps do.",
        "A model that cannot resolve the pronouns guesses, and guesses look like skew: read the baseline with names.",
        "It counts predictions: a pronoun at 51 % weighs as much as one at 99 %, unless a cut-off is used.",
    ),
    unit="F1 from 0 to 1: always the same pronoun reads 0.67",
)
_STEREOTYPE = Limits(
    about="How much better the model predicts pronouns that fit the occupation's stereotype than others: half "
    "the differences of F1 between pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero.",
        "A model that always says the same pronoun reads zero: read it beside the skew.",
        "The stereotypes are the majorities of the U.S. workforce in 2017.",
    ),
    unit="F1 from 0 to 1: occupations that decide every pronoun read 1",
)
_RESOLUTION = Limits(
    about="Whether the model knows whom a pronoun means: the F1 of the predicted pronoun when both people have names "
    "that show their gender, for the gender that fares worse.",
    limits=(
        "Two names only, Alice and Bob.",
        "In the sentences that are resolved by meaning even large models stay below 0.8.",
    ),
    unit="F1 from 0 to 1: below 0.75 skew and stereotype carry a warning",
)
_LIMITS |= {
    "skew": _SKEW,
    "skew-O": _SKEW,
    "stereotype": _STEREOTYPE,
    "stereotype-O": _STEREOTYPE,
    "pronoun resolution": _RESOLUTION,
    "pronoun resolution-O": _RESOLUTION,
}

_GENERAL = Limits(
    about="A measure of the difference between groups; its documentation defines what one unit means.",
    limits=(
        "The figure holds for this corpus and this model as they were measured, and for nothing beyond them.",
        "A mean near parity can hide large gaps in opposite directions: look at the attributes below.",
        "A difference measured on a model says nothing by itself about what an application does with it.",
    ),
)


def limits_of(measure: str) -> Limits:
    """The words for a measure; one that is not known here gets what is true of all."""
    from biascheck.report.embedding_words import EMBEDDING_LIMITS  # which are made of Limits

    return (_LIMITS | EMBEDDING_LIMITS).get(measure, _GENERAL)
