"""Reading and preferring nothing, in one figure (Nadeem et al. 2021)."""

from __future__ import annotations

from typing import Any

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.stereotype_triples import StereotypeTriple
from biascheck.measures.benchmarks.stereotype_preference import TRIPLE_NEEDS, preferences_of
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["icat_score"]


@derived_measure(
    "icat score",
    about="The language modelling score, scaled down by the distance of the stereotype score from one half (icat).",
    limits=(
        "It mixes two things: a model can be fairer and score lower because it reads worse. Read both by themselves.",
        "Stereotypes of opposite direction cancel in it, as they do in the stereotype score.",
    ),
    statistic="icat",
    parity=1.0,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="as for the two scores it is made of",
    sign="lms · min(ss, 1 − ss) / ½: 1 is a model that reads everything and prefers nothing, 0 one that always prefers "
    "the stereotype, or never.",
    paper="nadeem2021",
    needs=TRIPLE_NEEDS,
    made_from=("stereotype preference",),
)
def icat_score(result_or_model: Any, triples: ItemSet[StereotypeTriple] | None = None, **options: Any) -> Result:
    """icat of Nadeem et al. 2021, ``lms · min(ss, 1 − ss) / ½``, with an interval over target terms."""
    return preferences_of(result_or_model, triples, options)
