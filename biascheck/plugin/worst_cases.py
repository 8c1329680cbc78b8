"""What searches found, kept at the end of a run, by the process that writes its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biascheck.plugin.outputs import in_words, short
from biascheck.wording import escape_control, pluralize

if TYPE_CHECKING:
    from biascheck.gates.outcome import TestOutcome
    from biascheck.gates.searches import Search

__all__ = ["CasesAdded", "add_worst_cases"]


class CasesAdded(NamedTuple):
    """What to tell of the file, and what went wrong."""

    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def add_worst_cases(file: Path, searches: Sequence[Search], tests: Sequence[TestOutcome]) -> CasesAdded:
    """Add what was found to the memory, unless the test expected it and passed."""
    from biascheck.search.worst_case_file import remember

    failed = {test.test for test in tests if test.failed}
    try:
        count = remember(file, [one for one in searches if escape_control(one.test) in failed])
    except Exception as error:  # the run is worth telling all the same
        return CasesAdded(problems=(f"{short(file)} could not be written ({in_words(error)})",))
    if not count:
        return CasesAdded()
    return CasesAdded((f"{short(file)}: {pluralize(count, 'worst case')} added; commit it, and they are tried first",))
