"""The assertion that no figure changes by more than a bound when people change group."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biascheck.core.context import remembering
from biascheck.core.errors import BiasAssertionError, ScoreError, UsageError
from biascheck.core.wording import escape_control, pluralize
from biascheck.corpora.corpus import Pair
from biascheck.gates.check import ignores_readability
from biascheck.gates.families import record
from biascheck.gates.margins import checked_number, takes
from biascheck.gates.search import Search
from biascheck.results.definition import UnreadableOption
from biascheck.worst_cases.exploration import DrawnExample, Reader
from biascheck.worst_cases.invariants import ScoreKind, invariant_of
from biascheck.worst_cases.memory import remember
from biascheck.worst_cases.search import EFFORT, MOST_CAUSES, one_checked, search_worst_cases

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@takes("bound")
def assert_invariant(
    model: Any,
    strategy: SearchStrategy[Pair] | Pair,
    bound: float | None = None,
    *,
    of: ScoreKind | None = None,
    examples: int | None = None,
    causes: int = MOST_CAUSES,
    effort: int = EFFORT,
    seed: int = 0,
    reason: str = "",
    memory: str | Path | None = None,
    competence: UnreadableOption = None,
) -> Search:
    """Fail if the search finds an example whose versions are further apart than ``bound``.

    ``strategy`` is one of :mod:`biascheck.worst_cases.strategies`, or your own that draws
    :class:`biascheck.corpora.Pair`.
    ``model`` is what can be rated (a classifier, a pipeline, an estimator, a function), a language model or an
    encoder; ``of`` says what must not change where that is not clear: ``"rating"``, ``"decision"`` (which needs no
    bound), ``"association"``, ``"probability"`` or ``"cosine"``.

    Examples are drawn and scored in blocks: a third at random, the rest guided by what was found. There are 2,000
    unless ``examples`` says otherwise; 10,000 where a model does not see the person that it is asked about, so that
    one pass serves the same sentence about up to 16 people. What exceeds the bound is shrunk, once for each cause, up
    to ``causes``, by trying ``effort`` smaller examples at most. Cases of earlier runs, kept in
    ``bias/worst_cases.jsonl``, are tried first; outside pytest, ``memory`` names that file. The same seed finds the
    same.

    A language model that cannot read examples like these (the check of the association's competence, on 60 of them) has
    not passed: the search is invalid, and nothing is searched. ``competence="ignore"`` searches anyway, and needs
    a ``reason``.

    It is a search. If it passes, **none was found in so many examples**; that is not a proof that there is none.

    With one ``Pair`` in place of a strategy, only that one is checked: for a test of your own with ``@given``, whose
    search is then guided by :func:`hypothesis.target`.
    """
    __tracebackhide__ = True
    limit = _checked_bound(bound, of)
    if isinstance(strategy, Pair):
        return _check_one(model, strategy, limit, of, reason)
    with nullcontext() if memory is None else remembering(Path(memory)):
        found = search_worst_cases(
            model,
            strategy,
            limit,
            of=of,
            examples=examples,
            causes=causes,
            effort=effort,
            seed=seed,
            reason=reason,
            check_readability=not ignores_readability(competence, reason),
        )
    if memory is not None:
        remember(Path(memory), [found])
    record(found, None)
    if not found.passed:
        raise BiasAssertionError(escape_control(explained(found), lines=True))
    return found


def explained(found: Search) -> str:
    """The finding as a paragraph: one line for each case, then the scope of the search."""
    if not found.cases:
        return found.finding
    lines = [f"{found.title}: {pluralize(len(found.cases), 'cause')} found in {found.examples:,} examples"]
    lines += [f"  {found.sentence(case)}" for case in found.cases]
    if found.unexplained:
        lines.append(f"  and {pluralize(found.unexplained, 'further example')} of other causes")
    lines.append(f"  {found.scope}")
    lines += [f"  {note}" for note in found.memory_notes]
    if found.reason:
        lines.append(f"  bound: {found.reason}")
    return "\n".join(lines)


def _checked_bound(bound: float | None, of: ScoreKind | None) -> float:
    if of == "decision":
        if bound:
            raise UsageError(f"a decision flips or it does not; leave bound={bound} out")
        return 0.0
    if bound is None:
        raise UsageError("say how far apart two versions may be: bound=0.1, for example")
    limit = checked_number(bound, "bound")
    if limit <= 0:
        raise UsageError(f"bound={bound} is not positive; give the largest gap that is allowed")
    return limit


def _check_one(model: Any, pair: Pair, limit: float, of: ScoreKind | None, reason: str) -> Search:
    """Check one pair, for tests with ``@given``; their search is guided by the gap."""
    __tracebackhide__ = True
    invariant = invariant_of(model, of)
    drawn = DrawnExample(pair)
    (scored,) = (reader := Reader(invariant)).read([drawn])
    if scored is None:
        reader.count_refused([drawn])
        raise ScoreError(f"{invariant.model.name} has no {invariant.figure} for {pair.id!r}: {reader.refusal}")
    _guide(scored.gap, invariant.figure)
    found = one_checked(invariant, scored, limit, reason)
    record(found, None)
    if not found.passed:
        raise BiasAssertionError(escape_control(f"{found.title}: {found.sentence(found.cases[0])}"))
    return found


def _guide(gap: float, label: str) -> None:
    """Pass the gap of an example to Hypothesis, if it runs the test."""
    if sys.modules.get("hypothesis") is not None:
        from hypothesis import currently_in_test_context, target

        if currently_in_test_context():
            target(gap, label=label)
