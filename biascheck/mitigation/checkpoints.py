"""Fine-tuned models in the cache, each under the digest of what it was made from; low-rank adapters."""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from biascheck.core.errors import BiascheckError, BiascheckWarning, UsageError
from biascheck.core.files import full_disk_in, hold_where_possible, lock_of, remove, staged_folder, staging_folders
from biascheck.core.identity import package_code, sha256_of
from biascheck.core.release import require
from biascheck.core.shared_storage import ENVIRONMENT, fetch_folder, publish
from biascheck.core.store import cache_folder, digest_of
from biascheck.mitigation.recipes import LanguageRecipe

# Fine-tuned models in the cache, each under the digest of its inputs, and trained only once.

FOLDER = "checkpoints"
FACTS = "recipe.json"
DIGESTS = "digests.json"
CODE = ("mitigation", "corpora")
"""The rooms whose code and word lists determine the weights of a training run."""


def fetch_checkpoint(name: str, facts: Mapping[str, Any], build: Callable[[Path, Path], None]) -> Path:
    """The folder of the checkpoint with these facts; built by one worker while others wait, if there is none.

    ``build(folder, state)`` fills the folder, which then appears by one rename. ``state`` is a file that outlives an
    interruption and is removed at the end. A folder whose files are not those that were written is built again.
    """
    digest = digest_of([facts, *map(package_code, CODE)])
    target = cache_folder() / FOLDER / f"{_plain(name)}-{digest[:16]}"
    state = target.with_name(f"{target.name}.training")  # a name may have dots of its own
    if is_intact(target) and not os.path.lexists(state):
        return target
    with _locked(target):
        fetch_folder(target)
        if not is_intact(target):
            _clear_away(target)
            with _a_full_disk_named(target), staged_folder(target) as folder:
                build(folder, state)
                _write_digests(folder)
            publish(target, last=DIGESTS)
        remove(state)
    return target


def is_intact(folder: Path) -> bool:
    """Whether every file that the folder was written with is still there, byte by byte."""
    try:
        digests = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        return bool(digests) and all(sha256_of(folder / name) == digest for name, digest in digests.items())
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    with hold_where_possible(lock_of(target), f"checkpoint {target.name}") as fault:
        if fault is not None:
            raise UsageError(
                f"checkpoints cannot be kept in {target.parent} ({fault}); set {ENVIRONMENT} to a writable folder"
            ) from fault
        yield


@contextmanager
def _a_full_disk_named(target: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        found = full_disk_in(error)
        if found is None or isinstance(error, BiascheckError):
            raise
        raise UsageError(
            f"checkpoint {target.name} cannot be written to {target.parent}: the disk is full ({found}); free some "
            f"space there, or set {ENVIRONMENT} to a folder on another disk, and run the same again"
        ) from error


def _clear_away(target: Path) -> None:
    """Remove a damaged checkpoint and leftovers of killed processes; the lock rules out other writers."""
    if os.path.lexists(target):
        message = f"checkpoint {target} is damaged: its files are not those that were written; it is trained again"
        warnings.warn(message, BiascheckWarning, stacklevel=3)
        remove(target)
    for abandoned in staging_folders(target):
        shutil.rmtree(abandoned, ignore_errors=True)


def _write_digests(folder: Path) -> None:
    digests = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.is_file()}
    (folder / DIGESTS).write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)


def write_checkpoint(model: Any, tokenizer: Any, folder: Path, *, facts: Mapping[str, Any], card: str) -> None:
    """Write a model as an ordinary transformers folder, with its recipe and a card for people."""
    from safetensors.torch import save_file

    # Not model.save_pretrained, which draws a progress bar. Tied parameters are named, and stored, once.
    kept = dict(model.named_parameters())
    kept |= {name: value for name, value in model.state_dict().items() if name in dict(model.named_buffers())}
    tensors = {name: value.detach().contiguous() for name, value in kept.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # written private; a cache may be shared
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(card, encoding="utf-8")


# Low-rank adapters (Hu et al. 2022): few parameters to train, merged into ordinary weights at the end.

SCALE = 2
"""alpha over rank: how much an adapter counts beside the weights it is added to."""


def with_adapter(model: Any, recipe: LanguageRecipe) -> tuple[Any, Callable[[], Any]]:
    """The model to train, and a function that gives the finished one: plain weights of the model's own class.

    Without a rank both are the model itself. An adapter is put on every matrix but those of embeddings and output.
    """
    if not recipe.rank:
        return model, lambda: model
    instead = ", or use rank=0 to train the weights themselves"
    require(f"recipe {recipe.name!r} trains an adapter, which", "lora", instead=instead)
    import torch
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=recipe.rank, lora_alpha=SCALE * recipe.rank, target_modules="all-linear")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        adapted = get_peft_model(model, config)
    return adapted.get_base_model(), adapted.merge_and_unload
