"""The version of this release, the location of its suites, and its extras."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from biascheck.core.errors import BiascheckError, UsageError

__version__ = version("pytest-biascheck")
# In the installed package, and beside it in a checkout.
HOMES = (Path(__file__).parents[1] / "suites", Path(__file__).parents[2] / "suites")


@dataclass(frozen=True)
class Extra:
    """The purpose of an extra of the distribution, and the modules it installs."""

    use: str
    modules: tuple[str, ...]


EXTRAS = {
    "local": Extra(
        "models that run in this process, the two embedded ones among them; clusters, topics and maps of embeddings",
        (
            "torch",
            "transformers",
            "tokenizers",
            "safetensors",
            "sklearn",
            "gguf",
            "accelerate",
            "sentencepiece",
            "google.protobuf",
        ),
    ),
    "ray": Extra("runs on a Ray cluster", ("ray", "grpc")),
    "remote": Extra("a cache, data and outputs at an address", ("fsspec",)),
    "hub": Extra("model cards for the Hugging Face Hub", ("yaml",)),
    "arrow": Extra("tables, items and word vectors in parquet files", ("pyarrow",)),
    "logs": Extra("logs of inspect as it writes them (.eval)", ("zstandard",)),
    "lora": Extra("adapters of low rank, read and trained", ("peft",)),
    "worst-cases": Extra("searches for worst cases", ("hypothesis",)),
    "umap": Extra("maps of words by UMAP, not t-SNE", ("umap",)),
}
"""The extras for users, by name; ``all`` is all of them. What they require is in pyproject.toml."""


def install_line(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install 'pytest-biascheck[{extra}]'"


def is_installed(module: str) -> bool:
    """Whether a module can be found; it is not imported, since some take seconds."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def missing(modules: Sequence[str]) -> list[str]:
    """Those of the modules that are not installed."""
    return [module for module in modules if not is_installed(module)]


def require(
    what: str, extra: str, modules: Sequence[str] = (), error: type[BiascheckError] = UsageError, instead: str = ""
) -> None:
    """Raise an error if modules of an extra (all unless named) are missing, with the command that installs it."""
    if absent := missing(modules or EXTRAS[extra].modules):
        raise error(
            f"{what} needs {' and '.join(absent)}, which this environment does not have; install the extra with "
            f"{install_line(extra)}{instead}"
        )


def suites_home() -> Path:
    """Where the suites of this installation are."""
    for home in HOMES:
        if (home / "margins.toml").is_file():
            return home
    raise BiascheckError("this installation came without the suites; install pytest-biascheck again from its wheel")
