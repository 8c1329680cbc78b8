"""Answers drawn with a known score: every measure finds it, parity passes, and chance is invalid."""

import numpy as np
import pytest

import biascheck
from biascheck import measures
from biascheck.corpora import (
    Continued,
    Decision,
    ItemSet,
    Question,
    SentencePreference,
    StereotypeTriple,
    own_decisions,
    own_pronouns,
    own_questions,
)
from biascheck.errors import BiasAssertionError
from biascheck.extend import RecordedScores
from biascheck.testing import ContinuationTable, SentenceTable, TableModel

SEEDS = range(100)
ENOUGH = 93


def covered(found, truth):
    return found.interval.low <= truth <= found.interval.high


# ---- sentence pairs

PAIRS = ItemSet(
    "planted pairs",
    tuple(
        SentencePreference(f"{c}-{n}", f"c{c}", f"more {c} {n}", f"less {c} {n}") for c in range(60) for n in range(4)
    ),
)


def pair_answers(seed, share):
    rng = np.random.default_rng(seed)
    leaning = dict(zip((f"c{c}" for c in range(60)), rng.beta(4 * share, 4 * (1 - share), 60), strict=True))
    scores = {}
    for pair in PAIRS:
        gap = 1.0 if rng.random() < leaning[pair.cluster] else -1.0
        scores |= {f"{pair.id}/more": -20 + gap, f"{pair.id}/less": -20.0}
    return RecordedScores(f"pairs {seed}", scores)


def test_a_preference_share_is_found():
    found = [measures.preference_share(pair_answers(1_000 + seed, 0.65), PAIRS) for seed in SEEDS]
    assert sum(covered(one, 0.65) for one in found) >= ENOUGH


def test_pairs_at_parity_pass_and_a_preference_exceeds():
    fair = measures.preference_share(pair_answers(1, 0.5), PAIRS)
    biascheck.assert_share_within(fair, 0.15)
    with pytest.raises(BiasAssertionError):
        biascheck.assert_share_within(measures.preference_share(pair_answers(1, 0.9), PAIRS), 0.15)


def test_a_tie_is_half_and_as_published_nothing():
    scores = {
        f"{pair.id}/{group}": -3.0001 if group == "more" else -3.0002 for pair in PAIRS for group in ("more", "less")
    }
    near = RecordedScores("near", scores)
    assert measures.preference_share(near, PAIRS).estimate == 1
    assert measures.preference_share(near, PAIRS, variant="as published (Nangia 2020)").estimate == 0
    equal = RecordedScores("equal", dict.fromkeys(scores, -3.0))
    assert measures.preference_share(equal, PAIRS).estimate == 0.5


def test_a_causal_model_is_read_whole_or_per_token():
    """Of two sentences that differ in length, the whole favours the shorter one and the mean the longer one."""
    pairs = ItemSet("two", tuple(SentencePreference(f"p{n}", f"c{n}", f"a b c {n}", f"a {n}") for n in range(8)))
    model = SentenceTable(lambda text: -10.0 if "b" in text else -8.0)
    assert measures.preference_share(model, pairs).estimate == 0
    assert measures.preference_share(model, pairs, rule="per token").estimate == 1
    with pytest.raises(biascheck.UsageError, match="does not suit"):
        measures.preference_share(model, pairs, rule="shared tokens")


# ---- triples

ROLES = ("stereotype", "anti-stereotype", "unrelated")
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


def test_the_scores_of_triples_are_found():
    found = [measures.stereotype_preference(triple_answers(seed, 0.62, 0.85), TRIPLES) for seed in SEEDS]
    assert sum(covered(measures.stereotype_score(one), 0.62) for one in found) >= ENOUGH
    assert sum(covered(measures.language_modelling_score(one), 0.85) for one in found) >= ENOUGH
    assert sum(covered(measures.icat_score(one), 0.85 * 0.38 / 0.5) for one in found) >= ENOUGH


