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
from biascheck.results.competence import Competence

__all__ = ["CHECKS", "Check", "competence_of"]


@dataclass(frozen=True)
class Check:
    """Where a check is defined: a function ``(model, material, *, seed) -> Competence | None`` in this package."""

    module: str
    function: str

    def load(self) -> Callable[..., Competence | None]:
        """The function itself; ``None`` is its answer where the material has nothing to check on."""
        found: Callable[..., Competence | None] = getattr(import_module(f"{__package__}.{self.module}"), self.function)
        return found


# Imported when asked for: a check may use a measure, and every measure names a check.
CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "reading": Check("reading", "reading"),
        "names": Check("names_resolved", "names_resolved"),
        "sentiment": Check("reviews_rated", "reviews_rated"),
        "gender direction": Check("gender_direction", "gender_direction"),
        "sentence pairs": Check("pairs_read", "pairs_read"),
    }
)


def competence_of(check: str, model: Any, material: Any, *, seed: int = 0) -> Competence | None:
    """Whether ``model`` can do what ``check`` asks on a corpus; ``None`` where the check does not apply.

    It does not apply to the fakes of :mod:`biascheck.testing`, which know no language, nor to material that has
    nothing to check on, such as texts without a known sentiment in a language without reviews of ours.
    """
    if check not in CHECKS:
        raise UsageError(f"there is no competence check {check!r}; choose one of {', '.join(sorted(CHECKS))}")
    if getattr(model, "scripted", False):
        return None
    cache = active_cache() if getattr(model, "lasting", True) else None

    def compute() -> dict[str, Any]:
        found = CHECKS[check].load()(model, material, seed=seed)
        return {"competence": None if found is None else found.as_dict()}

    key = digest_of(["competence", package_code(), check, model.fingerprint, material.fingerprint, seed])
    document = (compute() if cache is None else cache.fetch(key, compute))["competence"]
    return None if document is None else Competence(**document)
