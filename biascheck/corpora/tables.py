"""The user's own corpus: a table with one row per sentence, or lists of templates and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.paired_rows import paired_rows, renamed
from biascheck.corpora.rows import rows_of
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from biascheck.corpora.rows import DataFrameLike

__all__ = ["corpus_from_table", "corpus_from_templates"]


def corpus_from_table(
    source: str | PathLike[str] | DataFrameLike,
    *,
    name: str | None = None,
    groups: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] | None = None,
    language: str = "en",
    fillers: Sequence[str] = (),
) -> Corpus:
    """Make a corpus from a .csv, .tsv, .jsonl or .parquet file or a DataFrame with one row per sentence.

    A file is read row by row, twice, so that it may be larger than the memory for its rows as objects; Parquet needs
    the extra ``arrow``.

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
    rows = renamed(rows_of(source), columns or {})
    found, pairs = paired_rows(rows, labels, None if groups is None else tuple(groups))
    return Corpus(name or rows.title, found, pairs, language, tuple(fillers))


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
