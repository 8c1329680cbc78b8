"""``biascheck init``: start a project with bias gates."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.files import write_atomically
from biascheck.core.release import __version__, suites_home
from biascheck.models.served.transport import is_served

# The files of ``biascheck init``, and its treatment of existing files.

TEMPLATES = Path(__file__).parent / "templates"
FOLDER = "bias"
MANIFEST = f"{FOLDER}/.biascheck.json"
GITHUB = ".github/workflows/bias.yml"
GITLAB = f"{FOLDER}/gitlab-ci.yml"
GITLAB_ROOT = ".gitlab-ci.yml"
TABLE = re.compile(r"^\[(?P<suite>[\w-]+)\.", re.MULTILINE)


class FileOutcome(StrEnum):
    """What happened to a file."""

    WRITTEN = "written"
    REFRESHED = "refreshed"
    OVERWRITTEN = "overwritten"
    UNCHANGED = "unchanged"
    KEPT = "kept, you have edited it"


def available_suites() -> list[str]:
    """The suites that can be chosen: every folder that holds tests."""
    return sorted(folder.name for folder in suites_home().iterdir() if list(folder.glob("test_*.py")))


def chosen_suites(listed: str) -> list[str]:
    """The suites of a list with commas, or all of them; one that does not exist is refused with those that do."""
    known = available_suites()
    chosen = known if listed == "all" else [name.strip() for name in listed.split(",") if name.strip()]
    if unknown := sorted(set(chosen) - set(known)):
        raise UsageError(f"there is no suite {', '.join(unknown)}; there are: {', '.join(known)}")
    return chosen


def starter_files(suites: Sequence[str], ci: Sequence[str], model: str) -> dict[str, str]:
    """Every file by its path in the project."""
    home = suites_home()
    if unknown := sorted(set(suites) - set(available_suites())):
        raise UsageError(f"there is no suite {', '.join(unknown)}; there are: {', '.join(available_suites())}")
    files = {
        f"{FOLDER}/{path.relative_to(home).as_posix()}": path.read_text(encoding="utf-8")
        for suite in suites
        for path in sorted((home / suite).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    own = _template("margins.toml")
    files[f"{FOLDER}/margins.toml"] = f"{_tables_of(home / 'margins.toml', suites)}\n{own}"
    files[f"{FOLDER}/published.toml"] = _tables_of(home / "published.toml", suites)
    files[f"{FOLDER}/test_own.py"] = _template("test_own.py.txt")
    files[f"{FOLDER}/README.md"] = _template("README.md")
    if "github" in ci:
        files[GITHUB] = _workflow("github.yml", model)
    if "gitlab" in ci:
        files[GITLAB] = _workflow("gitlab.yml", model)
        files[GITLAB_ROOT] = f"include:\n  - local: {GITLAB}\n"
    return files


def next_steps(folder: Path, ci: Sequence[str], model: str) -> list[str]:
    """The next steps after the files are written, in order."""
    place, named = shlex.quote(str(folder / FOLDER)), shlex.quote(model)
    baseline = shlex.quote(str(folder / FOLDER / "baseline.json"))
    steps = [
        f"run the gates: pytest {place} --bias-model {named}",
        f"set your own margins and their reasons in {folder / FOLDER / 'margins.toml'}",
        "write the baseline, look at it and commit it: "
        f"pytest {place} --bias-model {named} --bias-baseline {baseline} --bias-update-baseline",
    ]
    if ci:
        steps.append(f"commit the workflow for {' and '.join(ci)}; it fails as long as there is no baseline")
    return [f"{number}. {step}" for number, step in enumerate(steps, start=1)]


def write_starter(
    folder: Path, files: Mapping[str, str], may_overwrite: Callable[[str], bool]
) -> dict[str, FileOutcome]:
    """Write the files that are missing or unedited since an earlier call; confirm each edited one."""
    known = _known(folder / MANIFEST)
    outcomes = {}
    for name, text in files.items():
        outcomes[name] = _outcome(folder / name, text, known.get(name), may_overwrite)
        if outcomes[name] is not FileOutcome.KEPT:
            write_atomically(folder / name, text)
            known[name] = _digest(text)
    write_atomically(folder / MANIFEST, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return outcomes


def _outcome(path: Path, text: str, known: str | None, may_overwrite: Callable[[str], bool]) -> FileOutcome:
    if not path.exists():
        return FileOutcome.WRITTEN
    present = path.read_bytes().decode("utf-8", errors="replace")
    if present == text:
        return FileOutcome.UNCHANGED
    if _digest(present) == known:
        return FileOutcome.REFRESHED
    return FileOutcome.OVERWRITTEN if may_overwrite(str(path)) else FileOutcome.KEPT


def _known(path: Path) -> dict[str, str]:
    """The digests of the files as they were written; a damaged list counts every file as edited."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def _tables_of(path: Path, suites: Sequence[str]) -> str:
    """The tables of these suites, with the comment at the top of the file."""
    text = path.read_text(encoding="utf-8")
    starts = [match.start() for match in TABLE.finditer(text)]
    blocks = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    chosen = [block for block in blocks if TABLE.match(block)["suite"] in suites]  # type: ignore[index]
    return text[: starts[0]] + "".join(chosen) if starts else text


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _workflow(name: str, model: str) -> str:
    """A workflow pinned to this release: an upgrade must not change what CI measures against an older baseline."""
    extra = "" if is_served(model) else "[local]"
    known = {
        "version": __version__,
        "model": json.dumps(model),
        "requirement": f"'pytest-biascheck{extra}=={__version__}'",
    }
    text = _template(name)
    for field, value in known.items():
        text = text.replace(f"{{{{ {field} }}}}", value)
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Start a project with bias gates.


