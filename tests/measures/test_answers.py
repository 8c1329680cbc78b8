"""Questions, answers and what counts as one: parsing, orders, wordings and languages."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import biascheck
from biascheck import measures
from biascheck.core.errors import BiasAssertionError
from biascheck.corpora import builtin_questions
from biascheck.models.fakes import ContinuationTable
from biascheck.report.html import write_html
from support.planted_answers import QUESTIONS

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


def test_the_way_of_asking_reaches_the_model_and_orders_are_undone():
    """A model that prefers whatever is at the place A names all three options alike often over all orders."""
    questions = builtin_questions()
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
    questions = builtin_questions()

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


def test_two_models_that_change_places_between_wordings_are_told(tmp_path):
    questions = builtin_questions().where(category="age")

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
    path = tmp_path / "report.html"
    write_html(path, [*scores, measures.disambiguated_bias(first)], [])
    text = path.read_text(encoding="utf-8")
    assert text.count("ranking unstable between wordings") >= 1
    assert "one &lt; two" in text
    write_html(path, scores[:1], [])
    assert "ranking" not in path.read_text(encoding="utf-8").partition("<footer")[0].partition("<main")[2]


def test_questions_are_asked_in_the_language_of_the_items():
    questions = replace(builtin_questions().where(category="age"), language="es")
    table = ContinuationTable(lambda _context, _text: -1.0)
    measures.question_answers(table, questions, wordings=3)
    asked = [query.context for query in table.asked]
    assert all(("Pregunta: " in text) or ("P: " in text) for text in asked)
    assert not any("Question: " in text or "Q: " in text for text in asked)


def test_a_subsample_is_a_small_copy():
    """Half of every template and condition; a share that a template is too small for goes to the next."""
    questions = builtin_questions()
    half = questions.subsample(0.5, seed=3)
    count = Counter((item.cluster, item.condition) for item in half)
    assert set(count.values()) == {2}
    assert len(count) == 60
    assert Counter(item.labels["polarity"] for item in half) == {"negative": 60, "nonnegative": 60}
    tenth = questions.subsample(0.1)
    assert len(tenth) == 24
    assert Counter(item.condition for item in tenth) == {"ambiguous": 12, "disambiguated": 12}
    assert questions.subsample(0.1) == tenth
    assert questions.subsample(0.1, seed=1) != tenth
    assert questions.subsample(1) is questions
    for share in (0, 1.5):
        with pytest.raises(biascheck.CorpusError, match="between 0 and 1"):
            questions.subsample(share)
    with pytest.raises(biascheck.CorpusError, match="take a larger fraction"):
        questions.subsample(0.001)


@pytest.mark.parametrize("share", [0.125, 0.25, 0.375])
def test_what_is_left_over_favours_no_condition(share):
    """Half a question is due from each part: given to every second one, it must not always be the same condition."""
    for seed in range(5):
        part = builtin_questions().subsample(share, seed=seed)
        count = Counter((item.condition, item.labels["polarity"]) for item in part)
        assert max(count.values()) - min(count.values()) <= 1
        assert len(part) == 240 * share
        assert len({item.cluster for item in part}) > 15


def test_every_question_is_as_likely_to_be_drawn():
    questions = builtin_questions()
    drawn = Counter(item.id for seed in range(400) for item in questions.subsample(0.1, seed=seed))
    counts = np.array([drawn[item.id] for item in questions])
    # 40 of 400 on average, with a deviation of 6: of 240 counts none is further than five of them
    assert abs(counts - 40).max() < 30
    assert counts.sum() == 400 * 24
