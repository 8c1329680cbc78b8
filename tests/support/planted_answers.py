"""Answers drawn with a known score, by seed: what every measure of the benchmarks must find again."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from biascheck import measures
from biascheck.corpora import (
    Continued,
    ItemSet,
    Question,
    SentencePreference,
    StereotypeTriple,
    builtin_decisions,
    builtin_pronouns,
)
from biascheck.models.fakes import ContinuationTable, TableModel
from biascheck.models.wrappers import RecordedScores
from biascheck.results.result import Result

ROLES = ("stereotype", "anti-stereotype", "unrelated")
PAIRS = ItemSet(
    "planted pairs",
    tuple(
        SentencePreference(f"{c}-{n}", f"c{c}", f"more {c} {n}", f"less {c} {n}") for c in range(60) for n in range(4)
    ),
)
TRIPLES = ItemSet(
    "planted triples",
    tuple(
        StereotypeTriple(
            f"{t}-{n}",
            f"t{t}",
            "intersentence",
            "context",
            {r: Continued(f"{t}-{n}-{r}", f"{r} {t} {n}") for r in ROLES},
        )
        for t in range(40)
        for n in range(6)
    ),
)
QUESTIONS = ItemSet(
    "planted questions",
    tuple(
        Question(
            f"{t}-{n}-{c}", f"t{t}", "context", "question", ("one", "two", "unknown"), unknown=2,
            correct=2 if c == "ambiguous" else n % 2, biased=0, labels={"condition": c, "category": f"k{t % 5}"},
        )
        for t in range(40) for n in range(4) for c in ("ambiguous", "disambiguated")
    ),
)  # fmt: skip


def pair_answers(seed, share):
    """Template families differ in how often the stereotypical sentence is preferred."""
    rng = np.random.default_rng(seed)
    leaning = dict(zip((f"c{c}" for c in range(60)), rng.beta(4 * share, 4 * (1 - share), 60), strict=True))
    scores = {}
    for pair in PAIRS:
        gap = 1.0 if rng.random() < leaning[pair.cluster] else -1.0
        scores |= {f"{pair.id}/more": -20 + gap, f"{pair.id}/less": -20.0}
    return RecordedScores(f"pairs {seed}", scores)


def triple_answers(seed, ss, lms):
    rng = np.random.default_rng(seed)
    leaning = rng.beta(6 * ss, 6 * (1 - ss), 40)
    scores = {}
    for item in TRIPLES:
        prefers = rng.random() < leaning[int(item.cluster[1:])]
        reads = rng.random(2) < lms
        high, low = (2.0 if reads[0] else -2.0), (1.0 if reads[1] else -1.0)
        # each of the two lies above or below the unrelated sentence by itself; which is the higher is fixed apart
        first, second = sorted((high, low), reverse=True)
        own, other = (first, second) if prefers else (second, first)
        scores |= {f"{item.id}-{r}": value for r, value in zip(ROLES, (own, other, 0.0), strict=True)}
    return RecordedScores(f"triples {seed}", scores)


def question_answers(seed, *, unknown, biased, accuracy, pull=0.0, silent=0.0):
    """Ambiguous: "unknown" so often, and of the others ``biased`` of them; disambiguated: right so often.

    ``pull`` turns so many of the wrong answers, which are the other person's, into "unknown" where the stereotype would
    be against the context; templates differ in how biased they are. So many questions (``silent``) get no answer."""
    rng = np.random.default_rng(seed)
    leaning = rng.beta(5 * biased, 5 * (1 - biased), 40)
    chosen = {}
    for item in QUESTIONS:
        template = int(item.cluster[1:])
        if item.labels["condition"] == "ambiguous":
            named = 0 if rng.random() < leaning[template] else 1
            chosen[item.id] = 2 if rng.random() < unknown else named
        else:
            wrong = 1 - item.correct if rng.random() >= pull or item.correct != 0 else 2
            chosen[item.id] = item.correct if rng.random() < accuracy else wrong
        if silent and rng.random() < silent:
            chosen[item.id] = "the answer names none of the options"
    return RecordedScores(f"questions {seed}", chosen)


def decision_answers(seed, decisions, *, female, ten_years):
    rng = np.random.default_rng(seed)
    clusters = sorted({item.cluster for item in decisions})
    level = dict(zip(clusters, rng.normal(0, 1, len(clusters)), strict=True))
    effect = dict(zip(clusters, rng.normal(female, 0.3, len(clusters)), strict=True))
    slope = dict(zip(clusters, rng.normal(ten_years, 0.05, len(clusters)), strict=True))
    scores = {}
    for item in decisions:
        older = (item.labels["age"] - 60) / 10 * slope[item.cluster]
        scores[item.id] = (
            level[item.cluster]
            + (item.labels["gender"] == "female") * effect[item.cluster]
            + older
            + rng.normal(0, 0.2)
        )
    return RecordedScores(f"decisions {seed}", scores)


def pronoun_table(seed):
    """Every occupation has its own share of "he"; "they" has a quarter. The mean gap is 2 · 0.5 − 0.75."""
    rng = np.random.default_rng(seed)
    table = {}
    for name in sorted({pair.attribute for pair in builtin_pronouns()}):
        male = float(rng.uniform(0.3, 0.7))
        row = {"he": male, "she": 0.75 - male, "they": 0.25}
        table[name] = row | {"his": male, "him": male, "her": 0.75 - male, "their": 0.25, "them": 0.25}
    return TableModel(table, prior={"he": 0.4, "she": 0.4, "they": 0.2})


def referent_table(seed, *, gap, slope, accuracy):
    """The odds of the occupation: right so often, higher by ``gap`` with "he", and by ``slope`` in jobs of men only."""
    rng = np.random.default_rng(seed)
    corpus = builtin_pronouns()
    shares = {pair.attribute: float(pair.labels["share_of_women"]) / 100 for pair in corpus}
    middle = float(np.mean(list(shares.values())))
    gaps = {name: gap + slope * (middle - share) + rng.normal(0, 0.3) for name, share in shares.items()}
    odds = {}
    for pair in corpus:
        right = 1 if pair.labels["referent"] == "occupation" else -1
        level = right * (3.0 if rng.random() < accuracy else -3.0)
        for group, part in (("male", 0.5), ("female", -0.5), ("neutral", 0.0)):
            odds[pair.sentences[group].text] = (pair.attribute, level + part * gaps[pair.attribute])

    def log_probability(context, continuation):
        name, value = odds[context.split("\n")[0]]
        return -2.0 + value if continuation == f" the {name}" else -2.0

    return ContinuationTable(log_probability, name=f"referents {seed}")


@dataclass(frozen=True)
class Planted:
    """A measure on answers whose score is known."""

    truth: float
    found: Callable[[int], Result]

    def covered(self, seed):
        interval = self.found(seed).interval
        return interval.low <= self.truth <= interval.high


@cache
def _triples(seed):
    return measures.stereotype_preference(triple_answers(seed, 0.62, 0.85), TRIPLES)


@cache
def _questions(seed):
    answers = question_answers(seed, unknown=0.4, biased=0.7, accuracy=0.8, pull=0.5)
    return measures.question_answers(answers, QUESTIONS)


@cache
def _decisions(seed):
    decisions = builtin_decisions()
    return measures.decision_scores(decision_answers(seed, decisions, female=-0.3, ten_years=0.1), decisions)


@cache
def _referents(seed):
    return measures.referent_odds(referent_table(seed, gap=0.4, slope=1.5, accuracy=0.8), builtin_pronouns())


def _unanswered(seed):
    answers = question_answers(seed, unknown=0.4, biased=0.7, accuracy=0.8, silent=0.1)
    return measures.unanswered_share(measures.question_answers(answers, QUESTIONS))


# where the stereotype is right: 0.8 biased, 0.1 against, 0.1 unknown; where it is wrong: 0.2 biased, 0.8 against
NAMED = 0.5 * 0.9 + 0.5 * 1.0
PLANTED = {
    "preference share": Planted(0.65, lambda s: measures.preference_share(pair_answers(s, 0.65), PAIRS)),
    "stereotype score": Planted(0.62, lambda s: measures.stereotype_score(_triples(s))),
    "language modelling score": Planted(0.85, lambda s: measures.language_modelling_score(_triples(s))),
    "icat score": Planted(0.85 * 0.38 / 0.5, lambda s: measures.icat_score(_triples(s))),
    "ambiguous bias": Planted(0.6 * 0.4, lambda s: measures.ambiguous_bias(_questions(s))),
    "disambiguated bias": Planted(
        2 * (0.5 * 0.8 + 0.5 * 0.2) / NAMED - 1, lambda s: measures.disambiguated_bias(_questions(s))
    ),
    "answer accuracy": Planted(0.8, lambda s: measures.answer_accuracy(_questions(s).where(condition="disambiguated"))),
    "unanswered share": Planted(0.1, _unanswered),
    "decision effect": Planted(-0.3, lambda s: measures.decision_effect(_decisions(s), group="female")),
    "decision effect of race, which is none": Planted(
        0.0, lambda s: measures.decision_effect(_decisions(s), attribute="race", group="Black")
    ),
    "age slope": Planted(0.1, lambda s: measures.age_slope(_decisions(s))),
    "pronoun gap": Planted(0.25, lambda s: measures.pronoun_gap(pronoun_table(s), builtin_pronouns())),
    "referent gap": Planted(0.4, lambda s: measures.referent_gap(_referents(s))),
    "referent accuracy": Planted(0.8, lambda s: measures.referent_accuracy(_referents(s))),
    "workforce slope of referents": Planted(
        1.5, lambda s: measures.workforce_slope(measures.referent_gap(_referents(s)))
    ),
}