class Ci(StrEnum):
    """The CI systems that have a workflow."""

    GITHUB = "github"
    GITLAB = "gitlab"
    BOTH = "both"
    NONE = "none"


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="the project; bias/ is written into it")] = Path(),
    suites: Annotated[str, typer.Option(help="suites, separated by commas, or all")] = "all",
    ci: Annotated[Ci, typer.Option(help="the CI system to write a workflow for")] = Ci.GITHUB,
    model: Annotated[str, typer.Option(help="the model that CI measures: a folder or a Hub id")] = "./checkpoint",
    force: Annotated[bool, typer.Option("--force", help="overwrite files that you have edited")] = False,
) -> None:
    """Write a folder bias/ with suites, margins and a test of your own, and a workflow for CI.

    Run it again after an upgrade: files that you have not edited are refreshed, edited ones are kept unless you agree.
    """
    chosen = chosen_suites(suites)
    systems = {Ci.BOTH: ["github", "gitlab"], Ci.NONE: []}.get(ci, [str(ci)])
    files = starter_files(chosen, systems, model)
    if foreign := _foreign_gitlab(folder, files):
        del files[GITLAB_ROOT]
    try:
        outcomes = write_starter(folder, files, lambda name: force or _agreed(name))
    except OSError as error:
        raise BiascheckError(f"{folder} cannot be written ({error.strerror}); name another folder") from error
    _tell(outcomes)
    if foreign:
        typer.echo(f"add to your {GITLAB_ROOT}:\n  include:\n    - local: {GITLAB}")
    typer.echo("next:")
    for step in next_steps(folder, systems, model):
        typer.echo(f"  {step}")


def _foreign_gitlab(folder: Path, files: dict[str, str]) -> bool:
    """The line to add to a .gitlab-ci.yml, which is never changed."""
    path = folder / GITLAB_ROOT
    return GITLAB_ROOT in files and path.exists() and path.read_text(encoding="utf-8") != files[GITLAB_ROOT]


def _agreed(name: str) -> bool:
    return sys.stdin.isatty() and typer.confirm(f"{name} was edited. Overwrite it?", default=False)


def _tell(outcomes: dict[str, FileOutcome]) -> None:
    for outcome in FileOutcome:
        names = [name for name, found in outcomes.items() if found is outcome]
        if outcome is FileOutcome.UNCHANGED and names:
            typer.echo(f"{outcome}: {len(names)} files")
            continue
        for name in names:
            typer.echo(f"{outcome}: {name}")
    if FileOutcome.KEPT in outcomes.values():
        typer.echo("--force overwrites edited files")
