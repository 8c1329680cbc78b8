"""What the measures of embeddings tell, what their sign means, and what they cannot tell."""

from __future__ import annotations

from biascheck.report.limits import Limits

__all__ = ["EMBEDDING_LIMITS", "EMBEDDING_SIGNS"]

EMBEDDING_SIGNS = {
    "gender subspace": "The estimate is the share of what sets he and she, man and woman … apart that lies in "
    "one direction, from 0 to 1. It has no sign.",
    "direct bias": "A cosine with the gender direction is positive towards male and negative towards female. The "
    "estimate is the mean of the magnitudes, whatever the sign; zero is parity.",
    "cluster accuracy": "A score is positive where a word falls into the cluster of its own gender. The estimate "
    "is the share of such words, from 0.50 (chance) to 1.",
    "classifier accuracy": "A score is positive where the gender of an unseen word is told right. The estimate "
    "is the share of such words; 0.50 is chance.",
    "neighbour correlation": "A score is positive where most neighbours of a word lean to male. The estimate is "
    "its correlation with the bias of the word itself: positive means that words stand among others that lean as "
    "they do.",
    "WEAT": "A score is how much nearer a target lies to the first set of attributes than to the second. The "
    "estimate compares the two sets of targets in standard deviations: positive means that the first targets go "
    "with the first attributes.",
    "GAP resolution": "The estimate is the F1 of a probe that tells whom a pronoun means; 1 is perfect.",
    "resolution ratio": "The estimate is the F1 on female pronouns over that on male ones; below 1 female "
    "pronouns fare worse.",
    "neither gap": "The estimate is the mean probability of “neither” for male pronouns minus that for female "
    "ones: negative means that a female pronoun is denied a referent more often.",
    "topic correlation": "The estimate is the correlation of the probability of “neither” for a female pronoun "
    "with how far the topics of its text lean to men.",
}

EMBEDDING_LIMITS = {
    "gender subspace": Limits(
        about="How concentrated gender is: the share of variance of the first component of definitional pairs.",
        limits=(
            "It says nothing of how much gender other words carry.",
            "A handful of vectors in many dimensions share a direction by chance: read it beside the random words.",
        ),
        unit="share from 0 to 1",
    ),
    "direct bias": Limits(
        about="How far neutral words lean along the gender direction.",
        limits=(
            "Never zero: random directions of d dimensions give √(2 / πd) on average.",
            "States that share one direction can all lean one way; models of different width are not on one scale.",
            "Words can carry gender outside this direction; clustering and classification find it.",
        ),
        unit="cosine from 0 to 1",
    ),
    "cluster accuracy": Limits(
        about="Whether words that lean to one gender fall into a cluster of their own.",
        limits=(
            "Clusters follow topic and part of speech as well, which go with gender in any list of such words.",
            "The clustering is held fixed in the interval.",
        ),
        unit="share from 0.5 to 1",
    ),
    "classifier accuracy": Limits(
        about="Whether the gender that a word leans to can be learnt from other words.",
        limits=(
            "Words that were chosen by the very vectors that are measured will always be told.",
            "What a classifier can find, an application need not use.",
        ),
        unit="share from 0 to 1",
    ),
    "neighbour correlation": Limits(
        about="Whether words stand among others that lean to the same gender.",
        limits=(
            "Professions of one field stand together and lean alike for reasons of their own.",
            "Figures for another number of neighbours or another list of words are not comparable.",
        ),
        unit="correlation from −1 to 1",
    ),
    "WEAT": Limits(
        about="Whether two sets of targets lie at different distances from two sets of attributes.",
        limits=(
            "With eight targets a side the interval is about one wide.",
            "Cosines of contextual states are a weak measure: Kurita et al. 2019 found no significant effect in BERT.",
        ),
        unit="standard deviations",
    ),
}
EMBEDDING_SIGNS["neither gap beyond labels"] = (
    EMBEDDING_SIGNS["neither gap"] + " What the labels of GAP explain is taken away first."
)
_PROBE = Limits(
    about="What a small probe on frozen states makes of the ambiguous pronouns of GAP.",
    limits=(
        "It shows what the probe finds in the states, not what a full system does with them.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and men differ in more than their pronouns.",
    ),
)
EMBEDDING_LIMITS |= dict.fromkeys(
    ("GAP resolution", "resolution ratio", "neither gap", "neither gap beyond labels", "topic correlation"), _PROBE
)
