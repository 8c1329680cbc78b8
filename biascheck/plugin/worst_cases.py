"""What searches found, kept at the end of a run, by the process that writes its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biascheck.plugin.outputs import in_words, short
from biascheck.wording import counted, visible

if TYPE_CHECKING:
    from biascheck.gates.outcome import TestOutcome
    from biascheck.gates.searches import Search

__all__ = ["Kept", "keep_worst_cases"]


class Kept(NamedTuple):
    """What to tell of the file, and what went wrong."""

    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def keep_worst_cases(file: Path, searches: Sequence[Search], tests: Sequence[TestOutcome]) -> Kept:
    """Add what was found to the memory, unless the test expected it and passed."""
    from biascheck.search.worst_case_file import remember

    failed = {test.test for test in tests if test.failed}
    try:
        count = remember(file, [one for one in searches if visible(one.test) in failed])
    except Exception as error:  # the run is worth telling all the same
        return Kept(problems=(f"{short(file)} could not be written ({in_words(error)})",))
    if not count:
        return Kept()
    return Kept((f"{short(file)}: {counted(count, 'worst case')} added; commit it, and they are tried first",))
