"""Compare two results files by content: every estimate, interval and verdict, whatever things are called.

    python tools/compare_figures.py before.json after.json

Results and gates are matched by measure, size and estimate. It prints how many agree digit for digit, the largest
difference of an interval among the others, and what only one of the files has.
"""

import json
import sys
from pathlib import Path

RENAMED = {
    "pronoun resolution": "name resolution",
    "absolute sentiment delta": "absolute delta",
    "absolute association": "absolute gap",
    "skew-O": "skew",
    "stereotype-O": "stereotype",
}


def figures(document, kind):
    """Measure, size and estimate of every entry, with its interval and verdict."""
    found = {}
    for entry in document[kind]:
        measure = entry["measure"] if "measure" in entry else entry["key"]["measure"]
        ends = entry["interval"] and (entry["interval"]["low"], entry["interval"]["high"])
        key = RENAMED.get(measure, measure), entry["n"], entry["estimate"], entry.get("margin")
        found.setdefault(key, []).append((ends, entry.get("verdict"), entry.get("corpus")))
    return found


def compare(before, after, kind):
    """Print how the entries of one kind agree."""
    old, new = figures(before, kind), figures(after, kind)
    shared = old.keys() & new.keys()
    same = [key for key in shared if {e[:2] for e in old[key]} == {e[:2] for e in new[key]}]
    moved = [abs(a - b) for key in shared for a, b in zip(old[key][0][0] or (), new[key][0][0] or (), strict=True)]
    verdicts = sum({e[1] for e in old[key]} != {e[1] for e in new[key]} for key in shared)
    print(f"{kind}: {len(old)} before, {len(new)} after, {len(shared)} with the same measure, size and estimate")
    print(f"  {len(same)} digit for digit; largest difference of an interval {max(moved, default=0.0):.1e}; ", end="")
    print(f"{verdicts} other verdicts")
    for name, only, entries in (("before", old.keys() - shared, old), ("after", new.keys() - shared, new)):
        for key in sorted(only, key=str):
            print(f"  only {name}: {key[0]} of {key[1]} on {entries[key][0][2]}: {key[2]:.6g}")


if __name__ == "__main__":
    documents = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3]]
    for kind in ("results", "gates"):
        compare(*documents, kind)
