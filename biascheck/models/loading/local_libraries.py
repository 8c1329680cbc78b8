"""What a model needs to run in this process; served models, functions and stored results do without."""

from __future__ import annotations

from biascheck.errors import ModelError
from biascheck.release import require

__all__ = ["require_local_libraries"]

LIBRARIES = ("torch", "transformers")
INSTEAD = ", or measure a served model (openai:URL#NAME, vllm:URL#NAME, llamacpp:URL)"


def require_local_libraries(what: str) -> None:
    """Refuse to load a model where torch or transformers is missing, with the extra that brings them."""
    # found, not imported: a run whose results are all cached never loads torch
    require(f"{what} runs in this process and", "local", LIBRARIES, ModelError, INSTEAD)
