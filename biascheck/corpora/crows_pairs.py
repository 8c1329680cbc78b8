"""Pairs of sentences of which one is more stereotypical, as in CrowS-Pairs (Nangia et al. 2020)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from biascheck.corpora.items import ItemSet, Labels, builtin_rows, filled
from biascheck.corpora.published import caveats_of_file, published_file, table_rows

ALIKE = 0.7
"""Frames whose words overlap at least this much are one template (Dice's coefficient)."""
ODD_LENGTH = 3
PREFERENCE_WORD = re.compile(r"\w+(?:['’-]\w+)*")
CROWS_PAIRS_COLUMNS = {"", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"}


@dataclass(frozen=True)
class SentencePreference:
    """The same statement about two groups: ``more`` stereotypical, and ``less``.

    Labels: ``bias_type``; ``direction`` ("stereo": the statement repeats a stereotype of a disadvantaged group,
    "antistereo": it violates one).
    """

    id: str
    cluster: str
    more: str
    less: str
    labels: Labels = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def published_preferences(folder_or_file: str | Path | None = None) -> ItemSet[SentencePreference]:
    """All 1,508 pairs of CrowS-Pairs, whatever their sentences differ in.

    Clusters are bias type × template family: pairs of one type whose shared words are nearly the same. Flags are
    defects detected by rules: see :func:`preference_flags`.
    """
    path = published_file(folder_or_file, "crows_pairs", "crows_pairs_anonymized.csv")
    rows = table_rows(path, CROWS_PAIRS_COLUMNS)
    clusters = families([(row["bias_type"], row["sent_more"], row["sent_less"]) for row in rows])
    items = tuple(
        SentencePreference(
            id=f"crows-{row['']}",
            cluster=cluster,
            more=row["sent_more"],
            less=row["sent_less"],
            labels={"bias_type": row["bias_type"], "direction": row["stereo_antistereo"]},
            flags=(*preference_flags(row["sent_more"], row["sent_less"]), *_disagreement(row)),
        )
        for row, cluster in zip(rows, clusters, strict=True)
    )
    caveats = caveats_of_file("crows_pairs", path, len(rows))
    return ItemSet("published-crows-pairs", items, warnings=caveats, paper="nangia2020")


def preference_flags(more: str, less: str) -> tuple[str, ...]:
    """Defects of a pair after Blodgett et al. 2021, as far as rules detect them.

    The two sentences differ in more than one stretch of words; one of them only adds words; their lengths differ by
    three words or more; they are the same.
    """
    left, right = ([word.lower() for word in PREFERENCE_WORD.findall(text)] for text in (more, less))
    changes = [op for op in SequenceMatcher(None, left, right, autojunk=False).get_opcodes() if op[0] != "equal"]
    found = []
    if not changes:
        found.append("the sentences have the same words")
    if len(changes) > 1:
        found.append("the sentences differ in more than one stretch of words")
    if len(changes) == 1 and changes[0][0] in ("insert", "delete"):
        found.append("one sentence only adds words")
    if abs(len(left) - len(right)) >= ODD_LENGTH:
        found.append(f"the lengths differ by {ODD_LENGTH} words or more")
    return tuple(found)


def families(pairs: Sequence[tuple[str, str, str]]) -> list[str]:
    """The cluster of each (type, more, less): pairs of one type whose shared words are nearly the same."""
    frames = [_frame(more, less) for _, more, less in pairs]
    root = list(range(len(pairs)))

    def find(place: int) -> int:
        while root[place] != place:
            place = root[place]
        return place

    by_type: dict[str, list[int]] = {}
    for place, (kind, *_) in enumerate(pairs):
        for other in by_type.setdefault(kind, []):
            if _alike(frames[place], frames[other]):
                root[find(place)] = find(other)
        by_type[kind].append(place)
    return [f"{pairs[find(place)][0]}/{find(place)}" for place in range(len(pairs))]


def _frame(more: str, less: str) -> frozenset[str]:
    left, right = ({word.lower() for word in PREFERENCE_WORD.findall(text)} for text in (more, less))
    return frozenset(left & right)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    size = len(one) + len(other)
    # the smaller set bounds what both can share, so most pairs need no intersection
    if not size or 2 * min(len(one), len(other)) < ALIKE * size:
        return False
    return 2 * len(one & other) >= ALIKE * size


def _disagreement(row: dict[str, str]) -> Iterable[str]:
    """Fewer than half of the annotators named the bias type that the pair is filed under."""
    try:
        named = ast.literal_eval(row["annotations"])
        agree = sum(row["bias_type"] in labels for labels in named)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return ("the annotations cannot be read",)
    return () if 2 * agree >= len(named) else ("most annotators named another bias type",)


@cache
def builtin_preferences() -> ItemSet[SentencePreference]:
    """210 built-in sentence pairs over seven kinds of bias: 70 statements, each about three pairs of groups.

    The sentences of a pair differ only in the group. Clusters are statements. Labels: ``bias_type``, ``direction``
    ("stereo" throughout) and ``groups``.
    """
    items = []
    for number, row in enumerate(builtin_rows("builtin_preferences.tsv"), start=1):
        for groups in row["groups"].split(";"):
            more, less = (_about(row["statement"], group) for group in groups.split("|"))
            labels = {"bias_type": row["bias_type"], "direction": "stereo", "groups": groups.replace("|", "/")}
            id_ = f"own-pair-{number}-{groups.split('|')[0].replace(' ', '-')}"
            cluster = f"{row['bias_type']}/{number}"
            items.append(SentencePreference(id_, cluster, more, less, labels, preference_flags(more, less)))
    return ItemSet("own-sentence-pairs", tuple(items), paper="nangia2020")


def _about(statement: str, group: str) -> str:
    return filled(statement, who=group)
