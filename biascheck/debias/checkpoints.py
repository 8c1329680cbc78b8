"""Fine-tuned models in the cache: each under the digest of what it was made from, and made only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from biascheck.errors import UsageError
from biascheck.files import staged_folder
from biascheck.models.cache import ENVIRONMENT, cache_folder, digest_of

__all__ = ["fetch_checkpoint", "write_checkpoint"]

FOLDER = "checkpoints"
FACTS = "recipe.json"


def fetch_checkpoint(name: str, facts: Mapping[str, Any], build: Callable[[Path, Path], None]) -> Path:
    """The folder of the checkpoint with these facts; built where there is none, by one worker while others wait.

    ``build(folder, state)`` fills the folder, which then appears by one rename. ``state`` is a file that outlives an
    interruption and is removed at the end.
    """
    from filelock import FileLock

    target = cache_folder() / FOLDER / f"{name}-{digest_of(facts)[:16]}"
    if target.is_dir():
        return target
    state = target.with_suffix(".training")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(target.with_suffix(".lock")).acquire()
    except OSError as error:
        raise UsageError(
            f"checkpoints cannot be kept in {target.parent} ({error}); set {ENVIRONMENT} to a writable folder"
        ) from error
    with held:
        if not target.is_dir():
            with staged_folder(target) as folder:
                build(folder, state)
        state.unlink(missing_ok=True)
    return target


def write_checkpoint(model: Any, tokenizer: Any, folder: Path, *, facts: Mapping[str, Any], card: str) -> None:
    """Write a model as an ordinary transformers folder, with its recipe and a card for people."""
    from safetensors.torch import save_file

    # Not model.save_pretrained, which draws a progress bar. Tied parameters are named, and stored, once.
    kept = dict(model.named_parameters())
    kept |= {name: value for name, value in model.state_dict().items() if name in dict(model.named_buffers())}
    tensors = {name: value.detach().contiguous() for name, value in kept.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(card, encoding="utf-8")
