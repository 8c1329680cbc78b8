"""Results made by hand, so that a test knows every score in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from biascheck.gates.gate import Gate
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.key import ResultKey, canonical
from biascheck.results.result import Provenance, Result
from biascheck.results.summaries import summarise
from biascheck.stats import Interval, Verdict

PROVENANCE = Provenance(
    measure_version=1,
    variant="ours",
    model_fingerprint="m" * 64,
    corpus_fingerprint="c" * 64,
    options={"multi_token": "joint", "contrast": ["male", "female"]},
    versions={"python": "3.11"},
    created="2024-05-01T12:00:00+00:00",
)


def items_of(gaps: Mapping[str, Sequence[float]], **fields: object) -> tuple[ItemScore, ...]:
    """One cluster for each name, one item for each of its gaps; the male score is the gap, the female one is 0."""
    return tuple(
        ItemScore(f"{name}/{n}", gap, name, {"male": gap, "female": 0.0}, labels={"template": f"t{n}"}, **fields)
        for name, row in gaps.items()
        for n, gap in enumerate(row)
    )


def provenance_of(model: str = "tiny", corpus: str = "jobs") -> Provenance:
    """Where a result of this model and this corpus comes from: other names have other fingerprints."""
    return replace(
        PROVENANCE,
        model_fingerprint=PROVENANCE.model_fingerprint
        if model == "tiny"
        else sha256(model.encode(errors="replace")).hexdigest(),
        corpus_fingerprint=PROVENANCE.corpus_fingerprint
        if corpus == "jobs"
        else sha256(corpus.encode(errors="replace")).hexdigest(),
    )


def result_of(items: Iterable[ItemScore], **fields: object) -> Result:
    """A summarised result of these items, called "association on tiny × jobs" unless told otherwise."""
    form = {
        "measure": "association",
        "model": "tiny",
        "corpus": "jobs",
        "statistic": "mean",
        "estimate": 0.0,
        "interval": None,
        "n": 0,
        "clusters": 0,
        "seed": 0,
        "contrast": ("male", "female"),
        "provenance": provenance_of(fields.get("model", "tiny"), fields.get("corpus", "jobs")),
        "unit": "pairs",
    }
    return summarise(Result(**{**form, "items": items, **fields}))


def key_of(**fields: object) -> ResultKey:
    """The key of a result of this module, but for what is told otherwise."""
    form = {
        "measure": "association", "version": 1, "statistic": "mean", "model": "m" * 64, "treatment": (),
        "corpus": "c" * 64, "slice": (), "contrast": ("male", "female"), "options": canonical(dict(PROVENANCE.options)),
    }  # fmt: skip
    return ResultKey(**{**form, **fields})


def gate_of(verdict: Verdict = Verdict.WITHIN, *, passed: bool | None = None, **fields: object) -> Gate:
    """A judgement on "association on tiny × jobs"; it passes if it is within, unless told otherwise."""
    form = {
        "key": key_of(
            **{name: fields.pop(name) for name in ("measure", "statistic", "treatment", "contrast") if name in fields}
        ),
        "title": "association on tiny × jobs", "model": "tiny", "corpus": "jobs", "estimate": 0.41,
        "interval": Interval(0.33, 0.49, 0.95, "by hand"), "margin": 0.2,
        "parity": 0.0, "n": 900, "unit": "pairs", "clusters": 60, "skipped": 0, "seed": 0, "verdict": verdict,
        "passed": verdict is Verdict.WITHIN if passed is None else passed, "offenders": ("nurse −1.90",),
    }  # fmt: skip
    return Gate(**{**form, **fields})


def spread(centre: float, width: float, clusters: int = 10) -> dict[str, list[float]]:
    """One gap for each of many clusters, evenly spaced over ``centre ± width``: their mean is the centre."""
    step = 2 * width / (clusters - 1)
    return {f"job{n}": [centre - width + n * step] for n in range(clusters)}


SKIPPED = Skipped("surgeon/0", "'she' is no word of this model", {"template": "t0"})
SHOWN = {"male": Shown("Er ist Bäcker – „gut“.", 0, 2), "female": Shown("Sie ist Bäckerin 👩‍🍳.", 0, 3)}


def attached(result: Result, kind: type) -> object:
    """The only attachment of this kind."""
    (found,) = (one for one in result.attachments if isinstance(one, kind))
    return found
