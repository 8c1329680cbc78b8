"""Options of a run: declared once, read from the command line over ``[tool.biascheck]`` over the defaults."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from biascheck.core.context import NO_MEMORY, WORST_CASES
from biascheck.core.errors import UsageError
from biascheck.core.shared_storage import is_address, local_folder, mirrored
from biascheck.core.wording import escape_control, shortened

if TYPE_CHECKING:
    from biascheck.models.served.model import ServedOptions


# The command line of the plugin. Every flag starts with ``--bias-``.


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Defaults are ``None``, so that ``[tool.biascheck]`` can fill them in."""
    group = parser.getgroup("bias", "bias in language models (biascheck)")
    add = group.addoption
    add(
        "--bias-model",
        action="append",
        metavar="MODEL",
        help="model to measure (repeatable): folder, .gguf file, Hub id, embedded model, reference:NAME, "
        "encoder:MODEL, vectors:FILE, vectors:FILE#hard-debiased, or a served model: openai:URL#NAME, vllm:URL#NAME, "
        "llamacpp:URL; NAME=MODEL gives it a name",
    )
    add("--bias-seed", type=int, metavar="N", help="seed of all resampling and permutations (default: 0)")
    add("--bias-base", metavar="MODEL", help="model that an adapter folder belongs to (default: the one it names)")
    add("--bias-device", metavar="DEVICE", help="device to run models on, e.g. cuda:0 or auto (default: cpu)")
    add("--bias-device-map", metavar="MAP", help="spread the layers of a model over devices, e.g. auto or balanced")
    add("--bias-token-budget", type=int, metavar="N", help="tokens that run at once, padding included (default: 2048)")
    add(
        "--bias-dtype",
        metavar="DTYPE",
        help="precision of the weights: float32 (default), float16, bfloat16 or float64",
    )
    add(
        "--bias-engine",
        metavar="WHERE",
        help="where models run: local (default), ray (a cluster on this machine), auto, HOST:PORT or ray://HOST:PORT; "
        "with several models, their suites are spread over the cluster, else the batches of each plan",
    )
    add("--bias-engine-actors", type=int, metavar="N", help="workers of the engine (default: as many as fit)")
    add("--bias-engine-cpus", type=float, metavar="N", help="processors of each worker (default: 1)")
    add("--bias-engine-gpus", type=float, metavar="N", help="GPUs of each worker (default: 0)")
    add("--bias-engine-threads", type=int, metavar="N", help="threads that compute in each worker (default: its cpus)")
    add("--bias-engine-chunk", type=int, metavar="N", help="tokens that are sent, or lost, at once (default: 16384)")
    add("--bias-framing", metavar="HOW", help="ask causal models raw (default), by their chat template (chat), or auto")
    add("--bias-profile", metavar="NAME", help="how much is asked of a model: strict, standard (default) or watch")
    add("--bias-recipe", metavar="NAME", help="recipe of suites/mitigation, e.g. bartl2020 (default: lora)")
    add("--bias-data", metavar="DIR", help="folder with the published data sets (default: $BIASCHECK_DATA)")
    add("--bias-results", metavar="FILE", help="write all results and gates to this JSON file")
    add("--bias-report", metavar="FILE", help="write an HTML report to this file")
    add("--bias-markdown", metavar="FILE", help="write a short summary as Markdown, e.g. for a pull request")
    add("--bias-code-quality", metavar="FILE", help="write failing gates as a GitLab Code Quality report")
    add("--bias-baseline", metavar="FILE", help="fail if a result is worse than in this baseline")
    add(
        "--bias-tolerance",
        type=float,
        metavar="X",
        help="how much further from parity than its baseline a result may be (default: what its measure states)",
    )
    add("--bias-update-baseline", action="store_true", default=None, help="write this run's results to --bias-baseline")
    add(
        "--bias-update-incomplete",
        action="store_true",
        default=None,
        help="with --bias-update-baseline: also after an incomplete run",
    )
    add(
        "--bias-allow-other-runtime",
        action="store_true",
        default=None,
        help="compare with a baseline although another runtime (transformers, vLLM, llama.cpp) measured it",
    )
    add("--bias-plan", action="store_true", default=None, help="measure nothing: say what the run would cost")
    add("--bias-max-requests", type=int, metavar="N", help="served models: make at most so many requests in all")
    add("--bias-concurrency", type=int, metavar="N", help="served models: ask so many texts at a time")
    add("--bias-price", type=float, metavar="X", help="served models: price of a million tokens, for the estimate")
    add("--bias-worst-cases", metavar="FILE", help="memory of worst cases, or none (default: bias/worst_cases.jsonl)")
    add(
        "--bias-paper-sizes",
        action="store_true",
        default=None,
        help="let suites take as many words as their paper did, beside whose figures theirs then are (slow)",
    )
    add(
        "--bias-share",
        type=float,
        metavar="X",
        help="ask only this share of the published benchmark items that a suite would ask, drawn alike from every "
        "template and condition, e.g. 0.02 (default: 1)",
    )
    add("--bias-no-cache", action="store_true", default=None, help="ignore the cache: measure everything again")
    add("--bias-allow-pickle", action="store_true", default=None, help="also load pickled weights (unsafe)")
    add("--bias-trust-remote-code", action="store_true", default=None, help="run code that comes with a model (unsafe)")


