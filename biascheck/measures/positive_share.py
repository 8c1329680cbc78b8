"""Share of attributes that lean to the first group (Kurita et al. 2019, §5, Table 5)."""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.association import association
from biascheck.measures.attribute_means import means_of_attributes
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.models.capabilities import LanguageModel
from biascheck.models.scoring.queries import MultiToken
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["positive_share"]


@measure("positive share", version=1)
def positive_share(
    model: LanguageModel,
    corpus: Corpus,
    *,
    contrast: tuple[str, str] | None = None,
    multi_token: MultiToken = "joint",
    seed: int = 0,
) -> Result:
    """The share of attributes whose mean association gap is positive; one half is parity.

    An attribute whose gap is exactly zero counts one half, so that a model without any preference
    reads 0.5. For gender, above 0.5 means that most attributes lean towards male.

    Limits: it counts directions and ignores sizes. A tiny gap in the same direction everywhere reads as
    1.0, and the attributes of one list are not a sample of anything but that list.
    """
    gaps = association(model, corpus, contrast=contrast, multi_token=multi_token, seed=seed)
    form = draft(
        model,
        corpus,
        means_of_attributes(gaps.items),
        gaps.skipped,
        contrast=gaps.contrast,
        seed=seed,
        statistic="share_positive",
        parity=0.5,
        unit="attributes",
    )
    return summarise(form)
