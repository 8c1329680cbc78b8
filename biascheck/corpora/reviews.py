"""Labelled reviews, and their male and female versions as a corpus (Jentzsch & Turan 2022, §2.1 and §2.3)."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.published import data_directory, data_file
from biascheck.corpora.rewriting.rewriter import Rewriter, Rewritten
from biascheck.corpora.rewriting.terms import GENDERS, TermName, TermSet, gender_terms
from biascheck.corpora.sentence import Sentence, refuse_repeated

Sentiment = Literal["positive", "negative"]
Part = Literal["train", "test"]
LABELS: dict[str, Sentiment] = {"pos": "positive", "neg": "negative", "1": "positive", "0": "negative"}
LABELS |= {"positive": "positive", "negative": "negative"}
_PUNCTUATION = re.compile(r"[^\w\s]")
NAMES_ARE_WORDS = (
    "names and titles are rewritten like other words (“Stephen King” becomes “Stephen Queen”); first names are not"
)


@dataclass(frozen=True, slots=True)
class Review:
    """A text with a rating: positive or negative. ``origin`` is the review that a version was made from."""

    id: str
    text: str
    sentiment: Sentiment
    origin: str = ""


@dataclass(frozen=True)
class Reviews:
    """Reviews under a name, with a fingerprint of all that affects a classifier trained on them."""

    name: str
    items: tuple[Review, ...]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.items:
            raise CorpusError(f"reviews {self.name!r} are empty; missing data never passes")
        refuse_repeated((item.id for item in self.items), f"reviews {self.name!r}", "give each an id of its own")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Review]:
        return iter(self.items)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of ids, texts and labels, in their order: training sees them in it."""
        facts = [[item.id, item.text, item.sentiment] for item in self.items]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    @property
    def texts(self) -> list[str]:
        """All texts, in order."""
        return [item.text for item in self.items]

    def first(self, count: int) -> Reviews:
        """The first ``count`` reviews, half of them positive, in the order of the file."""
        halves = [[item for item in self.items if item.sentiment == kind] for kind in ("positive", "negative")]
        if count > 2 * min(map(len, halves)):
            raise CorpusError(
                f"{self.name!r} has {len(halves[0])} positive and {len(halves[1])} negative reviews; "
                f"{count} cannot be taken from them in equal parts"
            )
        kept = [item for pair in zip(*halves, strict=False) for item in pair][: count - count % 2]
        return Reviews(f"{self.name}·{count}", tuple(kept))

    def mapped(self, name: str, versions: Callable[[str], Iterable[str]]) -> Reviews:
        """Every review in all the versions that a function makes of its text."""
        items = [
            replace(item, id=f"{item.id}/{number}", text=text, origin=item.origin or item.id)
            for item in self.items
            for number, text in enumerate(versions(item.text))
        ]
        return Reviews(name, tuple(items))


def reviews(part: Part | None = None) -> Reviews:
    """1,608 built-in reviews of films, books, restaurants and shows; each mentions people.

    416 were written one by one (:func:`written_reviews`), 1,192 are composed of built-in sentences
    (``tools/compose_reviews.py``). They come in twos, a positive one and a negative one about the same people, so that
    the subject does not reveal the sentiment. ``test`` holds every third two of the written ones, and composed ones
    whose verdicts are in no review of ``train``.
    """
    items = (*written_reviews(part), *(item for kept, item in _composed() if part in (None, kept)))
    return Reviews("reviews" if part is None else f"reviews·{part}", items)


