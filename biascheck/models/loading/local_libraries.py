"""What a model needs to run in this process; served models, functions and stored results do without."""

from __future__ import annotations

from importlib.util import find_spec

from biascheck.errors import ModelError

__all__ = ["require_local_libraries"]

LIBRARIES = ("torch", "transformers")
EXTRA = "pip install 'pytest-biascheck[torch]'"


def require_local_libraries(what: str) -> None:
    """Refuse to load a model where torch or transformers is missing, with the extra that brings them."""
    missing = [library for library in LIBRARIES if not _is_installed(library)]
    if missing:
        raise ModelError(
            f"{what} runs in this process and needs {' and '.join(missing)}, which this environment does not have; "
            f"install the extra with {EXTRA}, or measure a served model (openai:URL#NAME, vllm:URL#NAME, llamacpp:URL)"
        )


def _is_installed(library: str) -> bool:
    # found, not imported: a run whose results are all cached never loads torch
    try:
        return find_spec(library) is not None
    except (ImportError, ValueError):
        return False
