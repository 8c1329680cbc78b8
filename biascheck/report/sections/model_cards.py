"""Who was measured: one card for each model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from biascheck.gates.gate import Gate
from biascheck.results.result import Result
from biascheck.stats import Verdict
from biascheck.wording import tally

__all__ = ["ModelCard", "model_cards", "short_fingerprint", "when"]

FINGERPRINT_LENGTH = 12


@dataclass(frozen=True)
class ModelCard:
    """A model, how it was measured, and how its gates went."""

    name: str
    verdict: str
    tally: str
    fingerprints: tuple[str, ...]
    seeds: tuple[int, ...]
    measured: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    versions: tuple[str, ...]
    results: int


def model_cards(results: Sequence[Result], gates: Sequence[Gate]) -> tuple[ModelCard, ...]:
    """One card for every model that has a result or a gate, in their order."""
    names = dict.fromkeys([*(result.model_label for result in results), *(gate.model_label for gate in gates)])
    return tuple(
        _card(name, [r for r in results if r.model_label == name], [g for g in gates if g.model_label == name])
        for name in names
    )


def _card(name: str, results: Sequence[Result], gates: Sequence[Gate]) -> ModelCard:
    provenances = [result.provenance for result in results]
    dates = sorted({provenance.created for provenance in provenances if provenance.created})
    versions = _distinct(f"{library} {v}" for p in provenances for library, v in p.versions.items())
    return ModelCard(
        name=name,
        verdict=next((str(verdict) for verdict in Verdict if any(gate.verdict is verdict for gate in gates)), "none"),
        tally=tally(gates),
        fingerprints=_distinct(short_fingerprint(p.model_fingerprint) for p in provenances if p.model_fingerprint),
        seeds=tuple(sorted({r.seed for r in results} | {g.seed for g in gates})),
        measured=_distinct(when(date) for date in (*dates[:1], *dates[-1:])),
        about=tuple(dict.fromkeys(fact for p in provenances for fact in p.model.items())),
        versions=versions,
        results=len(results),
    )


def short_fingerprint(fingerprint: str) -> str:
    """The first characters of a fingerprint: enough to tell two models apart."""
    return fingerprint[:FINGERPRINT_LENGTH]


def when(created: str) -> str:
    """A date and time to the minute; what is not a date stays as it is."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
