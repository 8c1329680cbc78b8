"""``biascheck doctor``, ``models`` and ``measures``: what is installed, and what there is to measure with."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, distributions, packages_distributions, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biascheck.core.errors import BiascheckError
from biascheck.core.release import EXTRAS, install_line, missing

if TYPE_CHECKING:
    from biascheck.corpora import Corpus


# What is installed, and what this machine has for measuring. What is called ready has been loaded and used.

NEEDED = ("pytest-biascheck", "pytest", "numpy", "scipy", "pandas", "httpx")
BESIDE = {
    "pytest-xdist": "several workers: pip install pytest-xdist",
    "mlflow": "runs in MLflow: pip install mlflow, or mlflow-skinny",
    "wandb": "runs in Weights & Biases: pip install wandb",
}
FOR_GPU = ("nvidia-", "cuda-", "triton", "pytorch-triton")
MODELS = ("reference:parity", "minilm-mlm", "smollm2")


def doctor(
    data: Annotated[Path | None, typer.Option(help="folder with the published data sets ($BIASCHECK_DATA)")] = None,
) -> None:
    """Load and try what is installed: extras, devices, models, a corpus, data sets. Say how to get what is missing."""
    for heading, lines in (
        ("installed", _installed()),
        ("extras", _extras()),
        ("devices", _devices()),
        ("corpora", _corpora()),
        ("models", _models()),
        ("cache", _cached()),
        ("data sets", _data(data)),
    ):
        typer.echo(f"{heading}:")
        for line in lines:
            typer.echo(f"  {line}")


def _installed() -> Iterator[str]:
    yield f"{'python':18} {platform.python_version()}, {platform.system()} {platform.machine()}"
    for name in NEEDED:
        yield f"{name:18} {_version(name)}"
    if torch := _imported("torch"):
        yield f"{'torch':18} {torch.__version__}, {_build(torch)}, {_torch_bytes() / 1e6:,.0f} MB on disk"
    for name, use in BESIDE.items():
        found = _version(name) or _version(f"{name}-skinny")
        yield f"{name:18} {found or f'missing: {use}'}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _imported(module: str) -> Any:
    """A module; ``None`` where it is absent or does not load."""
    try:
        return import_module(module)
    except Exception:
        return None


def _build(torch: Any) -> str:
    for name, label in (("cuda", "CUDA"), ("hip", "ROCm"), ("xpu", "XPU")):
        if found := getattr(torch.version, name, None):
            return f"a build for {label} {found}"
    return "a build for the CPU"


def _torch_bytes() -> int:
    """The size of torch and of the packages that only its builds for a GPU bring."""
    names = {one.name for one in distributions()}
    own = [name for name in names if name == "torch" or name.startswith(FOR_GPU)]
    return sum(file.size or 0 for name in own for file in distribution(name).files or [])


def _extras() -> Iterator[str]:
    """Every extra: all of its modules were imported, or the line that installs it."""
    for name, extra in EXTRAS.items():
        if absent := missing(extra.modules):
            yield f"{name:18} missing {', '.join(absent)} ({extra.use}): {install_line(name)}"
        else:
            yield f"{name:18} {_fault(extra.modules) or 'ready'}"


def _fault(modules: tuple[str, ...]) -> str:
    """Which of the modules does not load, why, and how to install it again; empty where all of them load."""
    for module in modules:
        try:
            import_module(module)
        except Exception as error:
            return f"{module} does not load ({_told(error)}): pip install --force-reinstall {_package(module)}"
    return ""


def _package(module: str) -> str:
    """The distribution that a module comes from."""
    found = packages_distributions().get(module.partition(".")[0], [module])
    return " ".join(sorted(set(found)))


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or ['no reason given'])[0]}"


def _devices() -> Iterator[str]:
    yield f"cpu, {os.cpu_count()} cores"
    torch = _imported("torch")
    if torch is None:
        yield f"no torch, so that only served models and functions can be measured: {install_line('local')}"
        return
    for number in range(torch.cuda.device_count()):
        yield f"cuda:{number}, {torch.cuda.get_device_name(number)}"
    if torch.backends.mps.is_available():
        yield "mps"


def _corpora() -> Iterator[str]:
    from biascheck.corpora import bec_pro

    corpus = bec_pro()
    yield f"{corpus.name}: {len(corpus.pairs):,} pairs read"


def _models() -> Iterator[str]:
    """The models that come with a package, each loaded and asked; then those in the Hub's cache."""
    corpus = _few_pairs()
    for name in MODELS:
        yield f"{name}: {_trial(name, corpus)}"
    for name in downloaded_models():
        yield f"{name}: in the Hub's cache"


def _few_pairs() -> Corpus:
    from biascheck.corpora import bec_pro

    return bec_pro().where(template="is-a", persons="he-she")


def _trial(name: str, corpus: Corpus) -> str:
    """Load a model and measure it on a few pairs; else what is missing and how to get it."""
    import biascheck

    try:
        found = biascheck.measures.association(biascheck.load(name), corpus)
    except BiascheckError as error:
        return f"not ready: {error}"
    except Exception as error:
        return f"does not run ({_told(error)}): {install_line('local')}"
    return f"loaded and asked; association on {found.n} pairs is {found.estimate:+.2f}"


def _cached() -> Iterator[str]:
    from biascheck.core.inventory import entries_in
    from biascheck.core.store import cache_folder

    folder = cache_folder()
    entries = list(entries_in(folder))
    yield f"{folder}: {sum(entry.bytes for entry in entries) / 1e6:.1f} MB"
    for entry in entries:
        if entry.kind in ("models", "checkpoints"):
            yield f"{entry.kind.removesuffix('s')} {entry.path.name}, {entry.bytes / 1e6:.1f} MB"


def _data(folder: Path | None) -> Iterator[str]:
    from biascheck.corpora.published import data_directory

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
    from biascheck.corpora.published import data_sets

    known = {one.name: one.title for one in data_sets()}
    present = {each.name for each in folder.iterdir() if each.is_dir() and any(each.iterdir())}
    for name in sorted(known.keys() | present):
        state = "there" if name in present else f"missing: biascheck data fetch {name} --to {folder}"
        yield f"{name:18} {state}"


# List the models that need no download.


def models() -> None:
    """List the models that need no download."""
    downloaded = ((name, "downloaded before, in the Hub cache") for name in downloaded_models())
    for name, what in (*_own(), *downloaded):
        typer.echo(f"{name:38} {what}")
    typer.echo("Any local folder or Hub id of a masked or causal language model works too, and any served model that")
    typer.echo("gives log-probabilities: openai:URL#NAME, vllm:URL#NAME, llamacpp:URL.")


def _own() -> Iterator[tuple[str, str]]:
    from biascheck.models.local.bundled import REFERENCES
    from biascheck.models.local.loader import BUNDLED
    from biascheck.reference.specs import BUNDLED_DOSES

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


# List the measures: what they compute, what they need of a model, and which paper defined them.


def measures() -> None:
    """List the measures: statistic, smallest change that matters, what a model must be able to do, and the paper."""
    from biascheck.measures.measure import catalogue

    rows = [("measure", "figure", "smallest change", "needs a model that", "paper")]
    for entry in catalogue():
        what = entry.description
        needs = " or ".join(what.needs) or f"(made from {' or '.join(what.made_from) or 'another result'})"
        change = "-" if what.smallest_change is None else f"{what.smallest_change:g}"
        rows.append((what.name, what.statistic.replace("_", " "), change, needs, what.paper or "-"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
