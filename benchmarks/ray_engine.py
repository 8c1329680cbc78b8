"""What Ray costs with one worker and brings with two, on one plan that takes about a minute here.

The same plan is scored in this process and by one and two workers of a Ray cluster on this machine, with one thread
each. Wall time says something only where nothing else runs, so processor time is printed beside it: that of the driver
and of each worker. The scores must be equal, to the last bit.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import biascheck
from biascheck.core.spans import Span
from biascheck.models.local.transformers import TransformersMaskedModel
from biascheck.models.scoring.engine import placed_on
from biascheck.models.scoring.engine_choice import EngineChoice
from biascheck.models.scoring.queries import MaskedQuery
from biascheck.models.scoring.ray import RayEngine

FIRST_YEAR = 1000
PROBE = 400
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Timing:
    """Seconds of one way to score the plan; ``workers`` are processor seconds, ``start`` is what came before it."""

    wall: float
    driver: float
    workers: tuple[float, ...] = ()
    start: float = 0.0

    @property
    def processor(self) -> float:
        """Processor time of all processes."""
        return self.driver + sum(self.workers)


def main() -> None:
    """Time the three ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--seconds", type=float, default=65.0, help="about how long the plan takes in this process")
    parser.add_argument("--queries", type=int, help="so many queries instead")
    arguments = parser.parse_args()
    print(f"load average before: {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} processors")
    with biascheck.engine("local", threads=1):
        model = loaded(arguments.model)
        asked = queries(arguments.queries or calibrated(model, arguments.seconds))
        print(model.plan(asked))
        local, wanted = timed(model, asked)
    shown("local", local)
    timings = []
    for actors in (1, 2):
        timing, found = on_ray(arguments.model, asked, actors)
        if found != wanted:
            raise SystemExit(f"{actors} workers give other scores than this process")
        shown(f"ray, {actors} worker{'s' * (actors > 1)}", timing)
        timings.append(timing)
    one, two = timings
    print("the scores are equal, to the last bit")
    print(f"overhead of one worker: {one.wall / local.wall - 1:+.1%} of wall time (start apart: {one.start:.1f} s), ")
    print(f"                        {one.processor / local.processor - 1:+.1%} of processor time; wanted: at most +15%")
    print(f"two workers to one:     {one.wall / two.wall:.2f} times as fast in wall time; wanted: at least 1.7")
    print(f"                        {one.workers[0] / max(two.workers):.2f} times less work for the busier one")
    print(f"load average after: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


def loaded(name: str) -> TransformersMaskedModel:
    """The model, not read before it is needed."""
    model = biascheck.load(name, lazy=True)
    if not isinstance(model, TransformersMaskedModel):
        raise SystemExit("the benchmark is about masked language models")
    return model


def queries(count: int) -> list[MaskedQuery]:
    """As many different inputs: the sentences of BEC-Pro that differ behind the mask, each in many years."""
    everything = [(one.text, one.target) for one in biascheck.corpora.bec_pro().sentences()]
    sentences = list({text[: span.start] + text[span.end :]: (text, span) for text, span in everything}.values())
    found = []
    for number in range(count):
        text, span = sentences[number % len(sentences)]
        before = f"In {FIRST_YEAR + number // len(sentences)}, "
        found.append(MaskedQuery(before + text, Span(span.start + len(before), span.end + len(before))))
    return found


def calibrated(model: TransformersMaskedModel, seconds: float) -> int:
    """How many queries take about so long here."""
    model.fill(queries(64))
    used = time.process_time()
    model.fill(queries(2 * PROBE)[PROBE:])
    return int(PROBE * seconds / (time.process_time() - used))


def timed(model: TransformersMaskedModel, asked: Sequence[MaskedQuery]) -> tuple[Timing, list[object]]:
    """Score once with a model that is ready."""
    started, used = time.perf_counter(), time.process_time()
    found: list[object] = list(model.fill(asked))
    return Timing(time.perf_counter() - started, time.process_time() - used), found


def on_ray(name: str, asked: Sequence[MaskedQuery], actors: int) -> tuple[Timing, list[object]]:
    """Score once by workers that have loaded the model; how long that took is told apart."""
    engine = RayEngine(EngineChoice("ray", actors=actors, threads=1))
    started = time.perf_counter()
    try:
        with placed_on(engine):
            model = loaded(name)
            processes = engine.prepare(model)
            begun = time.perf_counter()
            before = [processor_time(process) for process in processes]
            timing, found = timed(model, asked)
            after = [processor_time(process) for process in processes]
    finally:
        engine.close()
    used = tuple(late - early for late, early in zip(after, before, strict=True))
    return Timing(timing.wall, timing.driver, used, begun - started), found


def processor_time(process: int) -> float:
    """Seconds of processor time that a process of this machine has used."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:  # noqa: PTH123 - not a file
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def shown(name: str, timing: Timing) -> None:
    """One way in one line."""
    workers = f", workers {' and '.join(f'{one:.1f}' for one in timing.workers)} s" if timing.workers else ""
    print(f"{name}: {timing.wall:.1f} s; processor time: driver {timing.driver:.1f} s{workers}", flush=True)


if __name__ == "__main__":
    main()
