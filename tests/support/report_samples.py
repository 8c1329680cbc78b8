"""Results and gates built by hand, for the tests of the report."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from biascheck.gates.gate import Gate, LimitSettings, make_gate
from biascheck.measures.measure import catalogue
from biascheck.results.definition import UNDESCRIBED
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Provenance, Result
from biascheck.stats import Interval, Verdict

PROVENANCE = Provenance(
    measure_version=1,
    variant="ours",
    model_fingerprint="0123456789abcdef0123",
    corpus_fingerprint="fedcba9876543210fedc",
    options={"multi_token": "joint"},
    versions={"python": "3.12.1", "torch": "2.5.0"},
    created="2025-03-04T05:06:07+00:00",
)


DESCRIPTIONS = {entry.description.name: entry.description for entry in catalogue()}


def item(name: str, score: float, cluster: str = "nurse", **more: Any) -> ItemScore:
    sentences = {
        "male": Shown(f"he is a {cluster}", 0, 2),
        "female": Shown(f"she is a {cluster}", 0, 3),
    }
    fields = {"groups": {"male": score / 2, "female": -score / 2}, "sentences": sentences, **more}
    return ItemScore(id=name, score=score, cluster=cluster, **fields)


def provenance_of(model: str, corpus: str) -> Provenance:
    """Where a result comes from: a model and a corpus of other names have other fingerprints."""
    known = {"small-model": PROVENANCE.model_fingerprint, "bec-pro": PROVENANCE.corpus_fingerprint}
    prints = {name: known.get(name) or sha256(name.encode("utf-8", "replace")).hexdigest() for name in (model, corpus)}
    return replace(PROVENANCE, model_fingerprint=prints[model], corpus_fingerprint=prints[corpus])


def result(items: Sequence[ItemScore] = (), **more: Any) -> Result:
    items = tuple(items) or (item("1", -0.5), item("2", 1.0, "plumber"))
    fields: dict[str, Any] = {
        "measure": "association",
        "model": "small-model",
        "corpus": "bec-pro",
        "statistic": "mean",
        "estimate": 0.25,
        "interval": Interval(0.1, 0.4, 0.95, "cluster bootstrap"),
        "n": len(items),
        "clusters": len({entry.cluster for entry in items}),
        "seed": 7,
        "contrast": ("male", "female"),
        "provenance": provenance_of(more.get("model", "small-model"), more.get("corpus", "bec-pro")),
        "items": items,
        "p": 0.03,
        "unit": "pairs",
    }
    if "description" not in more:
        more = {**more, "description": DESCRIPTIONS.get(more.get("measure", "association"), UNDESCRIBED)}
    return Result(**{**fields, **more})


def gate(of: Result | None = None, verdict: Verdict = Verdict.INCONCLUSIVE, margin: float = 0.2, **more: Any) -> Gate:
    judged = of or result()
    return make_gate(judged, margin, judged.interval, verdict, LimitSettings(**more))


def large(templates: int, jobs: int, targets: int = 1) -> Result:
    """A corpus of templates, in which no two sentences are alike."""
    rng = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(5_000)]
    rests = [" ".join(rng.choices(vocabulary, k=9)) for _ in range(templates)]
    names = vocabulary[:jobs]
    return result(
        [
            _large_item(rests[t], f"t{t}", job, target, rng.gauss(0, 1))
            for t in range(templates)
            for job in names
            for target in range(targets)
        ]
    )


def _large_item(rest: str, template: str, job: str, target: int, score: float) -> ItemScore:
    start = len(f"The {job} said ")
    people = {"male": f"he{target}", "female": f"she{target}"}
    sentences = {
        group: Shown(f"The {job} said {word} {rest}.", start, start + len(word)) for group, word in people.items()
    }
    labels = {"template": template, "target": str(target)}
    return item(f"{template}/{job}/{target}", score, job, sentences=sentences, labels=labels)
