"""Tests without a judgement: those that did not finish, earlier attempts of reruns, and what was not tested."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.gates.outcome import BiasTestState, RunOutcome
from biascheck.wording import pluralize, shortened

__all__ = ["Attempt", "NotTested", "Untested", "untested"]

MOST_UNTESTED = 100
REASON_LENGTH = 600


@dataclass(frozen=True)
class Attempt:
    """A test, what became of one attempt to run it, and why."""

    test: str
    state: str
    reason: str


@dataclass(frozen=True)
class NotTested:
    """The tests that were not run for one reason."""

    reason: str
    count: str
    tests: tuple[str, ...]
    hidden: int


@dataclass(frozen=True)
class Untested:
    """The lists that a page shows of them."""

    unfinished: tuple[Attempt, ...]
    unfinished_hidden: int
    reruns: tuple[Attempt, ...]
    rerun: int
    not_tested: tuple[NotTested, ...]
    not_tested_count: str


def untested(outcome: RunOutcome) -> Untested:
    """Gather the lists; long ones are cut, and say so."""
    stuck = outcome.having(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING)
    attempts = [(test, number, words) for test in outcome.tests for number, words in enumerate(test.earlier, start=1)]
    groups = outcome.not_tested
    return Untested(
        unfinished=tuple(
            Attempt(test.test, str(test.state), shortened(test.reason, REASON_LENGTH)) for test in stuck[:MOST_UNTESTED]
        ),
        unfinished_hidden=len(stuck[MOST_UNTESTED:]),
        reruns=tuple(
            Attempt(test.test, f"attempt {number}", shortened(words, REASON_LENGTH))
            for test, number, words in attempts[:MOST_UNTESTED]
        ),
        rerun=sum(bool(test.earlier) for test in outcome.tests),
        not_tested=tuple(_not_tested(reason, tests) for reason, tests in groups.items()),
        not_tested_count=pluralize(sum(map(len, groups.values())), "test"),
    )


def _not_tested(reason: str, tests: tuple[str, ...]) -> NotTested:
    return NotTested(
        shortened(reason, REASON_LENGTH),
        pluralize(len(tests), "test"),
        tests[:MOST_UNTESTED],
        len(tests[MOST_UNTESTED:]),
    )
