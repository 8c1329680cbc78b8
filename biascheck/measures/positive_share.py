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


@measure(
    "positive share",
    version=1,
    about="The share of attributes that lean towards the first group; one half is parity.",
    limits=(
        "It counts directions and ignores sizes: a tiny gap in the same direction everywhere reads as 1. Read it "
        "beside the mean gap.",
        "The attributes of a list are a sample of nothing but that list.",
    ),
    statistic="share_positive",
    parity=0.5,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one attribute in twenty changes sides",
    scale="share",
    plain="More of the words asked about lean towards {towards} words than towards {away} ones: {by} away from one "
    "half; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the share of attributes with a positive gap; 0.50 is parity, above it more attributes lean towards {first} than "
    "towards {second}.",
    paper="kurita2019",
    needs=("fills masks", "scores text"),
    competence="reading",
)
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
    reads 0.5. For gender, above 0.5 means that most attributes lean towards male. The interval is Wilson's.

    ``employment(kind)`` gives corpora with our own word lists (``titles``, ``positive_traits``, ``negative_traits``,
    ``skills``); ``biascheck.corpora.published_employment`` reads the published ones. A model with random weights whose
    gaps are all −0.004 reads as 0.
    """
    gaps = association(model, corpus, contrast=contrast, multi_token=multi_token, seed=seed)
    form = draft(
        model,
        corpus,
        means_of_attributes(gaps.items),
        gaps.skipped,
        contrast=gaps.contrast,
        seed=seed,
        unit="attributes",
    )
    return summarise(form)
