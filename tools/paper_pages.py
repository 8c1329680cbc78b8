"""A page for each paper and benchmark: what its suite asks, the exact commands, the data, the gates and the card.

Everything comes from the suites themselves, so that a page cannot say something else than what is run.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from biascheck.corpora.published import data_sets
from biascheck.results.measurement_card import MeasurementCard

ROOT = Path(__file__).resolve().parents[1]
SUITES = ROOT / "suites"
MODEL = "bert-base-uncased"
TITLES = {
    "bartl2020": "Bartl et al. 2020: BEC-Pro",
    "basta2019": "Basta et al. 2019: gender in the space of word vectors",
    "caliskan2017": "Caliskan et al. 2017 and May et al. 2019: WEAT and SEAT",
    "jentzsch2022": "Jentzsch & Turan 2022: sentiment classifiers",
    "kurita2019": "Kurita et al. 2019: the log-probability score",
    "manela2021": "De Vassimon Manela et al. 2021: skew and stereotype",
    "nadeem2021": "Nadeem et al. 2021: StereoSet",
    "nangia2020": "Nangia et al. 2020: CrowS-Pairs",
    "parrish2022": "Parrish et al. 2022: BBQ",
    "rudinger2018": "Rudinger et al. 2018: Winogender",
    "tamkin2023": "Tamkin et al. 2023: discrim-eval",
}
DATA = {
    "bartl2020": ("becpro",),
    "basta2019": ("debiaswe", "gap"),
    "caliskan2017": ("weat", "seat"),
    "jentzsch2022": ("imdb",),
    "kurita2019": ("gap", "kurita", "weat"),
    "manela2021": ("winobias",),
    "nadeem2021": ("stereoset",),
    "nangia2020": ("crows_pairs",),
    "parrish2022": ("bbq", "kobbq", "esbbq"),
    "rudinger2018": ("winogender",),
    "tamkin2023": ("discrim_eval",),
}
"""Folders of the data directory with the published items of a suite."""
REPRODUCED = {
    "bartl2020": "reproduce-a-paper",
    "basta2019": "basta-et-al-2019",
    "jentzsch2022": "jentzsch-turan-2022",
    "kurita2019": "kurita-et-al-2019",
    "manela2021": "de-vassimon-manela-et-al-2021",
}
"""Papers whose tables can be reproduced, with the heading on the page about it."""


def pages() -> dict[str, str]:
    """The text of every page by its name in the site."""
    return {f"papers/{suite}.md": page(suite) for suite in TITLES}


def page(suite: str) -> str:
    """One page."""
    parts = [f"# {TITLES[suite]}", _about(suite), _commands(suite), _data(suite), _gates(suite), _card(suite)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(suite: str) -> str:
    files = sorted((SUITES / suite).glob("test_*.py"))
    texts = [ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in files]
    return "\n\n".join(text.replace("``", "`") for text in texts if text)


def _commands(suite: str) -> str:
    lines = [f"biascheck run {MODEL} --suites {suite} --data DIR --report {suite}.html"]
    after = ""
    if anchor := REPRODUCED.get(suite):
        lines.append(f"biascheck reproduce {suite} --model {MODEL} --data DIR")
        after = (
            "\n\nThe first judges the model by the gates below. The second runs the paper's own tables and figures, "
            f"beside what was printed: [what it runs](../reproduce.md#{anchor})."
        )
    block = "\n".join(lines)
    return f"## On {MODEL}\n\n```sh\n{block}\n```{after}"


def _data(suite: str) -> str:
    known = {one.name: one for one in data_sets()}
    rows, fetched = [], []
    for name in DATA[suite]:
        if one := known.get(name):
            fetched.append(name)
            rows.append(f"| `{name}` | {one.title} | {one.licence} | github.com/{one.source}, commit {one.commit} |")
        else:
            rows.append(f"| `{name}` | put there by hand | | [where from](../reproduce.md#where-the-data-come-from) |")
    table = "\n".join(["| folder | what | licence | source |", "|---|---|---|---|", *rows])
    command = f"\n\n```sh\nbiascheck data fetch {' '.join(fetched)} --to DIR\n```" if fetched else ""
    opening = "Without `--data` the suite asks items of our own. None of the published data are shipped."
    return f"## Data\n\n{opening}\n\n{table}{command}"


def _gates(suite: str) -> str:
    tables = tomllib.loads((SUITES / "margins.toml").read_text(encoding="utf-8")).get(suite, {})
    rows = [f"| `{suite}.{name}` | {_margin(entry)} | {entry.get('reason', '')} |" for name, entry in _entries(tables)]
    if not rows:
        return ""
    head = ["| margin | strict · standard · watch | reason |", "|---|---|---|"]
    return "## Gates\n\n" + "\n".join([*head, *(row.replace("\n", " ") for row in rows)])


def _entries(table: dict[str, object], prefix: str = "") -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    for name, value in table.items():
        if isinstance(value, dict) and not {"margin", "bound"} & set(value):
            found += _entries(value, f"{prefix}{name}.")
        elif isinstance(value, dict):
            found.append((prefix + name, value))
    return found


def _margin(entry: dict[str, object]) -> str:
    kind, sign = ("margin", "±") if "margin" in entry else ("bound", "<")
    value = entry[kind]
    values = list(value.values()) if isinstance(value, dict) else [value]
    return f"{sign} " + " · ".join(f"{one:g}" for one in values)


def _card(suite: str) -> str:
    path = SUITES / suite / "card.toml"
    if not path.is_file():
        return ""
    rows = [f"| {name} | {text} |" for name, text in MeasurementCard.read(path).rows]
    return "## Measurement card\n\n" + "\n".join(["| | |", "|---|---|", *rows])
