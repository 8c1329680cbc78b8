"""Run the tables of a paper, keeping each as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import caching, digest_of, results_cache
from biascheck.errors import UsageError
from biascheck.release import __version__
from biascheck.reproduce.cells import Absent, Cell, DrawnFigure, Shown, attempted
from biascheck.reproduce.estimate import estimate_of
from biascheck.reproduce.paper import Paper, PaperTable, papers
from biascheck.reproduce.reproduction import FinishedTable, Reproduction, read_reproduction, write_reproduction
from biascheck.reproduce.reproduction_page import write_reproduction_page
from biascheck.reproduce.setting import Setting

__all__ = ["default_place", "reproduce"]

Say = Callable[[str], None]
LONGEST_NAME = 60


def reproduce(
    paper: Paper,
    setting: Setting,
    place: Path,
    *,
    tables: Sequence[str] = (),
    estimate_only: bool = False,
    say: Say = print,
) -> Reproduction:
    """Run the paper's tables (all, unless some are named) and write page and JSON after each.

    Tables that the JSON file at this place has already, from the same code, model, data, scale and seed, are kept. What
    a table needs of results and checkpoints comes from the cache where an earlier run left it.
    """
    asked = [paper.table(name) for name in tables] or list(paper.tables)
    found = _begun(paper, setting, place)
    pending = [table for table in asked if table.name not in {kept.name for kept in found.tables}]
    _announce(found, asked, pending, setting, say)
    if estimate_only:
        return found
    _write(place, found)
    for table in pending:
        found = found.with_table(_finished(paper, table, setting))
        _write(place, found)
        done = found.tables[[kept.name for kept in found.tables].index(table.name)]
        say(f"  {table.name}: {done.state} ({done.seconds:.0f} s)")
    return found


def default_place(paper: str, model: str, scale: float) -> Path:
    """Where a page is written unless another place is named: a file in this folder."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in model)[-LONGEST_NAME:]
    part = "" if scale == 1 else f"-scale-{scale:g}"
    return Path(f"{paper}-{name.strip('-.')}{part}.html")


def _begun(paper: Paper, setting: Setting, place: Path) -> Reproduction:
    """What an earlier call left at this place, without tables that would come out differently now; or a new one."""
    new = Reproduction(
        paper=paper.name,
        title=paper.title,
        link=paper.link,
        model=setting.model_label,
        fingerprint=setting.model.fingerprint,
        scale=setting.scale,
        seed=setting.seed,
        version=__version__,
        about=paper.about,
        planned=tuple(table.name for table in paper.tables),
    )
    earlier = read_reproduction(place.with_suffix(".json"))
    if earlier is None:
        return new
    if earlier.question != new.question:
        at = f"{earlier.paper} on {earlier.model} at scale {earlier.scale:g}, seed {earlier.seed}"
        raise UsageError(f"{place.with_suffix('.json')} is of {at}; name another place with --out, or remove it")
    valid = {table.name: _digest(paper, table, setting) for table in paper.tables}
    for kept in earlier.tables:
        if valid.get(kept.name) == kept.digest:
            new = new.with_table(kept)
    return new


def _announce(
    found: Reproduction, asked: Sequence[PaperTable], pending: Sequence[PaperTable], setting: Setting, say: Say
) -> None:
    ready = len(asked) - len(pending)
    part = "" if setting.scale == 1 else f" at scale {setting.scale:g}"
    say(f"{found.paper} on {found.model}{part}: {len(pending)} tables and figures to run, {ready} finished before")
    if pending:
        works = {table.name: table.work(setting) for table in pending}
        for line in estimate_of(works, setting.model).lines():
            say(line)


def _finished(paper: Paper, table: PaperTable, setting: Setting) -> FinishedTable:
    start = perf_counter()
    with caching(results_cache()):
        shown = attempted(lambda: list(table.run(setting)))
    if isinstance(shown, Absent):
        shown = [Cell(row=table.title, ours=shown)]
    return _separately(paper, table, shown, setting, perf_counter() - start)


def _separately(
    paper: Paper, table: PaperTable, shown: Sequence[Shown], setting: Setting, seconds: float
) -> FinishedTable:
    return FinishedTable(
        name=table.name,
        title=table.title,
        about=table.about,
        digest=_digest(paper, table, setting),
        scale=setting.scale,
        cells=tuple(one for one in shown if isinstance(one, Cell)),
        drawings=tuple(one for one in shown if isinstance(one, DrawnFigure)),
        seconds=seconds,
    )


def _write(place: Path, found: Reproduction) -> None:
    write_reproduction(place.with_suffix(".json"), found)
    write_reproduction_page(place, found)


def _digest(paper: Paper, table: PaperTable, setting: Setting) -> str:
    """Everything a table depends on: code, printed figures, model, scale, seed, and the data files by size and date."""
    facts = [table.name, package_code(), _own_code(paper.name), setting.model.fingerprint, setting.scale, setting.seed]
    return digest_of([*facts, _printed(setting), [_listing(setting, name) for name in table.needs]])


def _printed(setting: Setting) -> str:
    return sha256(setting.figures.file.read_bytes()).hexdigest()


def _listing(setting: Setting, name: str) -> list[list[object]]:
    folder = None if setting.data is None else setting.data / name
    files = [] if folder is None or not folder.is_dir() else sorted(path for path in folder.glob("*") if path.is_file())
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in files]


@cache
def _own_code(paper: str) -> str:
    """A digest of this package as far as it concerns a paper: what all papers share, and the paper's own files."""
    home = Path(__file__).parent
    others = set(papers()) - {paper}
    files = [path for path in sorted(home.rglob("*.py")) if path.relative_to(home).parts[0].split(".")[0] not in others]
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
