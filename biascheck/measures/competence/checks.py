"""The checks by name. Each is taken once for a model and a corpus and kept in the cache like a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.errors import UsageError
from biascheck.results.competence import Readability

__all__ = ["READABILITY_CHECKS", "ReadabilityCheck", "readability_of"]


@dataclass(frozen=True)
class ReadabilityCheck:
    """Where a check is defined: a function ``(model, corpus, *, seed) -> Readability | None`` in this package."""

    module: str
    function: str

    def load(self) -> Callable[..., Readability | None]:
        """The function itself; ``None`` is its answer where the corpus has nothing to check on."""
        found: Callable[..., Readability | None] = getattr(import_module(f"{__package__}.{self.module}"), self.function)
        return found


# Imported when asked for: a check may use a measure, and every measure names a check.
READABILITY_CHECKS: Mapping[str, ReadabilityCheck] = MappingProxyType(
    {
        "reading": ReadabilityCheck("reading", "reading"),
        "names": ReadabilityCheck("names_resolved", "names_resolved"),
        "sentiment": ReadabilityCheck("reviews_rated", "reviews_rated"),
        "gender direction": ReadabilityCheck("gender_direction", "gender_direction"),
        "sentence pairs": ReadabilityCheck("pairs_read", "pairs_read"),
    }
)


def readability_of(check: str, model: Any, corpus: Any, *, seed: int = 0) -> Readability | None:
    """Whether ``model`` can do what ``check`` asks on a corpus; ``None`` where the check does not apply.

    It does not apply to the fakes of :mod:`biascheck.testing`, which know no language, nor to corpus that has
    nothing to check on, such as texts without a known sentiment in a language without reviews of ours.
    """
    if check not in READABILITY_CHECKS:
        raise UsageError(
            f"there is no competence check {check!r}; choose one of {', '.join(sorted(READABILITY_CHECKS))}"
        )
    if getattr(model, "is_fake", False):
        return None
    cache = active_cache() if getattr(model, "is_persistent", True) else None

    def compute() -> dict[str, Any]:
        found = READABILITY_CHECKS[check].load()(model, corpus, seed=seed)
        return {"competence": None if found is None else found.as_dict()}

    key = digest_of(["competence", package_code(), check, model.fingerprint, corpus.fingerprint, seed])
    document = (compute() if cache is None else cache.fetch(key, compute))["competence"]
    return None if document is None else Readability(**document)
