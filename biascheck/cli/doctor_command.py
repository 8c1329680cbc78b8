"""What is installed, and what this machine has for measuring."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

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
}


def doctor(
    data: Annotated[Path | None, typer.Option(help="folder with the published data sets ($BIASCHECK_DATA)")] = None,
) -> None:
    """Show what is installed, which devices, data sets and cached models there are, and what is missing."""
    for heading, lines in (
        ("installed", _installed()),
        ("devices", _devices()),
        ("cache", _cached()),
        ("data sets", _data(data)),
    ):
        typer.echo(f"{heading}:")
        for line in lines:
            typer.echo(f"  {line}")


def _installed() -> Iterator[str]:
    yield f"{'python':18} {platform.python_version()}"
    for name, use in {"pytest-biascheck": "", **NEEDED, **OPTIONAL}.items():
        found = _version(name)
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
    named = folder or (Path(found) if (found := os.environ.get("BIASCHECK_DATA")) else None)
    if named is None:
        yield "none: name a folder with --data or BIASCHECK_DATA"
    elif not named.is_dir():
        yield f"{named}: no such folder"
    else:
        yield f"{named}: {', '.join(sorted(each.name for each in named.iterdir() if each.is_dir())) or 'empty'}"
