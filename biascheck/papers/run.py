"""Run the tables of a paper, after saying how long they will take, and keep each as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from biascheck.core.errors import UsageError
from biascheck.core.identity import package_code
from biascheck.core.release import __version__
from biascheck.core.spans import Span
from biascheck.core.store import caching, digest_of, results_cache
from biascheck.models.base import embeds_in_context, fills_masks, has_states, rates_text, scores_text
from biascheck.models.scoring.queries import MaskedQuery, SentenceQuery, WordQuery
from biascheck.papers.page import (
    FinishedTable,
    Reproduction,
    read_reproduction,
    write_reproduction,
    write_reproduction_page,
)
from biascheck.papers.paper import Absent, Cell, DrawnFigure, Paper, PaperTable, Setting, Shown, Work, attempted, papers

# How long the tables will take, before they are run: their work, times the speed of this model on this machine.

PROBES = 24
WARMING = 2


@dataclass(frozen=True)
class Estimate:
    """Seconds and work by table, in their order, and the tokens that the model reads or is trained on in all.

    A training that several tables share is work of the first of them.
    """

    seconds: Mapping[str, float]
    works: Mapping[str, Work]
    tokens: int

    @property
    def total(self) -> float:
        """Seconds in all."""
        return sum(self.seconds.values())

    def lines(self) -> list[str]:
        """The estimate as printed before a reproduction starts."""
        rows = [
            f"  {name:12} {duration_text(self.seconds[name]):>16}   {work.text()}" for name, work in self.works.items()
        ]
        total = f"{duration_text(self.total)} in all on this machine, at most: cached results take no time"
        return [*rows, f"{total}. About {self.tokens:,} tokens, which a served model would bill; a local one is free."]


def estimate_of(works: Mapping[str, Work], model: Any) -> Estimate:
    """The estimate for these tables; the model reads a few sentences to be timed, unless there is nothing to read."""
    counted = _counted_once(works)
    busy = any(work.passes for work in counted.values())
    pace = seconds_per_pass(model) if busy else 0.0
    tokens = sum(work.sentences * work.tokens for work in counted.values())
    return Estimate({name: work.passes * pace for name, work in counted.items()}, counted, tokens)


def _counted_once(works: Mapping[str, Work]) -> dict[str, Work]:
    """The works in their order, without trainings that an earlier one has."""
    done: set[str] = set()
    counted = {}
    for name, work in works.items():
        counted[name] = work.after(done)
        done |= {training for training, _ in work.shared}
    return counted


def seconds_per_pass(model: Any) -> float:
    """The seconds for one sentence of about 16 tokens; 0 for a model that only looks words up."""
    ask = _reader(model)
    if ask is None:
        return 0.0
    ask(WARMING, 0)
    start = perf_counter()
    ask(PROBES, WARMING)
    return (perf_counter() - start) / PROBES


def duration_text(seconds: float) -> str:
    """A rough duration: "about 40 s", "about 3 min", "about 2.5 h"."""
    if seconds < 1:
        return "under a second"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def _reader(model: Any) -> Callable[[int, int], object] | None:
    """A function that lets the model read so many sentences, numbered from a start."""
    if fills_masks(model):
        return lambda count, start: model.fill([MaskedQuery(text, Span(4, 10)) for text in _texts(count, start)])
    if scores_text(model):
        return lambda count, start: model.likelihood([SentenceQuery(text) for text in _texts(count, start)])
    if rates_text(model):
        return lambda count, start: model.rate(_texts(count, start))
    if has_states(model):
        model = model.as_encoder()
    if embeds_in_context(model):
        return lambda count, start: model.words([WordQuery(text, Span(4, 10)) for text in _texts(count, start)])
    return None


def _texts(count: int, start: int) -> list[str]:
    """Distinct sentences, so that none is answered from memory; the person is at characters 4 to 10."""
    return [
        f"The person in room {number} said that the work would be done by the end."
        for number in range(start, start + count)
    ]


# Run the tables of a paper, keeping each as soon as it is finished.

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

    Tables that the JSON file at this place has already, from the same code, model, data, scale and seed, are kept.
    Results and checkpoints that a table needs come from the cache if an earlier run left them there.
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
    """The default place of a page: a file in this folder."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in model)[-LONGEST_NAME:]
    part = "" if scale == 1 else f"-scale-{scale:g}"
    return Path(f"{paper}-{name.strip('-.')}{part}.html")


def _begun(paper: Paper, setting: Setting, place: Path) -> Reproduction:
    """The reproduction of an earlier call at this place, without outdated tables; or a new one."""
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
