"""Results with every kind of attachment that a report draws; the figures are made up."""

from __future__ import annotations

from dataclasses import replace

from biascheck.gates.gate import Gate
from biascheck.results.attachments import (
    AnyAttachment,
    Correlations,
    Draws,
    ExplainedVariance,
    Groups,
    Histogram,
    MapPoint,
    PersonGroup,
    Point,
    ProfessionBar,
    ProfessionBars,
    Published,
    Scatter,
    SideBias,
    Table,
    TwoSided,
    WordMap,
)
from biascheck.results.items import Skipped
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Provenance, Result
from biascheck.stats import Verdict
from support.report_samples import PROVENANCE, gate, item, result

JOBS = ("nurse", "plumber", "judge", "baker", "pilot", "cook", "clerk", "teacher")
ABOUT = {"architecture": "BertForMaskedLM", "tokenizer": "WordPiece, 30,522 tokens"}


ATTACHMENTS: dict[str, AnyAttachment] = {
    "profession_table": Groups(
        groups=(
            PersonGroup(
                name="male",
                pairs=900,
                male=0.16,
                female=-0.83,
                v=28950.0,
                z=-22.28,
                p=1e-110,
                r=0.525,
                direction="female < male",
                male_after=0.1,
                female_after=-0.2,
            ),
        )
    ),
    "explained_variance": ExplainedVariance(pairs=(0.6, 0.1, 0.05), random=(0.2, 0.15, 0.1)),
    "map": WordMap(
        points=tuple(
            MapPoint(word=job, x=n / 4, y=float(n % 3), group=("male", "female")[n % 2]) for n, job in enumerate(JOBS)
        )
    ),
    "scatter": Scatter(
        x="original bias",
        y="share of male neighbours",
        points=tuple(Point(name=job, x=n / 8, y=n / 10) for n, job in enumerate(JOBS)),
    ),
    "histogram": Histogram(x="certainty", unit="pairs", edges=(0.0, 0.5, 1.0), counts=(3, 17), note="Most are sure."),
    "professions_male": ProfessionBars(
        group="male", bars=(ProfessionBar("roofer", 0.3, -0.8, 0.2, 0.1), ProfessionBar("mason", 0.1, -0.5, 0.1, 0.2))
    ),
    "draws": Draws(values=(0.58, 0.6, 0.65)),
    "two_sided": TwoSided(
        sides=(SideBias(name="original", negative=-0.02, positive=0.04, n_negative=30, n_zero=5, n_positive=65),)
    ),
    "correlations": Correlations(names=("all", "pro"), matrix=((1.0, 0.7), (0.7, 1.0))),
    "published": Published(figures=(PublishedFigure(0.572, "Table 1", name="BERT", erratum="printed 0.75"),)),
    "table": Table(columns=("condition", "accuracy"), rows=(("original", 0.93), ("balanced", None))),
}
"""One of each kind, by the key of its drawing."""
PRINTED = PublishedFigure(-0.4, "A paper", table="Table 2", erratum="printed 0.4")


def contract_results() -> list[Result]:
    """One result for each kind of attachment, and a pair of skew and stereotype."""
    items = [item(f"{job}/{n}", 0.1 * n, job) for n, job in enumerate(JOBS)]
    more = [item(f"{job}/{n}/{k}", 0.1 * n - 0.2 * k, f"{job} {k}") for n, job in enumerate(JOBS) for k in range(4)]
    origin = replace(PROVENANCE, model=ABOUT)

    def of(corpus: str) -> Provenance:
        return replace(origin, corpus_fingerprint=corpus)

    drawn = [
        result(items, measure="gender subspace", corpus=f"words {key}", attachments=(value,), provenance=of(key))
        for key, value in ATTACHMENTS.items()
    ]
    plane = [
        result(
            items,
            measure=name,
            statistic=name,
            corpus="winograd-t2",
            provenance=of("winograd-t2"),
            attachments=(Published(figures=(PublishedFigure(value, "Table 2", name="BERT-U", erratum="swapped"),)),),
        )
        for name, value in (("skew", 0.572), ("stereotype", 0.079))
    ]
    skipped = tuple(Skipped(f"long {n}", "longer than the model reads") for n in range(3))
    return [*drawn, *plane, result(more, skipped=skipped, warnings=("beware of grammar",), provenance=origin)]


def contract_gates(results: list[Result]) -> list[Gate]:
    """Every verdict, with and without a published figure."""
    verdicts = [Verdict.EXCEEDS, Verdict.WITHIN, Verdict.INCONCLUSIVE]
    return [gate(entry, verdicts[n % 3], published=(PRINTED,) if n % 2 else ()) for n, entry in enumerate(results)]
