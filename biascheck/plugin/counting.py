"""How many gates are judged together: counted from what was collected, so that no stated number can be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from biascheck.gates.families import Family
from biascheck.gates.outcome import FOUND_LATER
from biascheck.wording import escape_control

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.outcome import TestOutcome

__all__ = ["failed_by_family", "families_of"]


def families_of(items: Iterable[pytest.Item]) -> dict[str, Family]:
    """The family of each test: all cases of one test function on one model, or of all functions of one marked name."""
    names = {item.nodeid: _name(item) for item in items}
    sizes = Counter(names.values())
    return {test: Family(name, sizes[name]) for test, name in names.items()}


def _name(item: pytest.Item) -> str:
    marked = [one.kwargs["family"] for one in item.iter_markers("bias") if "family" in one.kwargs]
    function = str(marked[0]) if marked else _function(item)
    params = getattr(getattr(item, "callspec", None), "params", {})
    return f"{function} on {params['bias_model']}" if "bias_model" in params else function


def _function(item: pytest.Item) -> str:
    """The test without its parameters; a bracket in the name of a folder is no parameter."""
    name = getattr(item, "originalname", None) or item.name
    return item.nodeid if item.parent is None else f"{item.parent.nodeid}::{name}"


def failed_by_family(
    tests: Sequence[TestOutcome], before: Sequence[Gate], after: Sequence[Gate]
) -> tuple[TestOutcome, ...]:
    """The tests, those failed whose gate was accepted while its family was not known yet, and exceeds now."""
    found = {escape_control(new.test) for old, new in zip(before, after, strict=True) if old.passed and not new.passed}
    return tuple(
        replace(test, failed=True, reason=FOUND_LATER) if test.test in found and not test.failed else test
        for test in tests
    )
