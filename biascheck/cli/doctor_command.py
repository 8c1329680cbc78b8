"""What is installed, and what this machine has for measuring."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

from biascheck.errors import ModelError

__all__ = ["doctor"]

NEEDED = {"pytest": "runs the gates", "numpy": "statistics", "scipy": "statistics"}
OPTIONAL = {
    "torch": "local models: pip install 'pytest-biascheck[torch]'",
    "transformers": "local models: pip install 'pytest-biascheck[torch]'",
    "hypothesis": "searches for worst cases: pip install 'pytest-biascheck[worst-cases]'",
    "peft": "low-rank fine-tuning: pip install 'pytest-biascheck[lora]'",
    "gguf": "GGUF files: pip install 'pytest-biascheck[gguf]'",
    "sentencepiece": "tokenizers without tokenizer.json: pip install 'pytest-biascheck[sentencepiece]'",
    "pyarrow": "word vectors in parquet files: pip install 'pytest-biascheck[vectors]'",
    "pytest-xdist": "several workers: pip install pytest-xdist",
    "accelerate": "transformers' Trainer, for BiasCallback: pip install accelerate",
    "mlflow": "runs in MLflow: pip install mlflow, or mlflow-skinny",
    "wandb": "runs in Weights & Biases: pip install wandb",
}


def doctor(
    data: Annotated[Path | None, typer.Option(help="folder with the published data sets ($BIASCHECK_DATA)")] = None,
) -> None:
    """Show what is installed, which devices, data sets and cached models there are, and what is missing."""
    for heading, lines in (
        ("installed", _installed()),
        ("devices", _devices()),
        ("models", _models()),
        ("cache", _cached()),
        ("data sets", _data(data)),
    ):
        typer.echo(f"{heading}:")
        for line in lines:
            typer.echo(f"  {line}")


def _installed() -> Iterator[str]:
    yield f"{'python':18} {platform.python_version()}"
    for name, use in {"pytest-biascheck": "", **NEEDED, **OPTIONAL}.items():
        found = _version(name) or _version(f"{name}-skinny")
        yield f"{name:18} {found}" if found else f"{name:18} missing: {use}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _devices() -> Iterator[str]:
    yield f"cpu, {os.cpu_count()} cores"
    if not _version("torch"):
        yield "no torch, so that only served models and functions can be measured"
        return
    import torch

    for number in range(torch.cuda.device_count()):
        yield f"cuda:{number}, {torch.cuda.get_device_name(number)}"
    if torch.backends.mps.is_available():
        yield "mps"


def _models() -> Iterator[str]:
    """The models that come with a package, and those in the Hub's cache."""
    if not _version("torch"):
        yield "none without torch; a served model needs none"
        return
    from biascheck.cli.models_command import downloaded_models
    from biascheck.models.loading.minilm import minilm_base_folder
    from biascheck.models.loading.smollm2 import find_smollm2

    yield "reference:parity, reference:workforce and reference:tiny: bundled"
    for name, found in (("minilm-mlm", minilm_base_folder), ("smollm2", find_smollm2)):
        yield f"{name}: {_remedy(found) or 'its package is installed'}"
    for name in downloaded_models():
        yield f"{name}: in the Hub's cache"


def _remedy(found: Callable[[], Path]) -> str:
    """How to get what cannot be found; empty where it can."""
    try:
        found()
    except ModelError as error:
        return f"missing: {str(error).partition('; ')[2]}"
    return ""


def _cached() -> Iterator[str]:
    from biascheck.cache.document_cache import cache_folder
    from biascheck.cache.inventory import entries_in

    folder = cache_folder()
    entries = list(entries_in(folder))
    yield f"{folder}: {sum(entry.bytes for entry in entries) / 1e6:.1f} MB"
    for entry in entries:
        if entry.kind in ("models", "checkpoints"):
            yield f"{entry.kind.removesuffix('s')} {entry.path.name}, {entry.bytes / 1e6:.1f} MB"


def _data(folder: Path | None) -> Iterator[str]:
    from biascheck.corpora.datasets.data_directory import data_directory

    named = data_directory(folder)
    if named is None:
        yield "none: name a folder with --data or BIASCHECK_DATA; biascheck data fetch all --to DIR downloads them"
    elif not named.is_dir():
        yield f"{named}: no such folder"
    else:
        yield f"in {named}:"
        yield from _data_sets(named)


def _data_sets(folder: Path) -> Iterator[str]:
    """Every published set, whether its folder has files or not, and what else lies there."""
    from biascheck.corpora.fetching.data_sets import data_sets

    known = {one.name: one.title for one in data_sets()}
    present = {each.name for each in folder.iterdir() if each.is_dir() and any(each.iterdir())}
    for name in sorted(known.keys() | present):
        state = "there" if name in present else f"missing: biascheck data fetch {name} --to {folder}"
        yield f"{name:18} {state}"