def written_reviews(part: Part | None = None) -> Reviews:
    """The 416 reviews that were written one by one: harder than the composed ones, and nearer to natural text."""
    items = [Review(f"{kind}-{n}", text, LABELS[label]) for n, (label, kind, text) in enumerate(_table("reviews.tsv"))]
    kept = [item for n, item in enumerate(items) if part is None or (n // 2 % 3 == 2) == (part == "test")]
    return Reviews("written reviews" if part is None else f"written reviews·{part}", tuple(kept))


def _composed() -> Iterator[tuple[str, Review]]:
    for n, (part, label, kind, text) in enumerate(_table("composed_reviews.tsv")):
        yield part, Review(f"composed-{kind}-{n}", text, LABELS[label])


def _table(name: str) -> list[list[str]]:
    table = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    return [line.split("\t") for line in table.splitlines()[1:]]


def cleaned_reviews(source: Reviews) -> Reviews:
    """The reviews in lower case and without punctuation, as the paper prepared them (§2.1).

    Every character that is neither a letter, a digit nor an underscore becomes a space ("she's" is "she s"): so
    prepared, the IMDB reviews without any term of the paper's maps are as many as its code asserts.
    """
    items = [replace(item, text=" ".join(_PUNCTUATION.sub(" ", item.text.lower()).split())) for item in source]
    return Reviews(f"{source.name}·cleaned", tuple(items), source.warnings)


def review_pairs(source: Reviews, terms: TermName | TermSet = "all") -> Corpus:
    """Each review in a male and a female version, all terms of the set changed to one gender.

    The target is the first gendered word, further ones are the sentence's ``others``. A review without any is the
    same in both versions and is kept, as in the paper: its delta is zero, and its target is the whole text. Labels:
    ``sentiment``, ``terms`` (how many gendered words the review has). A review is its own cluster.
    """
    rewriter = Rewriter(gender_terms(terms) if isinstance(terms, str) else terms)
    pairs = tuple(_pair(item, rewriter) for item in source if item.text.strip())
    if not pairs:
        raise CorpusError(f"{source.name!r} has only empty texts; missing data never passes")
    warnings = (NAMES_ARE_WORDS, *_empty(source))
    return Corpus(f"{source.name}·{rewriter.terms.name}", GENDERS, pairs, warnings=warnings, paper="jentzsch2022")


def _empty(source: Reviews) -> tuple[str, ...]:
    empty = [item.id for item in source if not item.text.strip()]
    return (f"{len(empty)} reviews have no text and are left out, e.g. {empty[0]}",) if empty else ()


def _pair(item: Review, rewriter: Rewriter) -> Pair:
    versions = {gender: rewriter.version(item.text, gender) for gender in GENDERS}
    labels: dict[str, str | float] = {"sentiment": item.sentiment, "terms": len(versions["male"].terms)}
    return Pair(item.id, item.id, {gender: _sentence(version) for gender, version in versions.items()}, labels)


def _sentence(version: Rewritten) -> Sentence:
    if not version.terms:
        return Sentence(version.text, Span(0, len(version.text)))
    return Sentence(version.text, version.terms[0], others=version.terms[1:])


def published_imdb(
    source: str | Path | None = None, part: Part = "train", *, limit: int | None = None, strip_markup: bool = True
) -> Reviews:
    """The IMDB Large Movie Review Dataset (Maas et al. 2011), from its folder or from one table.

    The folder holds ``train/pos/*.txt`` and so on; the table (``imdb/imdb_sample.csv.gz`` in the data directory, .csv
    or .csv.gz) has the columns ``split``, ``label``, ``id`` and ``text``. ``limit`` takes as many from the beginning,
    half of them positive. Line breaks in HTML become spaces unless ``strip_markup`` is off.
    """
    root = data_directory(source)
    folder = next((path for path in (root, root and root / "aclImdb") if path and (path / part / "pos").is_dir()), None)
    if folder is not None:
        found = _from_folders(folder, part)
    else:
        found = _from_table(data_file(source, "imdb", "imdb_sample.csv.gz"), part)
    items = tuple(replace(item, text=item.text.replace("<br />", " ")) if strip_markup else item for item in found)
    whole = Reviews(f"imdb·{part}", items)
    return whole if limit is None else whole.first(limit)


def published_sst2(file: str | Path, *, limit: int | None = None) -> Reviews:
    """A table in the form of SST-2 (GLUE): a .tsv with the columns ``sentence`` and ``label`` (1 is positive)."""
    path = Path(file)
    rows = _rows(path, ("sentence", "label"), "\t")
    items = [Review(str(n), row["sentence"].strip(), _label(row["label"], path)) for n, row in enumerate(rows)]
    whole = Reviews(path.stem, tuple(items))
    return whole if limit is None else whole.first(limit)


def _from_folders(root: Path, part: Part) -> Iterator[Review]:
    for label in ("pos", "neg"):
        for file in sorted((root / part / label).glob("*.txt")):
            yield Review(f"{part}/{label}/{file.stem}", file.read_text(encoding="utf-8"), LABELS[label])


def _from_table(path: Path, part: Part) -> Iterator[Review]:
    for row in _rows(path, ("split", "label", "id", "text"), ","):
        if row["split"] == part:
            name = row["id"].removesuffix(".txt")
            yield Review(f"{part}/{row['label']}/{name}", row["text"], _label(row["label"], path))


def _rows(path: Path, needed: Iterable[str], delimiter: str) -> Iterator[dict[str, str]]:
    """The rows of a table, unpacked where it is a .gz; reviews are longer than csv's own limit for a cell."""
    if not path.is_file():
        raise DataNotFoundError(f"{path} does not exist; give the file, or its folder with BIASCHECK_DATA")
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    csv.field_size_limit(1 << 24)
    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    if delimiter == "\t":
        reader = csv.DictReader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.DictReader(lines, delimiter=delimiter)
    missing = sorted(set(needed) - set(reader.fieldnames or ()))
    if missing:
        raise CorpusError(f"{path.name} lacks the columns {missing}; it has {list(reader.fieldnames or ())}")
    yield from reader


def _label(value: str, path: Path) -> Sentiment:
    if value not in LABELS:
        raise CorpusError(f"{path.name}: label {value!r} is not one of {', '.join(LABELS)}")
    return LABELS[value]
