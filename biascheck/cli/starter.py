"""What ``biascheck init`` puts into a project, and how it treats files that are there already."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from biascheck.errors import UsageError
from biascheck.files import write_atomically
from biascheck.models.adapters.served.endpoint import is_served
from biascheck.release import __version__, suites_home

__all__ = ["FileOutcome", "available_suites", "chosen_suites", "next_steps", "starter_files", "write_starter"]

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
    """What to do after the files are written, in the order in which it is done."""
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
    """Write the files that are missing or as an earlier call left them; ask for each that was edited since."""
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
    """A workflow for this release: an upgrade must not change what CI measures behind the back of a baseline."""
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
