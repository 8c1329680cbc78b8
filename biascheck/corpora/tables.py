"""The user's own corpus: a table with one row per sentence, or lists of templates and words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.rows import read_rows
from biascheck.corpora.sentence import Sentence, Span
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from biascheck.corpora.rows import Frame

__all__ = ["corpus_from_table", "corpus_from_templates"]

REQUIRED = ("pair", "group", "sentence", "target")
OPTIONAL = ("attribute", "attribute_name", "target_start", "attribute_start")

Row = dict[str, object]


def corpus_from_table(
    source: str | PathLike[str] | Frame,
    *,
    name: str | None = None,
    groups: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] | None = None,
    language: str = "en",
    fillers: Sequence[str] = (),
) -> Corpus:
    """Make a corpus from a .csv, .tsv or .jsonl file or a DataFrame with one row per sentence.

    Columns ``pair`` (the same for the sentences that belong together), ``group``, ``sentence`` and
    ``target`` (the word that carries the group) are required. ``attribute`` is what the pair is compared
    on, as it is written in the sentence; ``attribute_name`` names it where its forms differ between
    groups, and without either every pair is an attribute of its own. All other columns, or only those
    in ``labels``, become labels and must agree within a pair; a column of numbers becomes numbers.

    Words are found by the offsets in ``target_start`` and ``attribute_start`` (from 0), or else as the only
    whole-word occurrence: an ambiguous word is refused, never guessed. ``groups`` orders the groups, and
    so gives the gap ``groups[0] − groups[1]`` its sign; by default they come in the order of the rows.
    ``columns`` renames: ``{"sentence": "text"}`` reads the sentence from the column called text.
    """
    title, rows = read_rows(source)
    rows = _renamed(rows, columns or {}, title)
    kept = _label_columns(rows, labels, title)
    numeric = {column for column in kept if all(_number(row[column]) is not None for row in rows)}
    found = tuple(groups) if groups is not None else tuple(dict.fromkeys(str(row["group"]) for row in rows))
    gathered = _by_pair(rows, title)
    pairs = tuple(_pair(key, members, found, kept, numeric, title) for key, members in gathered.items())
    return Corpus(name or title, found, pairs, language, tuple(fillers))


def corpus_from_templates(
    name: str,
    *,
    templates: Sequence[str | Template],
    targets: Sequence[Mapping[str, str | Target]],
    attributes: Sequence[str | Attribute] = (),
    groups: Sequence[str] | None = None,
    language: str = "en",
    fillers: Sequence[str] = (),
) -> Corpus:
    """Make a corpus from lists: every template with every target set and every attribute.

    A target set maps groups to words: ``{"male": "my brother", "female": "my sister"}``. Of a phrase only
    the last word is the target; give a :class:`Target` where that is not so. ``groups`` orders the groups;
    by default they come in the order of the first target set.
    """
    if not templates or not targets:
        raise CorpusError(f"corpus {name!r} needs at least one template and one target set")
    sets = [tuple(_target(word, group) for group, word in target_set.items()) for target_set in targets]
    made = [item if isinstance(item, Template) else Template(item) for item in templates]
    listed = [item if isinstance(item, Attribute) else Attribute(item) for item in attributes]
    order = tuple(groups) if groups is not None else tuple(target.group for target in sets[0])
    return Corpus(name, order, cross(made, sets, listed), language, tuple(fillers))


def _target(word: str | Target, group: str) -> Target:
    if isinstance(word, Target):
        if word.group != group:
            raise CorpusError(f"target {word.word!r} has group {word.group!r} but is listed under {group!r}")
        return word
    determiner, _, noun = word.strip().rpartition(" ")
    return Target(noun, group, determiner)


def _renamed(rows: Sequence[Row], columns: Mapping[str, str], title: str) -> list[Row]:
    present = list(rows[0])
    missing = [name for name in REQUIRED if columns.get(name, name) not in present]
    missing += [name for name in columns if name not in REQUIRED and columns[name] not in present]
    if missing:
        wanted = [columns.get(name, name) for name in missing]
        raise CorpusError(
            f"{title} lacks the columns {wanted}; it has {present}. Rename them, or say which "
            f"column is which, as in columns={{{missing[0]!r}: 'your column'}}"
        )
    back = {theirs: ours for ours, theirs in columns.items()}
    return [{back.get(column, column): value for column, value in row.items()} for row in rows]


def _label_columns(rows: Sequence[Row], labels: Sequence[str] | None, title: str) -> list[str]:
    present = list(rows[0])
    others = [column for column in present if column not in REQUIRED + OPTIONAL]
    unknown = [] if labels is None else [label for label in labels if label not in present]
    if unknown:
        raise CorpusError(f"{title} has no columns {unknown} to use as labels; it has {present}")
    kept = others if labels is None else list(labels)
    offsets = ("target_start", "attribute_start")
    needed = [column for column in present if column in REQUIRED + OPTIONAL and column not in offsets] + kept
    for number, row in enumerate(rows, start=1):
        for column in needed:
            if row[column] is None or str(row[column]).strip() == "":
                way_out = "leave the column out with labels=[…]" if column in kept else "remove the pair"
                raise CorpusError(f"{title}, row {number}: no value in {column!r}; fill it in or {way_out}")
    return kept


def _by_pair(rows: Sequence[Row], title: str) -> dict[str, dict[str, tuple[int, Row]]]:
    pairs: dict[str, dict[str, tuple[int, Row]]] = {}
    for number, row in enumerate(rows, start=1):
        members = pairs.setdefault(str(row["pair"]), {})
        group = str(row["group"])
        if group in members:
            raise CorpusError(
                f"{title}, row {number}: pair {row['pair']!r} already has group {group!r} in row "
                f"{members[group][0]}; a pair has one sentence per group"
            )
        members[group] = (number, row)
    return pairs


def _pair(
    key: str,
    members: Mapping[str, tuple[int, Row]],
    groups: tuple[str, ...],
    kept: Sequence[str],
    numeric: set[str],
    title: str,
) -> Pair:
    if set(members) != set(groups):
        raise CorpusError(
            f"{title}: pair {key!r} has groups {sorted(members)} but the corpus has {sorted(groups)}; "
            "add the missing sentences, remove the pair, or name the groups with groups=[…]"
        )
    sentences = {group: _sentence(members[group][1], f"{title}, row {members[group][0]}") for group in groups}
    first = members[groups[0]][1]
    attribute = first.get("attribute_name") or first.get("attribute") or key
    labels = {column: _label(column, members, column in numeric, f"{title}: pair {key!r}") for column in kept}
    return Pair(key, str(attribute), sentences, labels)


def _label(column: str, members: Mapping[str, tuple[int, Row]], numeric: bool, where: str) -> str | float:
    values = list(dict.fromkeys(str(row[column]) for _, row in members.values()))
    if len(values) > 1:
        raise CorpusError(
            f"{where} has different values in column {column!r}: {values}; a label describes the whole pair, "
            "leave the column out with labels=[…]"
        )
    return float(values[0]) if numeric else values[0]


def _sentence(row: Row, where: str) -> Sentence:
    text = str(row["sentence"])
    target = _span(text, str(row["target"]), row.get("target_start"), "target", where)
    attribute = None
    if "attribute" in row:
        attribute = _span(text, str(row["attribute"]), row.get("attribute_start"), "attribute", where)
    try:
        return Sentence(text, target, attribute)
    except CorpusError as error:
        raise CorpusError(f"{where}: {error}") from None


def _span(text: str, word: str, start: object, kind: str, where: str) -> Span:
    if start is not None and str(start).strip():
        return _span_at(text, word, start, kind, where)
    found = [match.start() for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]
    if len(found) != 1:
        times = "not as a whole word" if not found else f"{len(found)} times"
        raise CorpusError(f"{where}: {kind} {word!r} occurs {times} in {text!r}; give {kind}_start, its offset from 0")
    return Span(found[0], found[0] + len(word))


def _span_at(text: str, word: str, start: object, kind: str, where: str) -> Span:
    number = _number(start)
    if number is None or number != int(number):
        raise CorpusError(f"{where}: {kind}_start is {start!r}; it must be a whole number, counted from 0")
    span = Span(int(number), int(number) + len(word))
    if span.start < 0 or span.of(text) != word:
        raise CorpusError(
            f"{where}: at {kind}_start {span.start} is {span.of(text)!r}, not the {kind} {word!r}; "
            "offsets are counted in characters from 0"
        )
    return span


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None