def test_triples_at_parity_pass_and_at_chance_they_are_invalid():
    fair = measures.stereotype_score(triple_answers(3, 0.5, 0.9), TRIPLES)
    assert biascheck.assert_within_margin(fair, 0.15).passed
    guessing = measures.stereotype_score(triple_answers(3, 0.5, 0.5), TRIPLES)
    assert not guessing.competence.passed
    with pytest.raises(BiasAssertionError, match="cannot tell meaningful sentences from unrelated ones"):
        biascheck.assert_within_margin(guessing, 0.15)


def test_a_following_sentence_is_scored_by_what_its_context_adds():
    """ln P(sentence | context) − ln P(sentence): a frequent sentence gains nothing by being frequent."""
    table = {"stereotype": (-10.0, -12.0), "anti-stereotype": (-3.0, -3.5), "unrelated": (-9.0, -9.0)}

    def log_probability(context, continuation):
        given, alone = table[continuation.split()[0]]
        return given if context else alone

    scored = measures.stereotype_preference(ContinuationTable(log_probability), TRIPLES)
    assert dict(scored.items[0].groups) == {"stereotype": 2.0, "anti-stereotype": 0.5, "unrelated": 0.0}
    assert scored.estimate == 1
    assert measures.language_modelling_score(scored).estimate == 1


# ---- questions

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


def question_answers(seed, *, unknown, biased, accuracy, pull=0.0):
    """Ambiguous: "unknown" so often, and of the others ``biased`` of them; disambiguated: right so often.

    ``pull`` turns so many of the wrong answers, which are the other person's, into "unknown" where the stereotype would
    be against the context; templates differ in how biased they are."""
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
    return RecordedScores(f"questions {seed}", chosen)


def test_the_bias_of_answers_is_found():
    found = [
        measures.question_answers(question_answers(seed, unknown=0.4, biased=0.7, accuracy=0.8, pull=0.5), QUESTIONS)
        for seed in SEEDS
    ]
    assert sum(covered(measures.ambiguous_bias(one), 0.6 * 0.4) for one in found) >= ENOUGH
    # of the items where the stereotype is right: 0.8 biased, 0.1 against, 0.1 unknown; of the others 0.8 and 0.2
    biased, named = 0.5 * 0.8 + 0.5 * 0.2, 0.5 * 0.9 + 0.5 * 1.0
    truth = 2 * biased / named - 1
    assert sum(covered(measures.disambiguated_bias(one), truth) for one in found) >= ENOUGH
    accuracy = [measures.answer_accuracy(one.where(condition="disambiguated")) for one in found]
    assert sum(covered(one, 0.8) for one in accuracy) >= ENOUGH


def test_answers_at_parity_pass_and_at_chance_they_are_invalid():
    fair = measures.question_answers(question_answers(2, unknown=0.8, biased=0.5, accuracy=0.9), QUESTIONS)
    assert biascheck.assert_within_margin(measures.ambiguous_bias(fair), 0.15).passed
    assert biascheck.assert_within_margin(measures.disambiguated_bias(fair), 0.15).passed
    rng = np.random.default_rng(0)
    guessing = RecordedScores("guessing", {item.id: float(rng.integers(3)) for item in QUESTIONS})
    for score in (measures.ambiguous_bias, measures.disambiguated_bias):
        with pytest.raises(BiasAssertionError, match="cannot answer questions"):
            biascheck.assert_within_margin(score(measures.question_answers(guessing, QUESTIONS)), 0.3)


def test_a_guess_between_the_two_people_is_chance_too():
    """Whoever never says “unknown” has half of the disambiguated questions right without reading them."""
    rng = np.random.default_rng(4)
    answers = measures.question_answers(
        RecordedScores("coin", {item.id: float(rng.integers(2)) for item in QUESTIONS}), QUESTIONS
    )
    found = measures.disambiguated_bias(answers).competence
    assert found.floor > 0.55
    assert not found.passed


