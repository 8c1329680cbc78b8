"""What slow and lost workers cost, by the length of a chunk: a seeded simulation of how the Ray engine hands out work.

Every worker has a chunk in hand and one waiting, and gets the next when it has finished one. A worker that is lost
begins again after a while with what it had: the chunk in hand is computed once more, as by Ray's restarted actors.
"""

from __future__ import annotations

import argparse
import heapq
from dataclasses import dataclass, replace

import numpy as np

IN_FLIGHT = 2


@dataclass(frozen=True)
class Cluster:
    """Workers and what happens to them; times are in seconds."""

    workers: int = 100
    noise: float = 0.0
    """Standard deviation of the logarithm of a chunk's duration; its mean stays 1."""
    slow_share: float = 0.0
    slow_factor: float = 4.0
    losses_per_hour: float = 0.0
    """How often a worker is lost, on average."""
    restart: float = 60.0
    """Until a worker that was lost has loaded its model again."""

    @property
    def slow(self) -> int:
        """How many workers are slow."""
        return round(self.workers * self.slow_share)

    @property
    def speed(self) -> float:
        """Of all workers together, in those of an ordinary one."""
        return self.workers - self.slow + self.slow / self.slow_factor


@dataclass(frozen=True)
class Outcome:
    """How long it took, and how much was computed in vain."""

    makespan: float
    losses: int
    wasted: float


def simulate(cluster: Cluster, chunks: int, seconds: float, seed: int = 0) -> Outcome:
    """Hand out so many chunks of so many seconds on an ordinary worker."""
    rng = np.random.default_rng(seed)
    rate = cluster.losses_per_hour / 3600
    left = max(0, chunks - IN_FLIGHT * cluster.workers)
    held = [
        min(IN_FLIGHT, max(0, (chunks - worker + cluster.workers - 1) // cluster.workers))
        for worker in range(cluster.workers)
    ]
    free = [(0.0, worker) for worker in range(cluster.workers) if held[worker]]
    heapq.heapify(free)
    end, losses, wasted = 0.0, 0, 0.0
    while free:
        now, worker = heapq.heappop(free)
        long = seconds * (cluster.slow_factor if worker < cluster.slow else 1.0)
        if cluster.noise:
            long *= rng.lognormal(-(cluster.noise**2) / 2, cluster.noise)
        while rate and (lost := rng.exponential(1 / rate)) < long:
            now, losses, wasted = now + lost + cluster.restart, losses + 1, wasted + lost
        now += long
        end = max(end, now)
        held[worker] -= 1
        if left:
            left, held[worker] = left - 1, held[worker] + 1
        if held[worker]:
            heapq.heappush(free, (now, worker))
    return Outcome(end, losses, wasted)


def expected_alone(cluster: Cluster, chunks: int, seconds: float) -> float:
    """What one worker needs on average: each chunk (e^(λt) − 1) (1/λ + r), with losses at rate λ and restarts of r."""
    rate = cluster.losses_per_hour / 3600
    each = seconds if rate == 0 else (np.exp(rate * seconds) - 1) * (1 / rate + cluster.restart)
    return float(chunks * each)


SCENES = {
    "equal workers": Cluster(),
    "noise of 30 %": Cluster(noise=0.3),
    "5 % are four times slower": Cluster(slow_share=0.05),
    "each lost once an hour": Cluster(losses_per_hour=1.0),
    "all of it": Cluster(noise=0.3, slow_share=0.05, losses_per_hour=1.0),
}


def main() -> None:
    """Print the table of docs/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--hours", type=float, default=1.0, help="how long equal workers would take")
    arguments = parser.parse_args()
    lengths = (2.0, 20.0, 200.0)
    print(
        f"| {arguments.workers} workers, {arguments.hours:g} h of work | "
        + " | ".join(f"{s:g} s" for s in lengths)
        + " |"
    )
    print("|---|" + "---|" * len(lengths))
    for name, scene in SCENES.items():
        cluster = replace(scene, workers=arguments.workers)
        cells = []
        for seconds in lengths:
            chunks = round(arguments.workers * arguments.hours * 3600 / seconds)
            found = simulate(cluster, chunks, seconds)
            ideal = chunks * seconds / cluster.speed
            cells.append(f"{found.makespan / ideal:.3f}, {found.wasted / (chunks * seconds):.2%} twice")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
