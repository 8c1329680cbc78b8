"""The outcome of a run: what became of every bias test. Whether a run passed is decided here and nowhere else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from biascheck.core.wording import pluralize


class BiasTestState(StrEnum):
    """What became of one bias test."""

    JUDGED = "judged"
    MEASURED = "measured"
    CRASHED = "crashed"
    JUDGED_NOTHING = "judged nothing"
    NOT_RUN = "not run"
    SKIPPED = "skipped"
    DESELECTED = "deselected"


UNFINISHED = (BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING, BiasTestState.NOT_RUN)
"""States that leave a run incomplete: something was to be judged and was not."""
NOT_TESTED = (BiasTestState.SKIPPED, BiasTestState.DESELECTED, BiasTestState.NOT_RUN)
MOST_OF_ONE_REASON = 5
"""How many tests that one reason stopped are named in a summary."""
FOUND_LATER = "exceeds once all gates of its family are known (Holm)"
"""The reason of a test that passed by itself, and failed at the end of the run."""


@dataclass(frozen=True)
class TestOutcome:
    """One bias test at the end of a run.

    JUDGED: it judged gates or comparisons; ``failed`` says whether one of them failed it. MEASURED: it passed without
    judging, and is marked ``@pytest.mark.bias(judges=False)``. CRASHED: it raised anything but a finding, in the test
    or in a fixture, or its worker died. ``earlier`` tells of the attempts before the last one, where tests are rerun.
    ``judges`` is false for a test that is marked so, whatever became of it.
    """

    __test__ = False  # not a test class, whatever pytest makes of the name

    test: str
    state: BiasTestState
    failed: bool = False
    reason: str = ""
    earlier: tuple[str, ...] = ()
    judges: bool = True


@dataclass(frozen=True)
class RunOutcome:
    """What became of all bias tests.

    ``interrupted`` if the run was stopped, ``problems`` what else went wrong: a file that could not be written, two
    results that claim to be the same measurement.
    """

    tests: tuple[TestOutcome, ...] = ()
    interrupted: bool = False
    problems: tuple[str, ...] = ()

    def having(self, *states: BiasTestState) -> tuple[TestOutcome, ...]:
        """The tests in these states."""
        return tuple(test for test in self.tests if test.state in states)

    @property
    def complete(self) -> bool:
        """Whether everything that was to be judged was judged."""
        return not (self.interrupted or self.problems or self.having(*UNFINISHED))

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the run fails, each reason in words; nothing if it does not."""
        counts = Counter(test.state for test in self.tests)
        failed = [test.reason == FOUND_LATER for test in self.having(BiasTestState.JUDGED) if test.failed]
        reasons = [
            (failed.count(False), "failed a gate"),
            (failed.count(True), "failed a gate once all gates of its family were known"),
            (counts[BiasTestState.CRASHED], "crashed"),
            (counts[BiasTestState.JUDGED_NOTHING], "judged nothing"),
            (counts[BiasTestState.NOT_RUN], "did not run"),
        ]
        found = [f"{count} {'test' if count == 1 else 'tests'} {what}" for count, what in reasons if count]
        if self.interrupted:
            found.append("the run was interrupted")
        if not (found or counts[BiasTestState.JUDGED]) and not self._only_measures:
            found.append("nothing was judged")
        return (*found, *self.problems)

    @property
    def _only_measures(self) -> bool:
        """Whether something was measured, and no test was skipped that would have judged it."""
        return bool(self.having(BiasTestState.MEASURED)) and not any(
            test.judges for test in self.having(BiasTestState.SKIPPED)
        )

    def stuck(self, most: int | None = None) -> tuple[tuple[str, str, str], ...]:
        """Tests that should have judged something and did not: state, test and reason.

        One model that cannot be loaded may stop a hundred tests: of more than ``most`` with one reason, the first are
        named and the others counted.
        """
        causes: dict[tuple[BiasTestState, str], list[str]] = {}
        for test in self.having(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING):
            causes.setdefault((test.state, test.reason), []).append(test.test)
        return tuple(
            (str(state), test, reason) for (state, reason), tests in causes.items() for test in _shortened(tests, most)
        )

    @property
    def not_tested(self) -> dict[str, tuple[str, ...]]:
        """What was not tested: tests by reason, the most frequent reason first."""
        reasons: dict[str, list[str]] = {}
        for test in self.having(*NOT_TESTED):
            reasons.setdefault(test.reason or str(test.state), []).append(test.test)
        ordered = sorted(reasons.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        return {reason: tuple(tests) for reason, tests in ordered}


def _shortened(tests: list[str], most: int | None) -> list[str]:
    if most is None or len(tests) <= most:
        return tests
    return [*tests[:most], f"and {pluralize(len(tests) - most, 'more test')}"]