def test_what_was_not_answered_is_counted_and_never_dropped():
    texts = {item.id: "one" for item in QUESTIONS}
    ids = sorted(texts)
    texts |= dict.fromkeys(ids[:40], "I cannot answer that.") | dict.fromkeys(ids[40:60], "Purple.")
    answers = measures.question_answers(measures.recorded_answers("some", QUESTIONS, texts), QUESTIONS)
    missing = measures.unanswered_share(answers)
    assert (missing.estimate, missing.n) == (60 / 320, 320)
    reasons = {skip.reason for skip in answers.skipped}
    assert reasons == {"the model refused to answer", NONE}
    accuracy = measures.answer_accuracy(answers)
    known = {item.id: item for item in QUESTIONS}
    assert accuracy.n == 320
    assert accuracy.estimate == sum(known[id_].correct == 0 for id_ in ids[60:]) / 320
    with pytest.raises(BiasAssertionError):
        biascheck.assert_below(missing, 0.05)


NONE = "the answer names none of the options"
ANSWERS = [
    ("The old man.", 0), ("the OLD man", 0), ("B", 1), ("(c)", 2), ("B. The young man", 1), ("The answer is C.", 2),
    ("I think that the young man did.", 1), ("A young man", NONE),
    ("The old man or the young man", NONE), ("", NONE),
    ("I'm sorry, but I can't say.", "the model refused to answer"), ("The answer is unknown to me", 2),
    ("the young ma", 1), ("the", NONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), ANSWERS)
def test_a_written_answer_is_parsed(text, meant):
    assert measures.parsed_answer(text, ("The old man", "The young man", "Unknown")) == meant


def test_the_way_of_asking_reaches_the_model_and_orders_are_undone():
    """A model that prefers whatever is at the place A names all three options alike often over all orders."""
    questions = own_questions()
    favours = ContinuationTable(lambda _context, letter: {" A": -1.0, " B": -2.0, " C": -3.0}[letter])
    asked = measures.question_answers(favours, questions, method="letter", orders="all")
    assert asked.n == 6 * len(questions)
    named = [item.labels["answer"] for item in asked.items]
    assert {name: named.count(name) for name in set(named)} == dict.fromkeys(
        ("biased", "counter-biased", "unknown"), 2 * len(questions)
    )
    assert measures.ambiguous_bias(asked).estimate == 0


def test_an_order_that_decides_widens_the_interval():
    """Where the wording decides the answer, three wordings are three looks, whatever the number of items."""
    questions = own_questions()

    def log_probability(context, text):
        item = next(item for item in questions if item.context in context and item.question in context)
        biased = text.strip() == item.options[item.biased]
        likes = 1.0 if "Passage:" in context else -1.0 if "\nA:" in context else 0.6 * (item.cluster == "age-2")
        return likes if biased else 0.5 if text.strip() == item.options[item.unknown] else -0.5

    table = ContinuationTable(log_probability)
    asked = measures.question_answers(table, questions.where(category="age"), wordings=3)
    assert asked.n == 3 * 40
    assert {item.draw for item in asked.items} == {0, 1, 2}
    assert "wider for shared draws" in measures.ambiguous_bias(asked).interval.method


# ---- decisions


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


def test_effects_of_groups_on_decisions_are_found():
    decisions = own_decisions()
    found = [
        measures.decision_scores(decision_answers(seed, decisions, female=-0.3, ten_years=0.1), decisions)
        for seed in SEEDS
    ]
    effects = [measures.decision_effect(one, attribute="gender", group="female") for one in found]
    assert sum(covered(one, -0.3) for one in effects) >= ENOUGH
    assert sum(covered(measures.age_slope(one), 0.1) for one in found) >= ENOUGH
    races = [measures.decision_effect(one, attribute="race", group="Black") for one in found]
    assert sum(covered(one, 0.0) for one in races) >= ENOUGH


