"""Settings of a run: the command line over ``[tool.biascheck]`` over the defaults."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from biascheck.cache.shared_storage import is_address, local_folder, mirrored
from biascheck.errors import UsageError
from biascheck.search.remembering import NO_MEMORY, WORST_CASES

if TYPE_CHECKING:
    from biascheck.models.adapters.served.serving import ServedOptions

__all__ = ["Settings", "paths_of_command_line", "settings_of"]

TABLE = "[tool.biascheck]"
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
    profile: str = "standard"
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


def paths_of_command_line(config: pytest.Config) -> tuple[Path, ...]:
    """The files that the command line itself asks for, whatever the settings say."""
    given = [_path(config.getoption(f"--bias-{key.replace('_', '-')}")) for key in OUTPUTS]
    return tuple(path for path in given if path is not None)


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
    values["explicitly_requested"] = any(config.getoption(f"--bias-{key.replace('_', '-')}") for key in REQUESTING)
    values["worst_cases"] = _memory(config.rootpath, values["worst_cases"])
    assert set(values) <= {field.name for field in fields(Settings)}
    if not values.get("tolerance", 0.0) >= 0:
        raise pytest.UsageError(f"--bias-tolerance {values['tolerance']} is not allowed; give 0 or a positive number")
    if not 0 < values.get("share", 1.0) <= 1:
        raise pytest.UsageError(f"--bias-share {values['share']} is not between 0 and 1; 2 % is --bias-share 0.02")
    if values.get("framing", "raw") not in FRAMINGS:
        raise pytest.UsageError(f"--bias-framing {values['framing']} is not one of {', '.join(FRAMINGS)}")
    return Settings(**values)


def _chosen(config: pytest.Config, table: dict[str, Any], key: str) -> Any:
    given = config.getoption(f"--bias-{key.replace('_', '-')}")
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
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise pytest.UsageError(f"{file}: {error}") from error
    table = tool.get("biascheck", {})
    _check(table, file)
    return dict(table)


def _check(table: dict[str, Any], file: Path) -> None:
    for key, value in table.items():
        if key not in TYPES:
            raise pytest.UsageError(f"{file}: {TABLE} has no setting {key!r}; there are: {', '.join(sorted(TYPES))}")
        if not isinstance(value, TYPES[key]) or (isinstance(value, bool) and bool not in TYPES[key]):
            wanted = " or ".join(kind.__name__ for kind in TYPES[key])
            raise pytest.UsageError(f"{file}: {TABLE} {key} = {value!r} should be of type {wanted}")
