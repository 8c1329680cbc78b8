"""List the models that need no download."""

from __future__ import annotations

from collections.abc import Iterator

import typer

__all__ = ["downloaded_models", "models"]


def models() -> None:
    """List the models that need no download."""
    downloaded = ((name, "downloaded before, in the Hub cache") for name in downloaded_models())
    for name, what in (*_own(), *downloaded):
        typer.echo(f"{name:38} {what}")
    typer.echo("Any local folder or Hub id of a masked or causal language model works too, and any served model that")
    typer.echo("gives log-probabilities: openai:URL#NAME, vllm:URL#NAME, llamacpp:URL.")


def _own() -> Iterator[tuple[str, str]]:
    from biascheck.models.loading.loader import BUNDLED
    from biascheck.models.loading.random_references import REFERENCES
    from biascheck.reference_models.reference_specs import BUNDLED_DOSES

    for name in BUNDLED:
        yield name, "from its pip package; written to the cache on first use"
    for name in BUNDLED_DOSES:
        yield f"reference:{name}", "bundled; its bias is known by construction"
    yield "reference:planted(dose=0.3)", "any dose from 0 to 1; trained on first use, then cached"
    yield "reference:planted(dose=0.3, tilt=1)", "the same, with all pronouns tilted towards male (log-odds)"
    for name in REFERENCES:
        yield f"reference:{name}", "built in memory"


def downloaded_models() -> Iterator[str]:
    """The ids of the models in the Hub cache on this machine."""
    try:
        from huggingface_hub import scan_cache_dir
        from huggingface_hub.errors import CacheNotFound
    except ImportError:  # it comes with the extra [local], without which no local model runs
        return
    try:
        found = scan_cache_dir().repos
    except CacheNotFound:
        return
    for repository in sorted(found, key=lambda repo: repo.repo_id):
        if repository.repo_type == "model":
            yield repository.repo_id
