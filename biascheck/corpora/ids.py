"""Ids: every item of a corpus has one of its own."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from biascheck.errors import CorpusError
from biascheck.packed_columns import Texts, repeats
from biascheck.wording import escape_control

__all__ = ["refuse_repeated"]


def refuse_repeated(ids: Iterable[str], where: str, remedy: str = "give every item an id of its own") -> None:
    """Raise an error that names the first id that occurs twice, with both places, counted from 1."""
    listed = ids if isinstance(ids, Sequence) else list(ids)
    if _differ(listed):
        return
    first: dict[str, int] = {}
    for place, name in enumerate(listed, start=1):
        if name in first:
            raise CorpusError(
                f"{escape_control(where)}: {escape_control(repr(name))} occurs twice, "
                f"in places {first[name]} and {place}; {remedy}"
            )
        first[name] = place


def _differ(ids: Sequence[str]) -> bool:
    """Whether no two of the ids have the same hash; a set of many would take more memory than they."""
    return not repeats(array("q", map(hash, ids))) if isinstance(ids, Texts) else len(set(ids)) == len(ids)
