"""biascheck: pytest for bias in language models.

Public names resolve on first use, so that importing the package, or having the plugin installed, costs
nothing: torch, transformers and scipy are loaded by the functions that need them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME = {
    "BiasAssertionError": "errors",
    "BiascheckError": "errors",
    "BiascheckWarning": "errors",
    "Comparison": "comparison",
    "Corpus": "corpora",
    "Gate": "gates",
    "Pair": "corpora",
    "Result": "results",
    "Sentence": "corpora",
    "Span": "spans",
    "absolute_delta": "measures",
    "as_classifier": "models.classifiers",
    "assert_absolute_delta_below": "assertions",
    "assert_all_within": "assertions",
    "assert_association_within": "assertions",
    "assert_below": "assertions",
    "assert_effect_size_within": "assertions",
    "assert_no_regression": "assertions",
    "assert_no_sentiment_delta": "assertions",
    "assert_share_within": "assertions",
    "assert_skew_below": "assertions",
    "assert_stereotype_below": "assertions",
    "assert_trade_off": "assertions",
    "assert_within_margin": "assertions",
    "association": "measures",
    "bec_pro": "corpora",
    "compare": "comparison",
    "competency": "corpora",
    "competency_effect": "measures",
    "corpus_from_table": "corpora",
    "corpus_from_templates": "corpora",
    "delta_table": "measures",
    "effect_size": "measures",
    "employment": "corpora",
    "female_share": "measures",
    "fine_tune_classifier": "debias",
    "gender_f1": "measures",
    "kurita_weat": "corpora",
    "load": "loading",
    "measure": "measures",
    "occupation_table": "measures",
    "pairwise_associations": "measures",
    "positive_share": "measures",
    "profession_table": "measures",
    "pronoun_gap": "measures",
    "published_imdb": "corpora",
    "published_winobias": "corpora",
    "rated_competency": "corpora",
    "read_results": "storage",
    "religion": "corpora",
    "resolution": "measures",
    "review_pairs": "corpora",
    "reviews": "corpora",
    "sentiment_delta": "measures",
    "skew": "measures",
    "skew_of": "measures",
    "stereotype": "measures",
    "stereotype_of": "measures",
    "winograd": "corpora",
    "workforce_correlation": "measures",
    "write_results": "storage",
}

__all__ = [
    "BiasAssertionError",
    "BiascheckError",
    "BiascheckWarning",
    "Comparison",
    "Corpus",
    "Gate",
    "Pair",
    "Result",
    "Sentence",
    "Span",
    "absolute_delta",
    "as_classifier",
    "assert_absolute_delta_below",
    "assert_all_within",
    "assert_association_within",
    "assert_below",
    "assert_effect_size_within",
    "assert_no_regression",
    "assert_no_sentiment_delta",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_within_margin",
    "association",
    "bec_pro",
    "compare",
    "competency",
    "competency_effect",
    "corpus_from_table",
    "corpus_from_templates",
    "delta_table",
    "effect_size",
    "employment",
    "female_share",
    "fine_tune_classifier",
    "gender_f1",
    "kurita_weat",
    "load",
    "measure",
    "occupation_table",
    "pairwise_associations",
    "positive_share",
    "profession_table",
    "pronoun_gap",
    "published_imdb",
    "published_winobias",
    "rated_competency",
    "read_results",
    "religion",
    "resolution",
    "review_pairs",
    "reviews",
    "sentiment_delta",
    "skew",
    "skew_of",
    "stereotype",
    "stereotype_of",
    "winograd",
    "workforce_correlation",
    "write_results",
]

if TYPE_CHECKING:
    from biascheck.assertions import (
        assert_absolute_delta_below,
        assert_all_within,
        assert_association_within,
        assert_below,
        assert_effect_size_within,
        assert_no_regression,
        assert_no_sentiment_delta,
        assert_share_within,
        assert_skew_below,
        assert_stereotype_below,
        assert_trade_off,
        assert_within_margin,
    )
    from biascheck.comparison import Comparison, compare
    from biascheck.corpora import (
        Corpus,
        Pair,
        Sentence,
        bec_pro,
        competency,
        corpus_from_table,
        corpus_from_templates,
        employment,
        kurita_weat,
        published_imdb,
        published_winobias,
        rated_competency,
        religion,
        review_pairs,
        reviews,
        winograd,
    )
    from biascheck.debias import (
        fine_tune_classifier,
    )
    from biascheck.errors import (
        BiasAssertionError,
        BiascheckError,
        BiascheckWarning,
    )
    from biascheck.gates import (
        Gate,
    )
    from biascheck.loading import (
        load,
    )
    from biascheck.measures import (
        absolute_delta,
        association,
        competency_effect,
        delta_table,
        effect_size,
        female_share,
        gender_f1,
        measure,
        occupation_table,
        pairwise_associations,
        positive_share,
        profession_table,
        pronoun_gap,
        resolution,
        sentiment_delta,
        skew,
        skew_of,
        stereotype,
        stereotype_of,
        workforce_correlation,
    )
    from biascheck.models.classifiers import (
        as_classifier,
    )
    from biascheck.results import (
        Result,
    )
    from biascheck.spans import (
        Span,
    )
    from biascheck.storage import (
        read_results,
        write_results,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'biascheck' has no attribute {name!r}")
    return getattr(import_module(f"biascheck.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
