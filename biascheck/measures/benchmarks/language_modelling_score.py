"""Whether a model tells meaningful sentences from unrelated ones (Nadeem et al. 2021)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.stereotype_triples import StereotypeTriple
from biascheck.measures.benchmarks.stereotype_preference import TRIPLE_NEEDS, preferences_of
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["language_modelling_score"]


@derived_measure(
    "language modelling score",
    about="The share of meaningful sentences that the model prefers to an unrelated one, term by term (lms).",
    limits=(
        "An unrelated sentence is often ungrammatical in its place: that is what is noticed first.",
        "It says nothing about bias: it says whether the stereotype score means anything.",
    ),
    statistic="cluster_mean",
    parity=1.0,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one comparison in twenty changes",
    sign="The estimate is the share of stereotypes and anti-stereotypes that score higher than the unrelated sentence; "
    "0.50 is chance, 1 the best.",
    paper="nadeem2021",
    needs=TRIPLE_NEEDS,
    made_from=("stereotype preference",),
)
def language_modelling_score(
    result_or_model: Any, triples: ItemSet[StereotypeTriple] | None = None, **options: Any
) -> Result:
    """lms of Nadeem et al. 2021: for each target term, the share of (stereotype, anti) > unrelated; then the mean."""
    scored = preferences_of(result_or_model, triples, options)
    items = tuple(replace(item, score=float(item.covariate or 0.0), covariate=None) for item in scored.items)
    return replace(scored, items=items)
