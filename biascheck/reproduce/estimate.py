"""How long the tables will take, before they are run: their work, times the speed of this model on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from biascheck.models.capabilities import embeds_in_context, fills_masks, has_states, rates_text, scores_text
from biascheck.models.scoring.queries import MaskedQuery, SentenceQuery, WordQuery
from biascheck.reproduce.paper import Work
from biascheck.spans import Span

__all__ = ["Estimate", "duration_text", "estimate_of", "seconds_per_pass"]

PROBES = 24
WARMING = 2


@dataclass(frozen=True)
class Estimate:
    """Seconds and work by table, in their order, and the tokens that the model reads or is trained on in all.

    A training that several tables share is work of the first of them.
    """

    seconds: Mapping[str, float]
    works: Mapping[str, Work]
    tokens: int

    @property
    def total(self) -> float:
        """Seconds in all."""
        return sum(self.seconds.values())

    def lines(self) -> list[str]:
        """What is printed before a reproduction starts."""
        rows = [
            f"  {name:12} {duration_text(self.seconds[name]):>16}   {work.text()}" for name, work in self.works.items()
        ]
        total = f"{duration_text(self.total)} in all on this machine, at most: what is cached takes no time"
        return [*rows, f"{total}. About {self.tokens:,} tokens, which a served model would bill; a local one is free."]


def estimate_of(works: Mapping[str, Work], model: Any) -> Estimate:
    """The estimate for these tables; the model reads a few sentences to be timed, unless there is nothing to read."""
    counted = _counted_once(works)
    busy = any(work.passes for work in counted.values())
    pace = seconds_per_pass(model) if busy else 0.0
    tokens = sum(work.sentences * work.tokens for work in counted.values())
    return Estimate({name: work.passes * pace for name, work in counted.items()}, counted, tokens)


def _counted_once(works: Mapping[str, Work]) -> dict[str, Work]:
    """The works in their order, without trainings that an earlier one has."""
    done: set[str] = set()
    counted = {}
    for name, work in works.items():
        counted[name] = work.after(done)
        done |= {training for training, _ in work.shared}
    return counted


def seconds_per_pass(model: Any) -> float:
    """The seconds for one sentence of about 16 tokens; 0 for a model that only looks words up."""
    ask = _reader(model)
    if ask is None:
        return 0.0
    ask(WARMING, 0)
    start = perf_counter()
    ask(PROBES, WARMING)
    return (perf_counter() - start) / PROBES


def duration_text(seconds: float) -> str:
    """A rough duration: "about 40 s", "about 3 min", "about 2.5 h"."""
    if seconds < 1:
        return "under a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def _reader(model: Any) -> Callable[[int, int], object] | None:
    """A function that lets the model read so many sentences, numbered from a start."""
    if fills_masks(model):
        return lambda count, start: model.fill([MaskedQuery(text, Span(4, 10)) for text in _texts(count, start)])
    if scores_text(model):
        return lambda count, start: model.likelihood([SentenceQuery(text) for text in _texts(count, start)])
    if rates_text(model):
        return lambda count, start: model.rate(_texts(count, start))
    if has_states(model):
        model = model.as_encoder()
    if embeds_in_context(model):
        return lambda count, start: model.words([WordQuery(text, Span(4, 10)) for text in _texts(count, start)])
    return None


def _texts(count: int, start: int) -> list[str]:
    """Distinct sentences, so that none is answered from memory; the person is at characters 4 to 10."""
    return [
        f"The person in room {number} said that the work would be done by the end."
        for number in range(start, start + count)
    ]
