"""Results that fill every key of the details a report draws; the figures are made up."""

from __future__ import annotations

from dataclasses import replace

from report_samples import PROVENANCE, gate, item, result

from biascheck.gates.gate import Gate
from biascheck.results.items import Skipped
from biascheck.results.result import Result
from biascheck.stats import Verdict

JOBS = ("nurse", "plumber", "judge", "baker", "pilot", "cook", "clerk", "teacher")
ABOUT = {"architecture": "BertForMaskedLM", "tokenizer": "WordPiece, 30,522 tokens"}


def profession_row(name: str, **after: float) -> dict[str, object]:
    test = {
        "v": 28950.0,
        "z": -22.28,
        "p": 1e-110,
        "r": 0.525,
        "n_pairs": 900,
        "n_nonzero": 900,
        "direction": "negative",
    }
    row = {"name": name, "pairs": 900, "female": -0.83, "male": 0.16, "female_sd": 1.0, "male_sd": 1.1}
    return {**row, "test": test, "direction": "female < male", "female_after": None, "male_after": None, **after}


DETAILS: dict[str, object] = {
    "profession_table": [profession_row("male", female_after=-0.2, male_after=0.1)],
    "explained_variance": {"pairs": [0.6, 0.1, 0.05], "random": [0.2, 0.15, 0.1]},
    "map": [{"word": job, "x": n / 4, "y": n % 3, "group": ("male", "female")[n % 2]} for n, job in enumerate(JOBS)],
    "scatter": {
        "x": "original bias",
        "y": "share of male neighbours",
        "points": [{"name": job, "x": n / 8, "y": n / 10} for n, job in enumerate(JOBS)],
    },
    "draws": [0.58, 0.6, 0.65],
    "two_sided": [
        {"name": "original", "negative": -0.02, "positive": 0.04, "n_negative": 30, "n_zero": 5, "n_positive": 65}
    ],
    "correlations": {"names": ["all", "pro"], "matrix": [[1.0, 0.7], [0.7, 1.0]]},
    "published": [{"name": "BERT", "value": 0.57, "source": "Table 1", "erratum": "printed 0.75"}],
    "table": {"columns": ["condition", "accuracy"], "rows": [["original", 0.93], ["balanced", None]]},
}


def contract_results() -> list[Result]:
    """One result for each key of the contract, and a pair of skew and stereotype."""
    items = [item(f"{job}/{n}", 0.1 * n, job) for n, job in enumerate(JOBS)]
    more = [item(f"{job}/{n}/{k}", 0.1 * n - 0.2 * k, f"{job} {k}") for n, job in enumerate(JOBS) for k in range(4)]
    origin = replace(PROVENANCE, model=ABOUT)
    drawn = [
        result(items, measure="gender subspace", corpus=f"words {key}", details={key: value}, provenance=origin)
        for key, value in DETAILS.items()
    ]
    plane = [
        result(
            items,
            measure=name,
            statistic=name,
            corpus="winograd-t2",
            provenance=origin,
            details={"published": [{"name": "BERT-U", "value": value, "source": "Table 2", "erratum": "swapped"}]},
        )
        for name, value in (("skew", 0.572), ("stereotype", 0.079))
    ]
    skipped = tuple(Skipped(f"long {n}", "longer than the model reads") for n in range(3))
    return [*drawn, *plane, result(more, skipped=skipped, warnings=("beware of grammar",), provenance=origin)]


def contract_gates(results: list[Result]) -> list[Gate]:
    """Every verdict, with and without a published figure."""
    verdicts = [Verdict.EXCEEDS, Verdict.WITHIN, Verdict.INCONCLUSIVE]
    return [
        gate(entry, verdicts[n % 3], published="−0.4 (A paper, Table 2; erratum: printed 0.4)" if n % 2 else "")
        for n, entry in enumerate(results)
    ]
