"""Running text: documents with a name and a fingerprint, from files, from published data, from reviews."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, cast

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora.published import data_file, part_name
from biascheck.corpora.sentence import refuse_repeated

if TYPE_CHECKING:
    from biascheck.corpora.reviews import Reviews

GapPart = Literal["development", "validation", "test", "all"]
GAP_PARTS = ("development", "validation", "test")
TEXT_COLUMNS = ("Text", "text")


@dataclass(frozen=True, slots=True)
class Document:
    """A text. ``origin`` is the document a version was made from, ``names`` the people that the source names in it."""

    id: str
    text: str
    origin: str = ""
    names: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The id of the document this one is a version of; its own, if it is none."""
        return self.origin or self.id


@dataclass(frozen=True)
class Documents:
    """Documents under a name, with a fingerprint of all that affects a model trained or measured on them."""

    name: str
    items: tuple[Document, ...]
    language: str = "en"
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not any(item.text.strip() for item in self.items):
            raise CorpusError(f"documents {self.name!r} have no text; missing data never passes")
        refuse_repeated(
            (item.id for item in self.items), f"documents {self.name!r}", "give every document an id of its own"
        )

    @classmethod
    def of(cls, name: str, texts: Iterable[str], *, language: str = "en") -> Documents:
        """Texts in their order, numbered."""
        return cls(name, tuple(Document(f"{name}-{n}", text) for n, text in enumerate(texts)), language)

    @classmethod
    def of_reviews(cls, reviews: Reviews) -> Documents:
        """The texts of labelled reviews, without their labels."""
        return cls(reviews.name, tuple(Document(item.id, item.text, item.origin) for item in reviews))

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.items)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of ids, texts and names, in their order: training sees them in it."""
        facts = [self.language, self.warnings, [[d.id, d.text, d.origin, d.names] for d in self.items]]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    @property
    def texts(self) -> list[str]:
        """All texts, in order."""
        return [item.text for item in self.items]

    def first(self, count: int) -> Documents:
        """The first ``count`` documents."""
        return replace(self, name=f"{self.name}·{count}", items=self.items[:count])

    def split(self, share: float, *, seed: int = 0) -> tuple[Documents, Documents]:
        """Two parts, the second with about this share of the documents; versions of one document stay together.

        The part a document belongs to follows from the seed and its own id, so that it does not change when others are
        added or removed.
        """
        coins = {item.source: coin_of("split", seed, item.source) for item in self.items}
        ranked = sorted(coins, key=coins.__getitem__)
        if len(ranked) < 2:
            raise CorpusError(f"{self.name!r} has one document; a part to hold out needs at least two")
        count = sum(coin < share for coin in coins.values())
        chosen = set(ranked[: min(max(1, count), len(ranked) - 1)])
        kept = tuple(item for item in self.items if item.source not in chosen)
        aside = tuple(item for item in self.items if item.source in chosen)
        return replace(self, items=kept), replace(self, name=f"{self.name}·held out", items=aside)


def read_documents(file: str | Path, *, name: str | None = None, language: str = "en") -> Documents:
    """Documents from a file: one per line, or the column ``Text`` of a .tsv or .csv; .gz is unpacked."""
    path = Path(file)
    if not path.is_file():
        raise DataNotFoundError(
            f"{path} does not exist; give a file with one text per line, or a .tsv with a column Text"
        )
    return Documents.of(name or path.name.split(".")[0], read_texts(path), language=language)


def read_texts(path: Path) -> list[str]:
    """One text per line, or the column ``Text`` of a .tsv or .csv file; .gz is unpacked."""
    tables = {".tsv": "\t", ".csv": ","}
    delimiter = next((tables[suffix] for suffix in path.suffixes if suffix in tables), None)
    with _open_text(path) as stream:
        if delimiter is None:
            return [line.strip() for line in stream if line.strip()]
        csv.field_size_limit(1 << 24)
        rows = _table(stream) if delimiter == "\t" else csv.DictReader(stream)
        column = next((column for column in TEXT_COLUMNS if column in (rows.fieldnames or ())), None)
        if column is None:
            raise CorpusError(f"{path.name} lacks the column Text; it has {list(rows.fieldnames or ())}")
        return [row[column] for row in rows]


def published_gap_texts(source: str | Path | None = None, part: GapPart = "development") -> Documents:
    """The texts of GAP (Webster et al. 2018), ``gap/gap-development.tsv`` in the data directory.

    The two candidates of each text, its columns A and B, are the names that are known in it. If ``source`` is a file
    itself, that file is read, and the documents are named after it. ``all`` reads every part that is present: the three
    have 4,454 texts.
    """
    if part == "all":
        return _all_gap_texts(source)
    path = data_file(source, "gap", f"gap-{part}.tsv")
    with _open_text(path) as stream:
        rows = list(_table(stream))
    items = tuple(Document(row["ID"], row["Text"], names=(row["A"], row["B"])) for row in rows)
    return Documents(f"gap-{part_name(source, part, path)}", items)


def _all_gap_texts(source: str | Path | None) -> Documents:
    found = []
    for part in GAP_PARTS:
        with suppress(DataNotFoundError):
            found.append(published_gap_texts(source, cast("GapPart", part)))
    if not found:
        raise DataNotFoundError("no part of GAP was found; put gap-development.tsv into gap/ of the data directory")
    return Documents("+".join(part.name for part in found), tuple(item for part in found for item in part))


def _table(stream: TextIO) -> csv.DictReader[str]:
    """Rows of a .tsv file, without quoting."""
    return csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


def coin_of(purpose: str, seed: int, name: str) -> float:
    """A number in [0, 1) that follows from the seed and a name."""
    return int.from_bytes(hashlib.sha256(f"{purpose}/{seed}/{name}".encode()).digest()[:7]) / (1 << 56)


def _open_text(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8", newline=""))
    return path.open(encoding="utf-8", newline="")