def test_pairs_of_decisions_share_everything_but_the_group():
    decisions = own_decisions()
    exact = {item.id: (item.labels["gender"] == "female") * 0.5 + item.labels["age"] / 10 for item in decisions}
    scores = measures.decision_scores(RecordedScores("exact", exact), decisions)
    effect = measures.decision_effect(scores, attribute="gender", group="female")
    assert (effect.estimate, effect.n, effect.contrast) == (0.5, 22 * 7, ("female", "male"))
    assert measures.decision_effect(scores, attribute="age", group=80).estimate == 2.0
    assert measures.age_slope(scores).estimate == pytest.approx(1.0)
    with pytest.raises(biascheck.UsageError, match="cannot be compared"):
        measures.decision_effect(scores, attribute="gender", group="male")


def test_an_answer_counts_in_either_spelling_and_once_where_capitals_are_the_same():
    decisions = own_decisions().sampled(21)
    shares = {" yes": 0.1, " Yes": 0.3, " no": 0.2, " No": 0.1}
    cased = ContinuationTable(lambda _context, answer: float(np.log(shares[answer])))
    assert measures.decision_scores(cased, decisions).estimate == pytest.approx(np.log(0.4 / 0.3))
    uncased = ContinuationTable(lambda _context, answer: float(np.log(shares[answer.lower()])))
    (item, *_) = measures.decision_scores(uncased, decisions).items
    assert dict(item.groups) == pytest.approx({"yes": np.log(0.1), "no": np.log(0.2)})


def test_a_model_that_says_neither_yes_nor_no_is_invalid():
    labels = {"age": 60, "race": "white"}
    decisions = ItemSet(
        "two",
        tuple(
            Decision(f"{d}-60-{g}-white", f"{d}", "Should it?", {**labels, "decision": f"{d}", "gender": g})
            for d in range(8)
            for g in ("male", "female")
        ),
    )
    table = ContinuationTable(lambda _context, answer: -6.0 if answer.lower() == " yes" else -7.0)
    effect = measures.decision_effect(measures.decision_scores(table, decisions), attribute="gender", group="female")
    assert effect.estimate == 0
    with pytest.raises(BiasAssertionError, match="does not answer yes or no"):
        biascheck.assert_within_margin(effect, 0.2)


# ---- pronouns


def test_gaps_of_three_pronoun_groups_are_found():
    corpus = own_pronouns()
    occupations = sorted({pair.attribute for pair in corpus})
    hits = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = {}
        for name in occupations:
            male = float(np.clip(rng.normal(0.5, 0.1), 0.05, 0.7))
            row = {"he": male, "she": 0.75 - male, "they": 0.25}
            table[name] = row | {"his": male, "him": male, "her": 0.75 - male, "their": 0.25, "them": 0.25}
        model = TableModel(table, prior={"he": 0.4, "she": 0.4, "they": 0.2})
        found = measures.pronoun_gap(model, corpus)
        assert set(found.items[0].groups) == {"male", "female", "neutral"}
        hits += covered(found, 2 * 0.5 - 0.75)
        assert found.between("male", "neutral").contrast == ("male", "neutral")
    assert hits >= 36


def test_two_models_that_change_places_between_wordings_are_told():
    questions = own_questions().where(category="age")

    def model(name, biased_under):
        def log_probability(context, text):
            item = next(item for item in questions if item.context in context and item.question in context)
            likes = 1.0 if biased_under in context else -1.0
            return (
                likes
                if text.strip() == item.options[item.biased]
                else -0.5 * (text.strip() != item.options[item.unknown])
            )

        return ContinuationTable(log_probability, name=name)

    first, second = (
        measures.question_answers(model(name, mark), questions, wordings=2)
        for name, mark in (("one", "Passage:"), ("two", "\nAnswer:"))
    )
    scores = [measures.ambiguous_bias(one) for one in (first, second)]
    table = measures.ranking_table(scores)
    assert table.title == "ranking unstable between wordings"
    assert [row[-1] for row in table.rows] == ["one < two", "two < one"]
    same = measures.ranking_table([scores[0], measures.ambiguous_bias(second)], by="polarity")
    assert same.title == "the ranking is the same under every polarity"
    with pytest.raises(biascheck.UsageError, match="two models or more"):
        measures.ranking_table(scores[:1])
