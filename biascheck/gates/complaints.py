"""The message of a gate that did not pass: the finding first, then what a reader needs to act on it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Literal

from biascheck.errors import BiasAssertionError, BiascheckWarning, InconclusiveWarning, UsageError
from biascheck.gates.deciding import to_decide
from biascheck.gates.gate import Gate
from biascheck.results.competence import UnreadableOption
from biascheck.stats import Verdict
from biascheck.wording import escape_control, format_number

__all__ = ["Inconclusive", "UnreadableOption", "ignores_readability", "level_of_caller", "passes", "raise_if_failed"]

Inconclusive = Literal["fail", "warn"]
UNREAD = (
    "its figure is neither fair nor unfair: use a model that can, or judge this one all the same with "
    "competence='ignore' and a reason"
)
PACKAGE = __name__.rpartition(".")[0]


def raise_if_failed(gates: Sequence[Gate]) -> None:
    """Raise the findings of the gates that failed; warn of those that passed in doubt."""
    __tracebackhide__ = True
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        raise BiasAssertionError("\n".join(_explained(gate) for gate in failed))
    for gate in gates:
        if gate.tolerated:
            warnings.warn(escape_control(gate.finding), BiascheckWarning, stacklevel=level_of_caller())
        if gate.verdict is Verdict.INCONCLUSIVE:
            warnings.warn(escape_control(gate.finding), InconclusiveWarning, stacklevel=level_of_caller())


def passes(inconclusive: Inconclusive) -> bool:
    """Whether a gate in doubt is allowed to pass."""
    if inconclusive not in ("fail", "warn"):
        raise UsageError(f"inconclusive is 'fail' or 'warn', not {inconclusive!r}")
    return inconclusive == "warn"


def ignores_readability(competence: UnreadableOption, reason: str) -> bool:
    """Whether a model is judged on what it cannot read; somebody has to say why."""
    if competence not in ("ignore", None):
        raise UsageError(f"competence is 'ignore' or not given, not {competence!r}")
    if competence == "ignore" and not reason.strip():
        raise UsageError("competence='ignore' judges a model on what it cannot read; say why with reason='…'")
    return competence == "ignore"


def level_of_caller() -> int:
    """How far up the first frame outside the assertions is: the warning belongs to that line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def _explained(gate: Gate) -> str:
    """The finding, then what a reader needs to act on it."""
    lines = [gate.finding]
    if gate.verdict is Verdict.INCONCLUSIVE:
        lines.append(f"  to decide: {to_decide(gate)}{_otherwise(gate)}")
    if gate.verdict is Verdict.INVALID:
        lines.append(f"  {UNREAD}")
    if gate.reason:
        lines.append(f"  {'margin' if gate.bound == 'within' else 'bound'}: {gate.reason}")
    lines.extend(f"  caution: {warning}" for warning in gate.warnings)
    return "\n".join(map(escape_control, lines))


def _otherwise(gate: Gate) -> str:
    """What this sample can see, and how to live with the doubt."""
    if gate.too_many_skipped:
        return ", or allow a larger share with skipped="
    if gate.interval is None:
        return ""
    seen = f"; this sample finds {format_number(gate.detectable)} or more (power 0.8)" if gate.detectable else ""
    return f"{seen}; or accept the doubt with inconclusive='warn'"
