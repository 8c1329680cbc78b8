"""Memory and time of an association on 10⁴, 10⁵ and 10⁶ sentences, above a model too small to matter.

Each size runs in a process of its own. Memory is the most that the process held, minus what it held once the model was
loaded and had scored a few sentences. `--sizes 10000 100000` leaves the largest out; `--distinct` makes every sentence
another input for the model (without it, sentences repeat as in corpora made of templates, and so do inputs).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

SIZES = (10_000, 100_000, 1_000_000)
WARM_UP = 200
JOBS = tuple(f"{first} {second}" for first in ("day", "work", "flower", "insect") for second in ("man", "woman", "boy"))
PEOPLE = (("brother", "sister"), ("son", "daughter"), ("uncle", "aunt"), ("father", "mother"))
HEADER = ("pair", "group", "sentence", "target", "attribute", "template")


def main() -> None:
    """Measure each size in a process of its own, and print how memory and time grow."""
    arguments = _arguments()
    if arguments.one:
        print(json.dumps(measured(arguments.one, distinct=arguments.distinct)))
        return
    rows = [_in_its_own_process(size, distinct=arguments.distinct) for size in arguments.sizes]
    print(
        f"{'sentences':>10} {'load MiB':>9} {'MiB':>7} {'load CPU s':>11} {'CPU s':>8} {'ms a sentence':>14} "
        f"{'inputs':>9}"
    )
    for row in rows:
        each = 1_000 * row["seconds"] / row["sentences"]
        print(
            f"{row['sentences']:>10,} {row['load_mib']:>9.0f} {row['mib']:>7.0f} {row['load_seconds']:>11.1f} "
            f"{row['seconds']:>8.1f} {each:>14.3f} {row['inputs']:>9,}"
        )
    first, last = rows[0], rows[-1]
    more = last["sentences"] / first["sentences"]
    print(f"{more:g} × the sentences: {last['seconds'] / first['seconds']:.1f} × the time", end=", ")
    print(
        f"{(last['mib'] - first['mib']) * 2**20 / (last['sentences'] - first['sentences']):.0f} bytes a sentence more"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_its_own_process(size: int, *, distinct: bool) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(size), *(["--distinct"] if distinct else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def measured(size: int, *, distinct: bool) -> dict[str, float]:
    """Load a table of so many sentences and measure an association on it."""
    import biascheck
    from biascheck.corpora import corpus_from_table

    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "many.csv", Path(folder) / "few.csv"
        write_table(path, size, distinct=distinct)
        write_table(small, WARM_UP, distinct=distinct)
        model = biascheck.load("reference:tiny")
        biascheck.measures.association(model, corpus_from_table(small))
        before, started = _memory(), time.process_time()
        corpus = corpus_from_table(path)
        loaded, load_seconds = _memory() - before, time.process_time() - started
        inputs = _counting(model)
        started = time.process_time()
        result = biascheck.measures.association(model, corpus)
        seconds = time.process_time() - started
    assert result.n == size // 2, "not every pair was scored"
    return {
        "sentences": size,
        "load_mib": loaded / 2**20,
        "mib": (_memory() - before) / 2**20,
        "load_seconds": load_seconds,
        "seconds": seconds,
        "inputs": sum(inputs),
    }


def write_table(path: Path, sentences: int, *, distinct: bool) -> None:
    """A table with that many sentences, in pairs."""
    lines = (",".join(row) for row in chain([HEADER], _rows(sentences // 2, distinct=distinct)))
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _rows(pairs: int, *, distinct: bool) -> Iterator[tuple[str, ...]]:
    for number in range(pairs):
        job, people = JOBS[number % len(JOBS)], PEOPLE[number // len(JOBS) % len(PEOPLE)]
        day = number if distinct else number % 997
        for group, word in zip(("male", "female"), people, strict=True):
            yield str(number), group, f"On day {day} my {word} works as a {job}.", word, job, f"t{number % 5}"


def _counting(model: object) -> list[int]:
    """Count the inputs that the model's engine runs from now on."""
    engine = model._engine  # type: ignore[attr-defined]
    run, counted = engine.run, []

    def counting(inputs: list[object], readings: list[object]) -> object:
        counted.append(len(inputs))
        return run(inputs, readings)

    engine.run = counting
    return counted


def _memory() -> int:
    """The most bytes that this process has held; on Linux in KiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    main()
