"""The empty form that every measure fills in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from biascheck.corpora.corpus import Pair
from biascheck.errors import ScoreError
from biascheck.measures.declaration import CorpusLike, declared
from biascheck.models.capabilities import Model
from biascheck.results.description import UNDESCRIBED
from biascheck.results.item_columns import ItemList, gathered_items
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.result import Provenance, Result

__all__ = ["draft", "shown"]

UNKNOWN = Provenance(measure_version=0, variant="", model_fingerprint="", corpus_fingerprint="")


def draft(
    model: Model,
    corpus: CorpusLike,
    items: Iterable[ItemScore],
    skipped: Sequence[Skipped],
    *,
    contrast: tuple[str, str],
    seed: int,
    statistic: str | None = None,
    parity: float | None = None,
    unit: str = "items",
) -> Result:
    """A result with its items and no figures yet; without a single item there is none.

    Statistic and parity are those that the measure declares, unless given.
    """
    description = declared() or UNDESCRIBED
    statistic = description.statistic if statistic is None else statistic
    parity = description.parity if parity is None else parity
    found = items.items if isinstance(items, ItemList) else gathered_items(items)
    if not found:
        reasons = Counter(skip.reason for skip in skipped).most_common(3)
        listed = "; ".join(f"{reason} ({count}×)" for reason, count in reasons) or "the corpus gave none"
        raise ScoreError(f"{model.name} × {corpus.name}: not one item could be scored: {listed}")
    return Result(
        measure="",
        model=model.name,
        corpus=corpus.name,
        statistic=statistic,
        estimate=parity,
        interval=None,
        n=0,
        clusters=0,
        seed=seed,
        contrast=contrast,
        provenance=UNKNOWN,
        items=found,
        skipped=tuple(skipped),
        parity=parity,
        unit=unit,
        warnings=corpus.warnings,
        treatment=tuple(getattr(model, "treatment", ())),
        several_groups=len(found[0].groups) > 2,
    )


def shown(pair: Pair) -> dict[str, Shown]:
    """The sentences of a pair for a reader."""
    return {group: Shown(s.text, s.target.start, s.target.end) for group, s in pair.sentences.items()}
