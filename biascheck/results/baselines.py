"""The results that later ones are held against, and how that went.

An entry is found by what was asked, not by who answered: holding a checkpoint against the model of the baseline is the
point. Where several models of a baseline answered the same question, the one of the same name is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from biascheck.errors import UsageError
from biascheck.results.comparison import Comparison, compare_all, why_not
from biascheck.results.compatibility import question_of
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Change

__all__ = ["Baseline", "Judgement", "Refusal", "judge_against"]


@dataclass(frozen=True)
class Baseline:
    """Results to compare with: items have their scores, clusters, sides and covariates, and nothing else."""

    entries: tuple[Result, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were measured, by name."""
        return tuple(sorted({entry.model for entry in self.entries}))

    def find(self, result: Result) -> Result | None:
        """The entry that answers the same question, or ``None``; of several, the one of the same model."""
        found = self._by_question.get(question_of(result), ())
        if len(found) > 1:
            return next((entry for entry in found if entry.model == result.model), None)
        return found[0] if found else None

    def __getitem__(self, result: Result) -> Result:
        """The entry that answers the same question; UsageError where there is none."""
        if (found := self.find(result)) is not None:
            return found
        several = [entry.model for entry in self._by_question.get(question_of(result), ())]
        if several:
            raise UsageError(
                f"{result.title}: the baseline has this for {', '.join(several)}, and none is called {result.model}; "
                "keep one model in a baseline, or measure one of these"
            )
        raise UsageError(f"{result.title}: the baseline has no such result; add it with --bias-update-baseline")

    def updated(self, results: Iterable[Result]) -> Baseline:
        """The baseline with these results; an entry that none of them replaces stays."""
        entries = {(question_of(entry), entry.model): entry for entry in self.entries}
        fresh = list(results)
        for result in fresh:
            if (replaced := self.find(result)) is not None:
                entries.pop((question_of(replaced), replaced.model), None)
        entries |= {(question_of(result), result.model): result for result in fresh}
        return Baseline(tuple(entries[key] for key in sorted(entries)))

    @cached_property
    def _by_question(self) -> Mapping[str, Sequence[Result]]:
        found: dict[str, list[Result]] = {}
        for entry in self.entries:
            found.setdefault(question_of(entry), []).append(entry)
        return found


@dataclass(frozen=True)
class Refusal:
    """A result that is in the baseline, but as an answer to other questions, and why."""

    title: str
    reason: str


@dataclass(frozen=True)
class Judgement:
    """How the results of a run stand against a baseline: nothing that was measured is left out.

    ``comparisons`` come by corpus, measure and model. ``new`` names results without an entry, ``unused`` entries
    without a result.
    """

    comparisons: tuple[Comparison, ...] = ()
    refused: tuple[Refusal, ...] = ()
    new: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing regressed and everything that the baseline knows could be judged."""
        return not self.refused and not self.having(Change.REGRESSED) and (bool(self.comparisons) or not self.new)

    def having(self, verdict: Change) -> tuple[Comparison, ...]:
        """The comparisons with this verdict."""
        return tuple(comparison for comparison in self.comparisons if comparison.verdict is verdict)


def judge_against(
    baseline: Baseline, results: Iterable[Result], *, tolerance: float = 0.0, level: float = LEVEL
) -> Judgement:
    """Compare every result with its entry, as one family (Holm); what cannot be compared is refused with its reason."""
    pairs: list[tuple[Result, Result]] = []
    refused, new, used = [], [], set()
    for result in sorted(results, key=lambda result: (result.corpus, result.measure, result.model)):
        entry = baseline.find(result)
        if entry is None:
            new.append(result.title)
            continue
        used.add(id(entry))
        if reason := why_not(entry, result):
            refused.append(Refusal(result.title, reason))
        else:
            pairs.append((entry, result))
    return Judgement(
        comparisons=compare_all(pairs, tolerance=tolerance, level=level),
        refused=tuple(refused),
        new=tuple(new),
        unused=tuple(entry.title for entry in baseline.entries if id(entry) not in used),
    )
