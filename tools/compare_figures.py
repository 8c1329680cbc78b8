"""Compare every figure of two runs: results files, baselines and pages, as two files or as two folders of them.

    python tools/compare_figures.py before after [--tolerance X] [--text]

Entries of JSON files are matched by test, measure, slice and gate. Each number, verdict or state that differs is
printed in one line with its entry, its field and both values; the exit code is then 1. A text that differs is a note
if its numbers are the same, unless --text is given; so is a digest. Pages (.html, .md and other text) are compared by
the numbers that a reader sees, in their order. Nothing of biascheck is imported, so any two releases can be compared.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from figure_differences import Differences, pluralize
from visible_numbers import numbers_with_context, visible_text

RENAMED_FIELDS: dict[str, str] = {}
"""Fields of JSON files that were renamed since: old name to new name, wherever it occurs."""

RESULT = ("measure", "statistic", "model", "treatment", "corpus", "slice", "contrast")
OF_KEY = ("key.measure", "key.statistic", "key.treatment", "corpus", "key.slice", "key.contrast", "key.options")
COMPARISON = ("test", "model_before", "key_before.treatment", "model_after", *OF_KEY)
# The fields that identify an entry of each list. Fingerprints are not among them: they may depend on the code.
KEYS: dict[str, tuple[str, ...]] = {
    "results": (*RESULT, "provenance.options"),
    "gates": ("test", "model", *OF_KEY, "bound"),
    "comparisons": COMPARISON,
    "searches": ("test", "model", "strategy", "figure"),
    "outcome.tests": ("test",),
    "baseline.comparisons": COMPARISON,
    "baseline.refused": ("title",),
    "baseline.shrunk": ("title",),
    "entries": (*RESULT, "options"),
}
# The fields that identify an item, a point or a row inside an entry, if they are unique there.
WITHIN_ENTRY = ("id", "cluster", "side", "draw", "name", "word", "profile", "kind", "title")
NOT_COMPARED = ("provenance.created", "provenance.versions", ".schema", "results.schema", "items.schema", "items.file")
# Fields whose text must not change.
VERDICTS = ("verdict", "state", "bound", "statistic", "figure", "sha256")
PAGES = (".html", ".md", ".exit", ".jsonl")


def compare_documents(old: Any, new: Any, found: Differences, name: str = "") -> Iterator[str]:
    """Compare two JSON documents entry by entry; yields a line for each kind of entry that says how many are equal."""
    befores, afters = entries_of(old), entries_of(new)
    for kind in dict.fromkeys((*befores, *afters)):
        before = _by_key(befores.get(kind, []), f"{name}{kind} before", found)
        after = _by_key(afters.get(kind, []), f"{name}{kind} after", found)
        counts = Counter(
            _compare_entries(before.get(key), after.get(key), found, f"{name}{kind}: {key}")
            for key in dict.fromkeys((*before, *after))
        )
        yield f"{name}{kind}: " + (", ".join(f"{count:,} {what}" for what, count in counts.items()) or "none")


def _compare_entries(old: Any, new: Any, found: Differences, place: str) -> str:
    if old is None or new is None:
        what = "only after" if old is None else "only before"
        found.failures.append(f"{place}: {what}")
        return what
    known = len(found.failures)
    if old != new:
        before, after = (dict(_flat(entry)) for entry in (old, new))
        for path, field in dict.fromkeys((*before, *after)):
            found.compare(place, path, field, before.get((path, field)), after.get((path, field)))
    return "equal" if len(found.failures) == known else "different"


def entries_of(document: Any) -> dict[str, list[tuple[str, Any]]]:
    """The entries of a document by kind, each with its key; the rest of it is one entry of the kind ``document``."""
    rest = _normalised(document)
    found: dict[str, list[tuple[str, Any]]] = {}
    for kind, fields in KEYS.items():
        *above, last = _path(kind)
        holder = _at(rest, above)
        if not isinstance(holder, dict) or not isinstance(holder.get(last), list):
            continue
        listed = holder.pop(last)
        if kind == "entries":
            listed = _with_items(listed, holder.pop(_path("items")[0]))
        found[kind] = [(_key(entry, fields), entry) for entry in listed]
    return {**found, "document": [("", rest)]}


def _with_items(entries: list[dict[str, Any]], rows: list[Any]) -> list[dict[str, Any]]:
    """The entries of a baseline with their items, each with its score, instead of steps from row to row."""
    steps, scores, score, *names = _path("items.scores.score.id.cluster.side.covariate.draw")
    return [
        {
            **{name: value for name, value in entry.items() if name != scores},
            steps: [
                {**dict(zip(names, rows[place], strict=False)), score: value}
                for place, value in zip(accumulate(entry[steps]), entry[scores], strict=True)
            ],
        }
        for entry in entries
    ]


def _by_key(entries: list[tuple[str, Any]], place: str, found: Differences) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key, entry in entries:
        if known.setdefault(key, entry) != entry:
            found.failures.append(f"{place}: {key}: two entries of one key, with unlike content")
    return known


def _key(entry: dict[str, Any], fields: tuple[str, ...]) -> str:
    values = (_at(entry, _path(field)) for field in fields)
    return " | ".join(
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, sort_keys=True) for one in values if one
    )


def _normalised(value: Any, parent: str = "") -> Any:
    """A document with renamed fields and parsed options, without the fields that are not compared."""
    if isinstance(value, list):
        return [_normalised(one, parent) for one in value]
    if not isinstance(value, dict):
        return value
    known = {RENAMED_FIELDS.get(name, name): one for name, one in value.items()}
    if len(known) < len(value):
        raise ValueError(f"RENAMED_FIELDS gives two fields of one object the same name: {sorted(value)}")
    left_out = {name for dotted in NOT_COMPARED for above, name in [_path(dotted)] if above == parent}
    if isinstance(known.get("options"), str):
        known["options"] = json.loads(known["options"])
    return {name: _normalised(one, name) for name, one in known.items() if name not in left_out}


def _renamed(names: tuple[str, ...]) -> list[str]:
    return [RENAMED_FIELDS.get(name, name) for name in names]


def _path(dotted: str) -> list[str]:
    return _renamed(tuple(dotted.split(".")))


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _flat(value: Any, path: str = "", field: str = "") -> Iterator[tuple[tuple[str, str], Any]]:
    """Every value of an entry that is not empty, by its path and by its field: the path without labels of lists."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _flat(one, f"{path}.{name}".lstrip("."), f"{field}.{name}".lstrip("."))
    elif isinstance(value, list):
        for name, one in zip(_labels(value), value, strict=True):
            yield from _flat(one, f"{path}[{name}]", field)
    elif value not in (None, ""):
        yield (path, field), value


