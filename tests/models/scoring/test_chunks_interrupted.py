"""Questions in all orders of their options, interrupted in the middle: the second run computes the rest."""

import pytest

from biascheck import measures
from biascheck.core.store import DocumentCache, caching
from biascheck.corpora import ItemSet, Question
from biascheck.models.scoring.engine import LocalEngine, placed_on
from biascheck.models.scoring.prefixes import TreeEngine
from support.tiny import CAUSAL, with_budget

CHUNK = 400
NAMES = ("Al", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")
QUESTIONS = ItemSet(
    "short questions",
    tuple(
        Question(f"{a}-{b}", a, f"{a} met {b}.", "Who?", (a, b, "No"), 2, 2, 0, {"condition": "ambiguous"})
        for a in NAMES
        for b in NAMES
        if a != b
    ),
)


@pytest.fixture
def counted(monkeypatch):
    """The batches that the engine was asked for; ``stop`` interrupts it after so many of them."""
    asked, real = [], TreeEngine.run
    asked_for = {"stop": 10_000}

    def run(self, inputs, readings):
        if len(asked) >= asked_for["stop"]:
            raise KeyboardInterrupt
        asked.append(tuple((tuple(inputs[r.input]), r.position, r.token) for r in readings))
        return real(self, inputs, readings)

    monkeypatch.setattr(TreeEngine, "run", run)
    return asked, asked_for


def answers(folder):
    model = with_budget(CAUSAL[0], 256)
    with caching(DocumentCache(folder)), placed_on(LocalEngine(CHUNK)):
        return measures.question_answers(model, QUESTIONS, method="letter", orders="all")


def test_an_interrupted_run_asks_only_what_is_left(tmp_path, counted):
    asked, asked_for = counted
    whole = answers(None)
    needed = set(asked)
    assert len(needed) > 12, "the plan must be long enough to be interrupted"
    asked.clear()
    asked_for["stop"] = len(needed) // 2
    with pytest.raises(KeyboardInterrupt):
        answers(tmp_path / "results")
    first = set(asked)
    asked.clear()
    asked_for["stop"] = 10_000
    resumed = answers(tmp_path / "results")
    second = set(asked)
    assert len(first) == len(needed) // 2
    assert len(first & second) < len(needed) // 4, "no more than the chunk in flight is asked again"
    assert len(second) < len(needed)
    assert [item.labels["answer"] for item in resumed.items] == [item.labels["answer"] for item in whole.items]
    asked.clear()
    answers(tmp_path / "results")
    assert asked == [], "what was answered is kept"
