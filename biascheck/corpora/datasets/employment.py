"""Employment attributes: job titles, traits and skills beside he and she (Kurita et al. 2019, section 5)."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, get_args

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.data_directory import data_file
from biascheck.corpora.loaded import LeftOut, Loaded
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["EmploymentKind", "employment", "published_employment"]

EmploymentKind = Literal["titles", "positive_traits", "negative_traits", "skills"]

HE_SHE = (Target("he", "male"), Target("she", "female"))
IS = Template("{target} is {attribute}.", "is")
CAN_DO = Template("{target} can do {attribute}.", "can-do")

OWN_FILES = {
    "titles": "job_titles.txt",
    "positive_traits": "positive_traits.txt",
    "negative_traits": "negative_traits.txt",
    "skills": "skills.txt",
}
PUBLISHED_FILES = {
    "titles": "employeesalaries2017.csv",
    "positive_traits": "positive_traits",
    "negative_traits": "negative_traits",
    "skills": "in_demand_tech_skills",
}
FILLERS = {
    "titles": ("employee", "worker", "colleague"),
    "positive_traits": ("ordinary", "average", "typical"),
    "negative_traits": ("ordinary", "average", "typical"),
    "skills": ("something", "this", "it"),
}
HIGHEST_PAID = 1000


def employment(kind: EmploymentKind) -> Corpus:
    """He and she beside our own word lists, in the templates of Kurita et al. 2019, section 5.

    "T is A." for titles and traits, "T can do A." for skills. The titles have no article, as
    in the paper. The words are chosen for this package: common single words, none of them a person of
    one gender by form. The share of attributes with a positive gap is the paper's figure; 0.5 is parity.
    """
    _check(kind)
    text = files("biascheck.corpora").joinpath("data", OWN_FILES[kind]).read_text(encoding="utf-8")
    return _corpus(f"employment-{kind}", kind, text.split())


def published_employment(kind: EmploymentKind, folder: str | Path | None = None) -> Loaded:
    """The lists Kurita et al. published, in lower case and each word once.

    Titles are the first 1,000 rows of the 2017 salary file by falling salary, ties in the order of the
    file. Repetitions and cells without letters are listed as left out. The files hold 227 different
    titles among these rows, 230 positive traits, 363 negative traits (365 lines) and 25 skills; the
    paper speaks of 234 and 292 traits.
    """
    _check(kind)
    path = data_file(folder, "kurita", PUBLISHED_FILES[kind])
    lines = _highest_paid(path) if kind == "titles" else path.read_text(encoding="utf-8").splitlines()
    words, left_out = _each_once(lines)
    return Loaded(_corpus(f"published-employment-{kind}", kind, words), left_out)


def _corpus(name: str, kind: EmploymentKind, words: Iterable[str]) -> Corpus:
    template = CAN_DO if kind == "skills" else IS
    attributes = [Attribute(word, {"kind": kind}) for word in words]
    pairs = cross([template], [HE_SHE], attributes)
    return Corpus(name, ("male", "female"), pairs, fillers=FILLERS[kind], paper="kurita2019")


def _check(kind: str) -> None:
    if kind not in get_args(EmploymentKind):
        raise CorpusError(f"employment has no kind {kind!r}; choose one of {list(get_args(EmploymentKind))}")


def _highest_paid(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    missing = {"Job Title", "2017 Annual Salary"} - set(rows[0] if rows else ())
    if missing:
        raise CorpusError(f"{path} has no column {sorted(missing)}; it must be the 2017 salaries file")
    rows.sort(key=lambda row: -float(row["2017 Annual Salary"] or 0))  # stable: ties keep the file's order
    return [row["Job Title"] for row in rows[:HIGHEST_PAID]]


def _each_once(lines: Iterable[str]) -> tuple[list[str], tuple[LeftOut, ...]]:
    words: dict[str, None] = {}
    left_out = []
    for number, line in enumerate(lines, start=1):
        word = line.strip().lower()
        if word in words or not any(map(str.isalpha, word)):
            left_out.append(LeftOut(f"{number}: {word}", "repeated" if word in words else "no letters"))
        else:
            words[word] = None
    return list(words), tuple(left_out)