def _labels(values: list[Any]) -> list[str]:
    fields = _renamed(WITHIN_ENTRY)
    dicts = [one for one in values if isinstance(one, dict)]
    names = ["/".join(str(one[name]) for name in fields if one.get(name) is not None) for one in dicts]
    return names if len(set(names)) == len(values) else [str(number) for number in range(len(values))]


def compare_pages(old: str, new: str, found: Differences, name: str) -> str:
    """Compare the numbers of two pages in their order; if one has more, only the first that differs is printed."""
    before, after = visible_text(old), visible_text(new)
    olds, news = numbers_with_context(before), numbers_with_context(after)
    apart = [pair for pair in zip(olds, news, strict=False) if not found.same_number(name, pair[0][0], pair[1][0])]
    for (_, one), (_, other) in apart if len(olds) == len(news) else apart[:1]:
        found.add(name, "number", one, other)
    if len(olds) != len(news):
        found.add(name, "count of numbers", len(olds), len(news))
    elif before != after and not apart:
        found.compare(name, "page", "page", before, after)
    return f"{name}: {len(olds) - len(apart):,} of {pluralize(len(olds), 'number')} equal"


def compare_files(old: Path, new: Path, found: Differences, name: str = "") -> list[str]:
    """Compare two files of one kind; returns lines that say how much was compared."""
    texts = [path.read_text(encoding="utf-8") for path in (old, new)]
    if old.suffix == ".json":
        return list(compare_documents(*map(json.loads, texts), found, f"{name} " if name else ""))
    return [compare_pages(*texts, found, name or old.name)]


def compare_folders(old: Path, new: Path, found: Differences) -> list[str]:
    """Compare the files of two folders by their names."""
    before, after = (
        {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in (".json", *PAGES)}
        for folder in (old, new)
    )
    for name in sorted(before ^ after):
        found.failures.append(f"{name}: only {'before' if name in before else 'after'}")
    if not before & after:
        found.failures.append("no file is in both folders")
    return [line for name in sorted(before & after) for line in compare_files(old / name, new / name, found, str(name))]


def main(arguments: list[str] | None = None) -> int:
    """Compare the two paths of the command line, print the differences and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.0, metavar="X", help="absolute and relative (default: 0)")
    parser.add_argument("--text", action="store_true", help="another text is a difference, too")
    chosen = parser.parse_args(arguments)
    missing = [str(path) for path in (chosen.before, chosen.after) if not path.exists()]
    if missing or chosen.before.is_dir() is not chosen.after.is_dir():
        parser.error(f"not found: {', '.join(missing)}" if missing else "name two files or two folders")
    found = Differences(chosen.tolerance, verdicts=_renamed(VERDICTS), text=chosen.text)
    compare = compare_folders if chosen.before.is_dir() else compare_files
    print(*compare(chosen.before, chosen.after, found), *found.report(), sep="\n")
    return 1 if found.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