# Settings of a run: the command line over ``[tool.biascheck]`` over the defaults.

TABLE = "[tool.biascheck]"
DEFAULT_PROFILE = "standard"
MOST = 2**63 - 1
TYPES: dict[str, tuple[type, ...]] = {
    "model": (str, list),
    "seed": (int,),
    "base": (str,),
    "device": (str,),
    "device_map": (str,),
    "token_budget": (int,),
    "dtype": (str,),
    "engine": (str,),
    "engine_actors": (int,),
    "engine_cpus": (int, float),
    "engine_gpus": (int, float),
    "engine_threads": (int,),
    "engine_chunk": (int,),
    "framing": (str,),
    "profile": (str,),
    "recipe": (str,),
    "data": (str,),
    "results": (str,),
    "report": (str,),
    "markdown": (str,),
    "code_quality": (str,),
    "baseline": (str,),
    "tolerance": (int, float),
    "allow_other_runtime": (bool,),
    "max_requests": (int,),
    "concurrency": (int,),
    "price": (int, float),
    "worst_cases": (str,),
    "paper_sizes": (bool,),
    "share": (int, float),
    "no_cache": (bool,),
    "allow_pickle": (bool,),
    "trust_remote_code": (bool,),
}
FRAMINGS = ("raw", "chat", "auto")
# In the table these are relative to its file, on the command line to where the command runs.
OUTPUTS = ("results", "report", "markdown", "code_quality")
PATHS = ("data", *OUTPUTS, "baseline", "worst_cases")
# What is asked for on the command line is expected to happen; in the table it is a default for runs with bias tests.
REQUESTING = ("model", *OUTPUTS, "baseline", "update_baseline")
# Said for one run, never for all of them.
COMMAND_LINE_ONLY = ("update_baseline", "update_incomplete", "plan")


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do."""

    models: tuple[str, ...] = ()
    seed: int = 0
    base: str | None = None
    device: str | None = None
    device_map: str | None = None
    token_budget: int | None = None
    dtype: str = "float32"
    engine: str = "local"
    engine_actors: int | None = None
    engine_cpus: float = 1
    engine_gpus: float = 0
    engine_threads: int | None = None
    engine_chunk: int | None = None
    framing: Literal["raw", "chat", "auto"] = "raw"
    profile: str = DEFAULT_PROFILE
    recipe: str = "lora"
    data: Path | None = None
    results: Path | None = None
    report: Path | None = None
    markdown: Path | None = None
    code_quality: Path | None = None
    baseline: Path | None = None
    tolerance: float | None = None
    """How much worse a result may be than its entry in the baseline; each measure says so itself if none is given."""
    allow_other_runtime: bool = False
    max_requests: int | None = None
    concurrency: int | None = None
    price: float | None = None
    plan: bool = False
    """Whether the run only says what it would cost."""
    update_baseline: bool = False
    update_incomplete: bool = False
    worst_cases: Path | None = None
    paper_sizes: bool = False
    share: float = 1.0
    """How much is asked of the published benchmark items that a suite would ask."""
    addresses: tuple[str, ...] = ()
    """Outputs that are sent to a store, after they are written here."""
    cache: bool = True
    allow_pickle: bool = False
    trust_remote_code: bool = False
    explicitly_requested: bool = False
    """Whether the command line itself asks for bias gates: then a run that judges nothing does not pass."""

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The files that the run writes."""
        return tuple(path for name in OUTPUTS if (path := getattr(self, name)) is not None)

    @property
    def sent(self) -> dict[Path, str]:
        """The outputs that are sent to a store, and where."""
        return {path: address for address in self.addresses if (path := _path(address)) is not None}

    @property
    def served(self) -> ServedOptions:
        """The options of served models; workers share the budget."""
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        return {
            "max_requests": None if self.max_requests is None else max(1, self.max_requests // workers),
            "concurrency": self.concurrency,
            "price": self.price,
            "cache_answers": self.cache,
        }


_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """The settings, read once for each run."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _resolve(config)
    return config.stash[_SETTINGS]


def paths_of_command_line(config: pytest.Config) -> dict[str, Path]:
    """The files that the command line itself asks for by their flags, whatever the settings say."""
    return _paths_given(config, OUTPUTS)


def inputs_of_command_line(config: pytest.Config) -> dict[str, Path]:
    """The files that a run reads and may write, by their flags, as far as the command line names them."""
    return _paths_given(config, ("baseline", "worst_cases"))


def flag_of(key: str) -> str:
    """A setting as the command line spells it."""
    return f"--bias-{key.replace('_', '-')}"


def _paths_given(config: pytest.Config, keys: Iterable[str]) -> dict[str, Path]:
    return {flag_of(key): path for key in keys if (path := _path(config.getoption(flag_of(key)))) is not None}


def _resolve(config: pytest.Config) -> Settings:
    table = _table(config.rootpath / "pyproject.toml")
    table |= {key: str(config.rootpath / table[key]) for key in PATHS if key in table and not is_address(table[key])}
    chosen = {key: _chosen(config, table, key) for key in (*TYPES, *COMMAND_LINE_ONLY)}
    chosen["data"] = chosen["data"] or os.environ.get("BIASCHECK_DATA")
    model = chosen.pop("model")
    values: dict[str, Any] = {
        "models": tuple([model] if isinstance(model, str) else model or ()),
        "cache": not chosen.pop("no_cache"),
        "addresses": tuple(chosen[key] for key in OUTPUTS if is_address(chosen[key])),
        "data": _data(chosen.pop("data")),
        **{key: _path(chosen.pop(key)) for key in PATHS if key != "data"},
    }
    values |= {key: value for key, value in chosen.items() if value is not None}
    values["explicitly_requested"] = any(config.getoption(flag_of(key)) for key in REQUESTING)
    values["worst_cases"] = _memory(config.rootpath, values["worst_cases"])
    assert set(values) <= {field.name for field in fields(Settings)}
    if not values.get("tolerance", 0.0) >= 0:
        raise pytest.UsageError(f"--bias-tolerance {values['tolerance']} is not allowed; give 0 or a positive number")
    if not 0 < values.get("share", 1.0) <= 1:
        raise pytest.UsageError(f"--bias-share {values['share']} is not between 0 and 1; 2 % is --bias-share 0.02")
    if values.get("framing", "raw") not in FRAMINGS:
        raise pytest.UsageError(f"--bias-framing {values['framing']} is not one of {', '.join(FRAMINGS)}")
    _require_profile(config, values.get("profile", DEFAULT_PROFILE))
    return Settings(**values)


def _chosen(config: pytest.Config, table: dict[str, Any], key: str) -> Any:
    given = config.getoption(flag_of(key))
    return table.get(key) if given is None else given


def _path(value: str | None) -> Path | None:
    """A path from where the command runs; of an address, the place where its file is written before it is sent."""
    if value is None:
        return None
    if is_address(value):
        return local_folder(value) / value.rpartition("/")[2]
    return Path.cwd() / Path(value).expanduser()


def _memory(root: Path, chosen: Path | None) -> Path | None:
    """The file that remembers worst cases; "none" keeps no memory."""
    return None if chosen is not None and chosen.name == NO_MEMORY else chosen or root / WORST_CASES


def _data(value: str | None) -> Path | None:
    if value is None or not is_address(value):
        return _path(value)
    try:
        return mirrored(value)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def _table(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise pytest.UsageError(f"{file}: too deeply nested to be read; correct it") from error
    except (OSError, ValueError) as error:  # ValueError: not TOML, not UTF-8, a number that Python refuses
        raise pytest.UsageError(f"{file}: {escape_control(str(error))}") from error
    table = document.get("tool", {})
    for name, above in (("biascheck", "tool"), ("", "tool.biascheck")):
        if not isinstance(table, dict):
            raise pytest.UsageError(
                f"{file}: {above} = {_shown(table)} is no table; write [{above}] and settings below"
            )
        table = table.get(name, {}) if name else table
    _check(table, file)
    return dict(table)


def _check(table: dict[str, Any], file: Path) -> None:
    for key, value in table.items():
        where = f"{file}: {TABLE} {escape_control(key)}"
        if key not in TYPES:
            known = ", ".join(sorted(TYPES))
            raise pytest.UsageError(f"{file}: {TABLE} has no setting {_shown(key)}; there are: {known}")
        if not isinstance(value, TYPES[key]) or (isinstance(value, bool) and bool not in TYPES[key]):
            wanted = " or ".join(kind.__name__ for kind in TYPES[key])
            raise pytest.UsageError(f"{where} = {_shown(value)} should be of type {wanted}")
        if isinstance(value, list) and not all(isinstance(one, str) for one in value):
            raise pytest.UsageError(f"{where} = {_shown(value)} should be a list of texts, one for each model")
        if isinstance(value, int | float) and not abs(value) <= MOST:
            raise pytest.UsageError(f"{where} = {_shown(value)} is no number that a run can use; give a smaller one")
        if any("\0" in text for text in ([value] if isinstance(value, str) else ())):
            raise pytest.UsageError(f"{where} = {_shown(value)} has a character that no name has; remove it")


def _shown(value: object) -> str:
    try:
        return shortened(escape_control(repr(value)), 80)
    except ValueError:  # a whole number of thousands of digits
        return "a number of very many digits"


# A profile is known to every margins.toml, or to one that the tests of this run may read.

MARGINS = "margins.toml"


def _require_profile(config: pytest.Config, name: str) -> None:
    """Refuse a profile that neither we nor a file of margins near the tests have; whoever reads it may be skipped."""
    if name == DEFAULT_PROFILE:
        return
    from biascheck.gates.margins import PROFILES, profiles_of

    known = dict.fromkeys(PROFILES)
    files = _files_of_margins(config)
    while name not in known and (file := next(files, None)) is not None:
        with suppress(UsageError):  # a file that cannot be read is refused where a test reads it
            known |= dict.fromkeys(profiles_of(file))
    if name not in known:
        listed = escape_control(", ".join(known))
        raise pytest.UsageError(f"there is no profile {_shown(name)} (--bias-profile); there are: {listed}")


def _files_of_margins(config: pytest.Config) -> Iterator[Path]:
    """The files beside the tests of the run, above them, below them, and anywhere below the root, each once."""
    seen: set[Path] = set()
    places = [Path(config.invocation_params.dir, str(one).partition("::")[0]) for one in config.args]
    for folder in (*(place if place.is_dir() else place.parent for place in places), config.rootpath):
        above = (one / MARGINS for one in (folder, *folder.parents) if one.is_relative_to(config.rootpath))
        for file in chain(above, _below(folder, config.getini("norecursedirs"))):
            if file not in seen and file.is_file():
                yield file
            seen.add(file)


def _below(folder: Path, ignored: Sequence[str]) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if not any(fnmatch(one, pattern) for pattern in ignored))
        if MARGINS in files:
            yield Path(here, MARGINS)
