"""Questions in chunks: whatever the size of a chunk, every figure is that of one plan, and nothing runs twice."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biascheck.corpora import corpus_from_templates, own_preferences, own_questions, own_triples
from biascheck.errors import ScoreError, UsageError
from biascheck.measures import association, preference_share, question_answers, stereotype_score
from biascheck.models.scoring.chunks import asked_in_chunks, chunks_of
from biascheck.models.scoring.encoding import Encoded
from biascheck.models.scoring.engine import execute
from biascheck.models.scoring.plan import Budget, make_plan
from biascheck.models.scoring.queries import Refusal
from biascheck.models.scoring.remembered import Remembered, answer, remembering

BUDGET = Budget(tokens=24, readings=5)


class HashEngine:
    """Log-probabilities that follow from input, position and token alone; counts what it runs."""

    def __init__(self):
        self.ran = []

    def run(self, inputs, readings):
        self.ran += [(tuple(inputs[r.input]), r.position, r.token) for r in readings]
        return np.array([-0.1 * (1 + hash((tuple(inputs[r.input]), r.position, r.token)) % 97) for r in readings])


IDS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@st.composite
def queries(draw):
    ids = draw(IDS)
    if draw(st.integers(0, 9)) == 0:
        return Refusal("no")
    positions = draw(st.lists(st.integers(0, len(ids) - 1), min_size=1, max_size=3, unique=True))
    return Encoded(ids, tuple(positions), tuple(draw(st.integers(0, 2)) for _ in positions))


def asking(engine):
    def ask(encoded):
        return answer(make_plan(encoded, BUDGET), lambda plan: execute(plan, engine), BUDGET, owner="tiny")

    return ask


@given(st.lists(queries(), max_size=40), st.integers(1, 12))
def test_chunks_of_any_size_answer_like_one_plan_and_run_nothing_twice(encoded, size):
    whole, parts = HashEngine(), HashEngine()
    expected = list(asked_in_chunks(asking(whole), encoded))
    with chunks_of(size):
        assert list(asked_in_chunks(asking(parts), iter(encoded))) == expected
    assert sorted(parts.ran) == sorted(whole.ran)
    assert len(set(parts.ran)) == len(parts.ran)


@given(st.lists(queries(), max_size=30), st.integers(0, 5))
def test_a_memory_that_forgets_asks_again_and_answers_the_same(encoded, most):
    engine = HashEngine()
    expected = execute(make_plan(encoded, BUDGET), engine)
    memory = Remembered(most)
    with remembering(memory):
        assert [one for query in encoded for one in asking(engine)([query])] == expected
    assert len(memory) <= most


def test_models_do_not_share_what_they_remember():
    memory, first, second = Remembered(), HashEngine(), HashEngine()
    plan = make_plan([Encoded((1, 2), (0,), (1,))], BUDGET)
    with remembering(memory):
        for engine in (first, second):
            answer(plan, lambda plan, engine=engine: execute(plan, engine), BUDGET, owner=str(id(engine)))
    assert len(second.ran) == 1


def test_queries_are_read_no_further_than_the_next_chunk():
    taken = []
    source = (taken.append(n) or n for n in range(100))
    with chunks_of(10):
        assert next(asked_in_chunks(lambda chunk: chunk, source)) == 0
    assert len(taken) == 10


def test_a_model_that_leaves_a_question_out_is_refused():
    with pytest.raises(ScoreError, match="gave 1 answers to 2 questions"):
        list(asked_in_chunks(lambda chunk: chunk[:1], [1, 2]))
    with pytest.raises(UsageError, match="a chunk of 0 queries"), chunks_of(0):
        pass


JOBS = corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}.", "{target} works as a {attribute}."],
    targets=[{"male": "my brother", "female": "my sister"}, {"male": "this man", "female": "this woman"}],
    attributes=["nurse", "plumber", "cook", "clerk", "baker", "pilot"],
)
FAMILIES = {
    "association": ("reference:tiny", lambda model: association(model, JOBS)),
    "pseudo-likelihood": ("reference:tiny", lambda model: preference_share(model, few(own_preferences()))),
    "triples": ("reference:tiny", lambda model: stereotype_score(model, few(own_triples()))),
    "questions": ("reference:tiny", lambda model: question_answers(model, few(own_questions()), method="text")),
}


def few(items):
    return replace(items, items=items.items[:8])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [1, 7])
def test_every_measure_gives_the_same_figure_in_chunks(family, size):
    """Batches of a real model differ between chunks, and so do the last digits of what float32 adds up in them."""
    import biascheck

    name, measured = FAMILIES[family]
    model = biascheck.load(name)
    whole = measured(model)
    with chunks_of(size):
        parts = measured(model)
    assert [item.id for item in parts.items] == [item.id for item in whole.items]
    assert parts.skipped == whole.skipped
    assert parts.estimate == pytest.approx(whole.estimate, abs=1e-5)
    for one, other in zip(parts.items, whole.items, strict=True):
        assert asdict(replace(one, score=0.0, groups={})) == asdict(replace(other, score=0.0, groups={}))
        assert one.score == pytest.approx(other.score, abs=1e-4)
