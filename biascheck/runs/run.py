"""What one run leaves behind, and the one verdict that every output shows."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.core.wording import escape_control, pluralize, tally
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search, tally_of_searches
from biascheck.results.compare import Comparison
from biascheck.results.result import Result
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.outcome import NOT_TESTED, RunOutcome
from biascheck.stats import Change


@dataclass(frozen=True)
class Run:
    """Results, the gates they were judged by, comparisons made by tests, searches, and the comparison with a baseline.

    A run that was put together by hand, or read from a file that knows no outcome, has none: then its gates and
    comparisons decide.
    """

    results: tuple[Result, ...] = ()
    gates: tuple[Gate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    outcome: RunOutcome | None = None
    baseline: BaselineComparison | None = None
    searches: tuple[Search, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether everything that was to be judged was judged."""
        return self.outcome is None or self.outcome.complete

    @property
    def all_comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons made by tests, then those with the baseline."""
        return (*self.comparisons, *(self.baseline.comparisons if self.baseline else ()))

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the run fails, each reason in words; nothing if it passes."""
        tests = self._without_outcome() if self.outcome is None else self.outcome.failures
        return (*tests, *(_baseline_failures(self.baseline) if self.baseline else ()))

    @property
    def passed(self) -> bool:
        """PASS or FAIL."""
        return not self.failures

    @property
    def verdict(self) -> str:
        """PASS or FAIL, as every output shows it."""
        return "PASS" if self.passed else "FAIL"

    @property
    def headline(self) -> str:
        """The verdict, why, and what was counted, in one line."""
        return f"{self.reasoned_verdict} ({self.counts})"

    @property
    def reasoned_verdict(self) -> str:
        """The verdict and why: "FAIL: 1 test failed a gate, 2 tests crashed"."""
        return ": ".join(filter(None, (self.verdict, ", ".join(self.failures))))

    @property
    def counts(self) -> str:
        """What was judged and what was not tested: "3 gates: 1 exceeds, 2 within; 4 tests not tested"."""
        listed = [f"{pluralize(len(self.gates), 'gate')}: {tally(self.gates)}" if self.gates else "0 gates"]
        if changes := self.all_comparisons:
            listed.append(f"{pluralize(len(changes), 'comparison')}: {tally(changes)}")
        if self.searches:
            listed.append(f"{pluralize(len(self.searches), 'search', 'searches')}: {tally_of_searches(self.searches)}")
        if self.caught:
            listed.append(f"{pluralize(len(self.caught), 'failure')} expected by tests")
        untested = 0 if self.outcome is None else len(self.outcome.having(*NOT_TESTED))
        return "; ".join([*listed, *([f"{pluralize(untested, 'test')} not tested"] if untested else [])])

    @property
    def caught(self) -> tuple[Gate, ...]:
        """Gates that failed inside a test that passed: the test expected it, or caught what it should not have."""
        if self.outcome is None:
            return ()
        passing = {test.test for test in self.outcome.tests if not test.failed}
        return tuple(gate for gate in self.gates if not gate.passed and escape_control(gate.test) in passing)

    def _without_outcome(self) -> tuple[str, ...]:
        judged: tuple[Gate | Comparison | Search, ...] = (*self.gates, *self.comparisons, *self.searches)
        failed = sum(not one.passed for one in judged)
        if failed:
            return (f"{failed} of {pluralize(len(judged), 'judgement')} failed",)
        return () if judged else ("nothing was judged",)


def _baseline_failures(found: BaselineComparison) -> tuple[str, ...]:
    reasons = [
        (len(found.having(Change.REGRESSED)), "regressed from the baseline"),
        (len(found.having(Change.INVALID)), "compared with the baseline on what the model cannot do"),
        (len(found.refused), "could not be compared with the baseline"),
        (len(found.shrunk), "measured on less than the baseline"),
        (sum(one.interval is None for one in found.comparisons), "compared without an interval"),
    ]
    listed = [f"{pluralize(count, 'result')} {what}" for count, what in reasons if count]
    if not (listed or found.passed):
        listed.append("nothing could be compared with the baseline")
    return tuple(listed)
