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
    "pronoun gap": Limits(
        about="How much more probable the model finds the first group's pronoun than the second's where one of the two "
        "must stand, as a difference of shares.",
        limits=(
            "It is about the pronoun alone: whether the model knows whom it means is told by the baseline with names.",
            "The sentences come from templates. What a model does with natural text may differ.",
        ),
        unit="difference of shares from −1 to 1",
    ),
    "competency effect": Limits(
        about="Whether competence moves the pronoun: the gap between pronouns in sentences about competent and about "
        "incompetent people, in standard deviations. No profession is named.",
        limits=(
            "A few dozen sentences, labelled by people: the interval is wide, and others may give another figure.",
            "It compares two sets. A model that says the same pronoun in both reads as zero.",
        ),
        unit="standard deviations",
    ),
    "skew": _SKEW,
    "skew-O": _SKEW,
    "stereotype": _STEREOTYPE,
    "stereotype-O": _STEREOTYPE,
    "pronoun resolution": _RESOLUTION,
    "pronoun resolution-O": _RESOLUTION,
}

_VECTORS = "Figures of two models are hard to compare: their spaces have different shapes."
_LISTS = "The words and their genders come from a list; what the list leaves out is not measured."
_LIMITS |= {
    "WEAT": Limits(
        about="Whether one set of words (flowers, male names) lies nearer to one set of attributes than another set "
        "does, by the cosine of their vectors.",
        limits=(
            "Standardised: tiny differences that are very regular give a large effect.",
            "With few words a side the interval is wide, and large effects come by chance.",
            _VECTORS,
        ),
        unit="standard deviations",
    ),
    "gender subspace": Limits(
        about="How far the differences between he and she, man and woman, … point in one direction: the share of their "
        "variance that the first axis explains.",
        limits=(
            "A handful of pairs in many dimensions share a direction by chance: read it beside the random words.",
            "It says how concentrated gender is, not how much of it other words carry.",
            _VECTORS,
        ),
        unit="share from 0 to 1",
    ),
    "direct bias": Limits(
        about="How strongly words that should be neutral point along the axis of gender, on average.",
        limits=(
            "Never zero: random directions have some of it, more in fewer dimensions.",
            "A word can carry gender outside this axis; clustering and classification find that.",
            _VECTORS,
        ),
        unit="mean size of the cosine, from 0 to 1",
    ),
    "cluster accuracy": Limits(
        about="Whether words fall into two heaps by gender when a machine sorts them by their vectors alone.",
        limits=("The heaps may follow topic or part of speech, which go with gender in a word list.", _LISTS),
        unit="share from 0.5 (chance) to 1",
    ),
    "classifier accuracy": Limits(
        about="Whether a machine that was shown the gender of some words can tell that of others from their vectors.",
        limits=("It finds any regularity that goes with gender, wanted or not.", _LISTS),
        unit="share of words told rightly; 0.5 is chance",
    ),
    "neighbour correlation": Limits(
        about="Whether words that lean towards one gender stand among others that lean the same way.",
        limits=(
            "Professions of one field stand together and lean alike, whatever the model makes of gender.",
            "Figures of different numbers of neighbours, or of lists of different size, are not comparable.",
        ),
        unit="correlation from −1 to 1",
    ),
}

_PROBE = (
    "It tells what a small probe finds in the model's states, not what a full system does with a pronoun.",
    "Pages about women and about men differ in more than their pronouns.",
)
_LIMITS |= {
    "resolution ratio": Limits(
        about="How well female pronouns are resolved compared with male ones: one F1 divided by the other.",
        limits=_PROBE,
        unit="ratio; 1 is parity",
    ),
    "neither gap": Limits(
        about="Whether a female pronoun is denied its referent more often than a male one: the difference of the "
        "probability that neither of the two names is meant.",
        limits=_PROBE,
        unit="difference of probabilities from −1 to 1",
    ),
    "topic correlation": Limits(
        about="Whether female pronouns are denied a referent where the topic of the text leans towards men.",
        limits=("The topics come from the same texts, and their lean from the same model.", *_PROBE),
        unit="correlation from −1 to 1",
    ),
}

_UTILITY = (
    "It tells whether a model still knows its language, not whether it is fair: read it beside the gaps.",
    "It holds for the texts that were kept aside, and they are few.",
)
_LIMITS |= {
    "GAP resolution": Limits(
        about="How well a small probe tells from the model's states which of two names a pronoun means.",
        limits=_PROBE,
        unit="F1 from 0 to 1",
    ),
    "held-out loss": Limits(
        about="How surprised the model is by text that it was not trained on; what a mitigation may cost.",
        limits=_UTILITY,
    ),
    "pronoun error": Limits(
        about="How often the model prefers the other gender's pronoun to the one that stands in a text.",
        limits=_UTILITY,
    ),
    "task error": Limits(about="How often the model is wrong at the task it was trained for.", limits=_UTILITY),
}

_SENTIMENT = (
    "It is about one classifier and its training data; another classifier on the same model may differ.",
    "Turning every term of a review to one gender makes some sentences that nobody would write.",
)
_LIMITS |= {
    "sentiment delta": Limits(
        about="Whether the same review is rated better when its people are men or when they are women.",
        limits=(
            "Deltas of both signs cancel in the mean: read the two sides and the absolute figure.",
            *_SENTIMENT,
        ),
        unit="difference of two ratings, from −1 to 1",
    ),
    "absolute sentiment delta": Limits(
        about="How much the rating of a review moves when the gender of its people changes, in either direction.",
        limits=("Never below zero: any sensitivity to words counts, also without a direction.", *_SENTIMENT),
        unit="mean size of the difference, from 0 to 1",
    ),
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
