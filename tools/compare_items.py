"""How far the items of two results files lie apart: the same weights on two runtimes, for example.

    python tools/compare_items.py transformers.json llamacpp.json

Results are matched by their question, items by their id. For each result it prints how many items both files have, the
largest and the mean absolute difference of a score, how many exceed 1e-4, and the two estimates; then the gates with
another verdict.
"""

import sys
from pathlib import Path
from statistics import fmean

from biascheck.results.result import Result
from biascheck.runs.file import read_run
from biascheck.runs.run import Run

CLOSE = 1e-4


def differences(before: Result, after: Result) -> list[float]:
    """How far the scores of each common item lie apart."""
    scores = {item.id: item.score for item in before.items}
    return [abs(item.score - scores[item.id]) for item in after.items if item.id in scores]


def print_items(before: Run, after: Run) -> None:
    """One line for each question that both runs answered."""
    known = {result.key.question: result for result in before.results}
    pairs = [(known[later.key.question], later) for later in after.results if later.key.question in known]
    print(f"{len(pairs)} results in both, of {len(before.results)} and {len(after.results)}")
    for one, other in sorted(pairs, key=lambda pair: (pair[0].measure, pair[0].corpus_label)):
        apart = differences(one, other)
        if not apart:
            continue
        title = " · ".join((one.measure, one.corpus_label, *one.treatment))
        print(
            f"{title}: {len(apart):,} items, largest {max(apart):.1e}, mean {fmean(apart):.1e}, "
            f"{sum(gap > CLOSE for gap in apart):,} above {CLOSE:g}; {one.estimate} → {other.estimate}"
        )


def print_verdicts(before: Run, after: Run) -> None:
    """How many gates both runs judged, and those whose verdict differs."""
    known = {(gate.test.partition("[")[0], gate.key.question): gate for gate in before.gates}
    names = [(gate, (gate.test.partition("[")[0], gate.key.question)) for gate in after.gates]
    pairs = [(known[name], gate) for gate, name in names if name in known]
    print(f"{len(pairs)} gates in both, of {len(before.gates)} and {len(after.gates)}")
    for one, other in pairs:
        if one.verdict is not other.verdict:
            print(f"  {one.title}: {one.verdict} ({one.measured}) → {other.verdict} ({other.measured})")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    runs = [read_run(Path(path)) for path in sys.argv[1:]]
    print_items(*runs)
    print_verdicts(*runs)
