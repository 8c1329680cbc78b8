"""What our files call themselves and how new they may be. Apart from reading them, so that a look costs no numpy."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["BASELINE", "BASELINE_SCHEMA", "RESULTS", "RESULTS_SCHEMA", "kind_of"]

RESULTS = "biascheck results"
RESULTS_SCHEMA = 3
"""2: ``complete``, ``not_run`` and ``comparisons``. 3: keys, and the outcome of the run."""
BASELINE = "biascheck baseline"
BASELINE_SCHEMA = 3
"""2: the draw of an item. 3: the treatment of the model and the part of the corpus."""


def kind_of(path: Path) -> tuple[object, object]:
    """What a file calls itself, and its schema; neither where it is missing or no JSON object."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None, None
    return (document.get("kind"), document.get("schema")) if isinstance(document, dict) else (None, None)
